/** Pictures and documents by drag and drop: a progress bar for each that can be cancelled, and an order by dragging. */
import { words } from './words.js';

const token = document.querySelector('meta[name="csrf-token"]').content;
/** One after the other: their order is that in which they were chosen. */
const AT_ONCE = 1;

function make(name, attributes = {}, text = '') {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function startMedia(section) {
  const part = (name) => section.querySelector(`[data-${name}]`);
  const list = part('media-list');
  const { modelType, modelId } = section.dataset;
  const say = (text) => {
    part('media-said').textContent = text;
  };
  startUploads(section, part, {
    modelType,
    modelId,
    onStored: (item) => addItem(section, list, item, say),
    say,
  });
  for (const item of list.children) makeMovable(list, item, say);
}

/** Each file is a row with its progress; the others wait until it has arrived. */
class Uploads {
  #waiting = [];
  #running = 0;
  #rows;
  #target;

  /** `target` says what the files are for, takes each that is stored, and what is said of one that is not. */
  constructor(rows, target) {
    this.#rows = rows;
    this.#target = target;
  }

  queue(files) {
    for (const file of files) this.#waiting.push(this.#rowOf(file));
    this.#hideIfEmpty();
    this.#next();
  }

  #next() {
    while (this.#running < AT_ONCE && this.#waiting.length > 0) {
      this.#running += 1;
      this.#send(this.#waiting.shift());
    }
  }

  #hideIfEmpty() {
    this.#rows.hidden = this.#rows.children.length === 0;
  }

  #rowOf(file) {
    const row = make('li');
    const bar = make('progress', { max: '100', value: '0', 'aria-label': words('Upload of {0}', file.name) });
    const cancel = make(
      'button',
      { type: 'button', class: 'link small', 'aria-label': words('Cancel {0}', file.name) },
      words('Cancel'),
    );
    const state = make('span', { class: 'small', role: 'status' }, words('Waiting'));
    row.append(make('span', { class: 'name' }, file.name), bar, state, cancel);
    this.#rows.append(row);
    const upload = { file, row, bar, state, cancel, request: null };
    cancel.addEventListener('click', () => this.#drop(upload));
    return upload;
  }

  #drop(upload) {
    const at = this.#waiting.indexOf(upload);
    if (at >= 0) this.#waiting.splice(at, 1);
    upload.request?.abort();
    upload.row.remove();
    this.#hideIfEmpty();
    this.#target.say(words('{0} is cancelled.', upload.file.name));
  }

  #send(upload) {
    const { modelType, modelId } = this.#target;
    const body = new FormData();
    body.set('model_type', modelType);
    body.set('model_id', modelId);
    body.set('file', upload.file);
    const request = new XMLHttpRequest();
    upload.request = request;
    upload.state.textContent = '0 %';
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      upload.bar.value = Math.floor((loaded / total) * 100);
      upload.state.textContent = loaded === total ? words('Processing') : `${upload.bar.value} %`;
    });
    request.addEventListener('load', () => this.#answered(upload, request));
    request.addEventListener('error', () =>
      showFailure(upload, { message: words('The connection was lost. Choose the file again.') }),
    );
    request.addEventListener('loadend', () => {
      this.#running -= 1;
      this.#next();
    });
    request.open('POST', '/api/v1/media');
    request.setRequestHeader('X-CSRF-Token', token);
    request.setRequestHeader('Accept', 'application/json');
    request.send(body);
  }

  #answered(upload, request) {
    const answer = JSON.parse(request.responseText || '{}');
    if (request.status !== 201) return showFailure(upload, answer);
    upload.row.remove();
    this.#hideIfEmpty();
    return this.#target.onStored(answer.data);
  }
}

function showFailure(upload, answer) {
  const sentences = Object.values(answer.errors ?? {}).flat();
  upload.bar.remove();
  upload.state.className = 'error';
  upload.state.textContent = sentences.join(' ') || answer.message || words('The file was not accepted.');
  upload.cancel.textContent = words('Dismiss');
}

