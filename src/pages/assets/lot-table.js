/**
 * The table of lots as a spreadsheet: a row is saved when one leaves it, pasted cells fill the table, rows beyond the
 * last become new lots, every change can be undone, and rows are moved by dragging their number or by Alt and an arrow.
 */
import { words } from './words.js';

const table = document.querySelector('[data-sheet]');
const body = table.tBodies[0];
const said = document.querySelector('[data-table-said]');
const undoButton = document.querySelector('[data-undo]');
/** What was changed, the newest last: each the cells of one step, with what they read before. */
const steps = [];
const MOST_STEPS = 200;
/** Rows are saved one after the other. */
let line = Promise.resolve();

const rowOf = (element) => element.closest('tr');
const cellsOf = (row) => [...row.querySelectorAll('td input:not([type="hidden"]), td select')];
const formOf = (row) => row.querySelector('th form');
const rowById = (id) => body.querySelector(`tr[data-row="${id}"]`);
const isNew = (row) => row.dataset.row === '';

/** What each cell read when it was last saved or undone. */
const known = new WeakMap();
function learn(row) {
  for (const cell of cellsOf(row)) known.set(cell, cell.value);
  const number = row.querySelector('th');
  number.draggable = !isNew(row);
}

const isDirty = (row) => cellsOf(row).some((cell) => cell.value !== known.get(cell));

function note(cells) {
  if (cells.length === 0) return;
  steps.push(cells);
  if (steps.length > MOST_STEPS) steps.shift();
  undoButton.disabled = false;
}

/** Whether there is something to save is asked when the rows before it are done: a row may be on its way already. */
function save(row) {
  const work = () => (isDirty(row) ? send(row) : undefined);
  line = line.then(work).catch(() => {
    said.textContent = words('The connection was lost: the row is not saved.');
    row.dataset.wrong = '';
  });
  return line;
}

async function send(row) {
  const form = formOf(row);
  const sent = new Map(cellsOf(row).map((cell) => [cell.name, cell.value]));
  if (isNew(row) && [...sent.values()].every((value) => value.trim() === '')) return;
  row.dataset.saving = '';
  const answer = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
    headers: { accept: 'text/html', 'x-fragment': 'row' },
  });
  const html = await answer.text();
  delete row.dataset.saving;
  // A page in full: the session is over.
  if (/^\s*<!doctype/i.test(html)) return location.reload();
  show(row, html, sent, answer.ok);
}

/** Takes what the server says of the row into it; what was typed since stays. */
function show(row, html, sent, isSaved) {
  const holder = document.createElement('tbody');
  holder.innerHTML = html;
  const fresh = holder.firstElementChild;
  if (isNew(row) && isSaved) return addBefore(row, fresh, sent);
  const marks = row.querySelector('input[name="_marks"]');
  marks.value = fresh.querySelector('input[name="_marks"]').value;
  clearWrong(row);
  for (const cell of cellsOf(row)) {
    const now = cellsOf(fresh).find(({ name }) => name === cell.name);
    if (isSaved) known.set(cell, now.value);
    if (isSaved && cell.value === sent.get(cell.name)) cell.value = now.value;
    if (now.hasAttribute('aria-invalid')) markWrong(cell, now.parentElement.querySelector('.error'));
  }
  const general = fresh.querySelector('.row-end .error');
  if (general) row.querySelector('.row-end').prepend(general);
  if (!isSaved) row.dataset.wrong = '';
  said.textContent = isSaved ? words('Saved.') : words('The row is not saved: look at what is marked.');
}

/** The new row becomes one of its own, and is empty again but for what was typed since. */
function addBefore(row, fresh, sent) {
  row.before(fresh);
  learn(fresh);
  for (const cell of cellsOf(row)) if (cell.value === sent.get(cell.name)) cell.value = '';
  clearWrong(row);
  learn(row);
  said.textContent = words('Lot {0} is added.', fresh.querySelector('th').textContent.trim());
}

function markWrong(cell, error) {
  cell.setAttribute('aria-invalid', 'true');
  cell.setAttribute('aria-describedby', error.id);
  cell.after(error);
}

function clearWrong(row) {
  delete row.dataset.wrong;
  for (const error of row.querySelectorAll('.error')) error.remove();
  for (const cell of cellsOf(row)) {
    cell.removeAttribute('aria-invalid');
    cell.removeAttribute('aria-describedby');
  }
}

/** What the cell reads from here on; returns what undoing it takes. */
function put(cell, value) {
  const before = cell.value;
  if (cell.matches('select')) {
    const wanted = [...cell.options].find((one) => one.text.toLowerCase() === value.trim().toLowerCase());
    cell.value = wanted?.value ?? cell.value;
  } else cell.value = value;
  return { row: rowOf(cell).dataset.row, name: cell.name, before };
}

async function undo() {
  const step = steps.pop();
  undoButton.disabled = steps.length === 0;
  if (step === undefined) return;
  const rows = new Set();
  for (const { row: id, name, before } of step) {
    const row = rowById(id);
    const cell = row && cellsOf(row).find((one) => one.name === name);
    if (!cell) continue;
    cell.value = before;
    rows.add(row);
  }
  for (const row of rows) save(row);
  await line;
  said.textContent = words('Undone.');
}

