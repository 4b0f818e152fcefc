/**
 * Photographs for many lots by drag and drop: the files are sent one after the other in the order of their names, each
 * with its progress; one that has found no lot can be given one without choosing it again.
 */
import { words } from './words.js';

const form = document.querySelector('[data-photos-drop]');
const list = document.querySelector('[data-photos-list]');
const said = document.querySelector('[data-photos-said]');
const chosenLot = form.elements.lot_id;
const waiting = [];
let isRunning = false;
let done = 0;
let all = 0;

function make(name, attributes = {}, text = '') {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function rowOf(file) {
  const row = make('li');
  const bar = make('progress', { max: '100', value: '0', 'aria-label': words('Upload of {0}', file.name) });
  row.append(make('span', { class: 'name' }, file.name), bar);
  list.append(row);
  return { row, bar };
}

function queue(files) {
  const inOrder = [...files].sort((one, other) =>
    one.name.localeCompare(other.name, 'en', { numeric: true }),
  );
  all += inOrder.length;
  for (const file of inOrder) waiting.push({ file, lot: chosenLot.value, ...rowOf(file) });
  next();
}

function next() {
  if (isRunning) return;
  const upload = waiting.shift();
  if (upload === undefined) return;
  isRunning = true;
  send(upload, () => {
    isRunning = false;
    done += 1;
    said.textContent = words('{0} of {1} files are done.', done, all);
    next();
  });
}

function send({ file, lot, row, bar }, ended) {
  const body = new FormData();
  body.set('_csrf', form.elements._csrf.value);
  if (lot) body.set('lot_id', lot);
  body.set('file', file);
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = Math.floor((loaded / total) * 100);
  });
  request.addEventListener('load', () => show(file, row, request));
  request.addEventListener('error', () =>
    fail(row, bar, words('The connection was lost. Choose the file again.')),
  );
  request.addEventListener('loadend', ended);
  request.open('POST', form.action);
  request.setRequestHeader('Accept', 'text/html');
  request.setRequestHeader('X-Fragment', 'photos');
  request.send(body);
}

function fail(row, bar, text) {
  bar.remove();
  row.className = 'error';
  row.append(make('span', { class: 'small' }, text));
}

/** What became of the file, or of each in the archive, in place of its row. */
function show(file, row, request) {
  if (/^\s*<!doctype/i.test(request.responseText)) {
    if (request.status === 200) return location.reload();
    return fail(row, row.querySelector('progress'), words('The file was not accepted.'));
  }
  const holder = document.createElement('ul');
  holder.innerHTML = request.responseText;
  const rows = [...holder.children];
  row.replaceWith(...rows);
  const [only] = rows;
  if (rows.length === 1 && only.dataset.problem !== undefined) offerLot(file, only);
}

/** The lots, to choose one for a file that has found none. */
function offerLot(file, row) {
  const choice = make('select', { 'aria-label': words('Lot of {0}', file.name) });
  for (const { value, text } of chosenLot.options)
    choice.append(make('option', { value }, value === '' ? words('Choose its lot') : text));
  choice.addEventListener('change', () => {
    if (choice.value === '') return;
    all += 1;
    const fresh = rowOf(file);
    row.replaceWith(fresh.row);
    waiting.push({ file, lot: choice.value, ...fresh });
    next();
  });
  row.append(' ', choice);
}

const input = form.querySelector('input[type="file"]');
input.multiple = true;
document.querySelector('[data-photos-hint]').hidden = false;
form.querySelector('button').hidden = true;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  queue(input.files);
  input.value = '';
});
input.addEventListener('change', () => form.requestSubmit());
for (const name of ['dragover', 'drop']) {
  document.addEventListener(name, (event) => {
    if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return;
    event.preventDefault();
    form.classList.toggle('over', name === 'dragover');
    if (name === 'drop') queue(event.dataTransfer.files);
  });
}
form.addEventListener('dragleave', () => form.classList.remove('over'));