/** Files come by the form's field, or are dropped on the section. */
function startUploads(section, part, target) {
  const form = part('drop');
  const input = form.querySelector('input[type="file"]');
  const uploads = new Uploads(part('uploads'), target);
  input.multiple = true;
  part('drop-hint').hidden = false;
  form.querySelector('button').hidden = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    uploads.queue(input.files);
    input.value = '';
  });
  input.addEventListener('change', () => form.requestSubmit());
  const isFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  section.addEventListener('dragover', (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    form.classList.add('over');
  });
  section.addEventListener('dragleave', () => form.classList.remove('over'));
  section.addEventListener('drop', (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    form.classList.remove('over');
    uploads.queue(event.dataTransfer.files);
  });
}

/** What has been stored is shown at the end, as the page would show it. */
function addItem(section, list, item, say) {
  const row = make('li', { 'data-media-id': item.id });
  const link = make('a', { href: item.url });
  if (item.thumbnail_url)
    link.append(make('img', { src: item.thumbnail_url, alt: item.file_name, width: '120', height: '90' }));
  else link.append(make('span', { class: 'document' }, 'PDF'));
  const buttons = make('span', { class: 'row' });
  for (const [move, label] of [
    ['earlier', words('Move earlier')],
    ['later', words('Move later')],
  ]) {
    const form = make('form', { 'data-move': move });
    form.append(make('button', { class: 'link small', 'aria-label': `${label}: ${item.file_name}` }, label));
    buttons.append(form);
  }
  if (item.thumbnail_url)
    buttons.append(
      make(
        'a',
        {
          href: `/seller/media/${item.id}`,
          class: 'small',
          'aria-label': words('Turn or crop {0}', item.file_name),
        },
        words('Turn or crop'),
      ),
    );
  const remove = make(
    'button',
    { type: 'button', class: 'link danger small', 'aria-label': words('Delete {0}', item.file_name) },
    words('Delete'),
  );
  remove.addEventListener('click', async () => {
    const answer = await fetch(`/api/media/${item.id}`, {
      method: 'DELETE',
      headers: { 'X-CSRF-Token': token },
    });
    if (!answer.ok) return say(words('{0} could not be deleted.', item.file_name));
    row.remove();
    showEnds(list);
    say(words('{0} is deleted.', item.file_name));
  });
  buttons.append(remove);
  row.append(link, make('span', { class: 'small name' }, item.file_name), buttons);
  list.append(row);
  section.querySelector('[data-media-none]').hidden = true;
  makeMovable(list, row, say);
  showEnds(list);
  say(words('{0} is uploaded.', item.file_name));
}

/** Dragging, and the buttons without leaving the page. */
function makeMovable(list, item, say) {
  item.draggable = true;
  item.addEventListener('dragstart', (event) => {
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', item.dataset.mediaId);
    item.classList.add('dragged');
  });
  item.addEventListener('dragover', (event) => {
    const dragged = list.querySelector('.dragged');
    if (dragged === null) return;
    event.preventDefault();
    if (dragged === item) return;
    const { left, width } = item.getBoundingClientRect();
    item[event.clientX < left + width / 2 ? 'before' : 'after'](dragged);
  });
  item.addEventListener('drop', (event) => event.preventDefault());
  item.addEventListener('dragend', () => {
    item.classList.remove('dragged');
    store(list, say);
  });
  for (const form of item.querySelectorAll('[data-move]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const isEarlier = form.dataset.move === 'earlier';
      const beside = isEarlier ? item.previousElementSibling : item.nextElementSibling;
      if (beside === null) return;
      beside[isEarlier ? 'before' : 'after'](item);
      showEnds(list);
      (form.hidden ? item.querySelector('form:not([hidden]) button') : form.querySelector('button')).focus();
      store(list, say);
    });
  }
}

/** The first goes no earlier, the last no later. */
function showEnds(list) {
  for (const item of list.children) {
    const earlier = item.querySelector('[data-move="earlier"]');
    const later = item.querySelector('[data-move="later"]');
    earlier.hidden = item.previousElementSibling === null;
    later.hidden = item.nextElementSibling === null;
  }
}

async function store(list, say) {
  showEnds(list);
  const ids = [...list.children].map((item) => Number(item.dataset.mediaId));
  const answer = await fetch('/api/media/reorder', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-CSRF-Token': token },
    body: JSON.stringify({ media_ids: ids }),
  }).catch(() => null);
  say(
    words(
      answer?.ok ? 'The order is saved.' : 'The order could not be saved. Reload the page and try again.',
    ),
  );
}

for (const section of document.querySelectorAll('[data-media]')) startMedia(section);