/** Cells as spreadsheets copy them: tabs between columns, a line for each row, quotes around line breaks. */
function gridOf(text) {
  const rows = [[]];
  let cell = '';
  let isQuoted = false;
  const source = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at];
    if (isQuoted && sign === '"' && source[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (sign === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (!isQuoted && /[\t\n]/.test(sign)) {
      rows.at(-1).push(cell);
      cell = '';
      if (sign === '\n') rows.push([]);
    } else cell += sign;
  }
  rows.at(-1).push(cell);
  return rows;
}

const MOST_PASTED = 500;

async function paste(event) {
  const cell = event.target;
  const text = event.clipboardData?.getData('text/plain') ?? '';
  if (!/[\t\n]/.test(text.replace(/\r?\n$/, ''))) return;
  event.preventDefault();
  const grid = gridOf(text);
  if (grid.length > MOST_PASTED) {
    said.textContent = words('At most {0} rows are pasted at once: import them as a file.', MOST_PASTED);
    return;
  }
  const first = cellsOf(rowOf(cell)).indexOf(cell);
  const filled = [];
  let row = rowOf(cell);
  for (const values of grid) {
    if (row === null) break;
    const cells = cellsOf(row);
    values.forEach((value, at) => {
      const target = cells[first + at];
      if (target) filled.push(put(target, value.replace(/\s*\n\s*/g, ' ').trim()));
    });
    const wasNew = isNew(row);
    save(row);
    // A row that was added makes room for the next one.
    if (wasNew) {
      await line;
      if ('wrong' in row.dataset) break;
    } else row = row.nextElementSibling;
  }
  note(filled.filter((one) => one.row !== ''));
  await line;
}

/** The same column of the row above or below. */
function goTo(cell, sibling) {
  const row = rowOf(cell)[sibling];
  const target = row && cellsOf(row)[cellsOf(rowOf(cell)).indexOf(cell)];
  target?.focus();
  if (target?.matches('input')) target.select();
  return target !== undefined && target !== null;
}

async function storeOrder() {
  const ids = [...body.querySelectorAll('tr[data-row]')].map((row) => row.dataset.row).filter(Boolean);
  const token = body.querySelector('input[name="_csrf"]').value;
  const answer = await fetch(table.dataset.order, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ _csrf: token, ids: ids.join(',') }),
    headers: { accept: 'text/html' },
  });
  if (answer.type !== 'opaqueredirect') return location.reload();
  ids.forEach((id, at) => {
    rowById(id).querySelector('th a').textContent = String(Number(table.dataset.firstNumber) + at);
  });
  said.textContent = words('The order is saved.');
}

function moveRow(row, isEarlier) {
  const other = isEarlier ? row.previousElementSibling : row.nextElementSibling;
  if (isNew(row) || !other || isNew(other)) return;
  if (isEarlier) other.before(row);
  else other.after(row);
  line = line.then(storeOrder);
}

for (const row of body.rows) learn(row);
undoButton.hidden = false;
undoButton.disabled = true;
document.querySelector('[data-table-hint]').hidden = false;
undoButton.addEventListener('click', undo);
body.addEventListener('paste', paste);
body.addEventListener('focusout', (event) => {
  const row = rowOf(event.target);
  if (row !== null && event.relatedTarget && rowOf(event.relatedTarget) === row) return;
  if (row !== null) save(row);
});
body.addEventListener('change', (event) => {
  const cell = event.target;
  const row = rowOf(cell);
  if (!isNew(row)) note([{ row: row.dataset.row, name: cell.name, before: known.get(cell) ?? '' }]);
});
body.addEventListener('submit', (event) => {
  const form = event.target;
  const row = rowOf(event.submitter ?? form);
  event.preventDefault();
  if (form.dataset.move) return moveRow(row, form.dataset.move === 'earlier');
  return save(row);
});
const isUndo = ({ ctrlKey, metaKey, key }) => (ctrlKey || metaKey) && key.toLowerCase() === 'z';
body.addEventListener('keydown', (event) => {
  const cell = event.target;
  if (!cell.matches('td input, td select')) return;
  // What is not stored yet the browser takes back itself.
  if (isUndo(event) && cell.value === known.get(cell)) {
    event.preventDefault();
    undo();
    return;
  }
  if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
    event.preventDefault();
    const row = rowOf(cell);
    moveRow(row, event.key === 'ArrowUp');
    cell.focus();
    return;
  }
  if (cell.matches('select') && /^Arrow/.test(event.key)) return;
  if (event.key === 'Enter' || event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    if (!goTo(cell, event.key === 'ArrowUp' ? 'previousElementSibling' : 'nextElementSibling'))
      save(rowOf(cell));
  }
});

let dragged = null;
body.addEventListener('dragstart', (event) => {
  // Marked text can be dragged as well, and stays text.
  if (event.target.closest?.('th') == null) return;
  dragged = rowOf(event.target);
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData('text/plain', dragged.dataset.row);
});
body.addEventListener('dragover', (event) => {
  const over = rowOf(event.target);
  if (dragged === null || over === null || over === dragged || isNew(over)) return;
  event.preventDefault();
  const { top, height } = over.getBoundingClientRect();
  over[event.clientY < top + height / 2 ? 'before' : 'after'](dragged);
});
body.addEventListener('drop', (event) => event.preventDefault());
body.addEventListener('dragend', () => {
  if (dragged !== null) line = line.then(storeOrder);
  dragged = null;
});
addEventListener('beforeunload', (event) => {
  if ([...body.rows].some(isDirty)) event.preventDefault();
});
