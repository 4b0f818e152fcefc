/** What the desk's forms do with JavaScript: typed texts that survive a closed tab, and the fields of a category. */
import './select-all.js';
import { words } from './words.js';

document.querySelector('[data-problems]')?.focus();

const fields = document.querySelector('[data-fields-of]');
if (fields) {
  for (const name of fields.dataset.fieldsOf.split(' '))
    fields.form.elements[name]?.addEventListener('change', () => fields.form.requestSubmit(fields));
}

for (const finder of document.querySelectorAll('[data-finds]')) {
  finder.hidden = false;
  finder.addEventListener('input', (event) => {
    event.stopPropagation();
    const wanted = finder.value.trim().toLowerCase();
    for (const field of finder.parentElement.querySelectorAll('.field'))
      field.hidden = !field.textContent.toLowerCase().includes(wanted);
  });
  finder.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
}

/** The texts of a form, without those that belong to this page only. */
function textsOf(form) {
  return Object.fromEntries([...new FormData(form)].filter(([name]) => !name.startsWith('_')));
}

function fillIn(form, texts) {
  for (const element of form.elements) {
    if (!element.name || element.name.startsWith('_') || element.type === 'submit') continue;
    const text = texts[element.name];
    if (element.type === 'checkbox') element.checked = text !== undefined;
    else if (text !== undefined) element.value = text;
  }
}

/** The form that was sent last, until a page shows the outcome. */
const SENT = 'draft-sent';

/**
 * What was sent is forgotten only once the desk answers that it is done: a session that had ended, or a connection that
 * was cut, takes nothing with it.
 */
function forgetDone() {
  const key = sessionStorage.getItem(SENT);
  if (key === null) return;
  sessionStorage.removeItem(SENT);
  const isShownAgain = document.querySelector(`[data-unsaved="${CSS.escape(key)}"]`) !== null;
  const isDone = new URLSearchParams(location.search).has('done');
  if (isDone || !isShownAgain) localStorage.removeItem(`draft:${key}`);
}

/** Whether the form has something else than was typed; fields that it shows since then are no difference. */
function differs(form, kept) {
  const shown = textsOf(form);
  return [...form.elements].some(({ name, type }) => {
    if (!name || name.startsWith('_') || type === 'submit') return false;
    const [now, before] = [shown[name], kept[name]];
    return now !== before && (type === 'checkbox' || (now !== undefined && before !== undefined));
  });
}

function keepUnsaved(form) {
  const { unsaved } = form.dataset;
  const key = `draft:${unsaved}`;
  const kept = localStorage.getItem(key);
  const isRefused = document.querySelector('[data-problems]') !== null;
  if (kept !== null && differs(form, JSON.parse(kept)) && !isRefused) offer(form, key, JSON.parse(kept));
  form.addEventListener('input', () => localStorage.setItem(key, JSON.stringify(textsOf(form))));
  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    localStorage.setItem(key, JSON.stringify(textsOf(form)));
    sessionStorage.setItem(SENT, unsaved);
  });
}

function offer(form, key, kept) {
  const notice = document.createElement('p');
  notice.className = 'notice warn';
  notice.setAttribute('role', 'status');
  notice.textContent = `${words('Input that you typed here earlier was not saved.')} `;
  const button = (label, work) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'button quiet small';
    made.textContent = label;
    made.addEventListener('click', () => {
      work();
      notice.remove();
    });
    notice.append(made, ' ');
  };
  button(words('Restore it'), () => fillIn(form, kept));
  button(words('Discard it'), () => localStorage.removeItem(key));
  form.before(notice);
}

/** A second click while the first is in flight makes no second lot. */
function sendOnce(form) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  // A visitor who returns to the page may send it again.
  addEventListener('pageshow', () => {
    isSent = false;
  });
}

for (const form of document.querySelectorAll('[data-unsaved]')) sendOnce(form);

try {
  forgetDone();
  for (const form of document.querySelectorAll('[data-unsaved]')) keepUnsaved(form);
} catch {
  // The browser keeps nothing here: the forms work without.
}
