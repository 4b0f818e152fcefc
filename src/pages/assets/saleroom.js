/**
 * The clerk's console by keyboard: each button names its key, digits typed anywhere are the paddle, and what comes
 * back replaces the board without losing what is being typed. Online bids show as their events arrive.
 */
import { moneyText } from './money.js';
import { words } from './words.js';

const frame = document.querySelector('[data-board-frame]');
const board = () => frame.querySelector('[data-board]');
const part = (name) => frame.querySelector(`[data-${name}]`);
let source = null;
let followed = null;
/** Actions are sent one after the other, in the order of the keys. */
let line = Promise.resolve();
let waiting = 0;
const MOST_WAITING = 3;
const COUNT_MS = 200;
/** A held result is final a moment after its time. */
const SETTLED_MS = 600;
/** The paddle has been called: the next digit begins another one, the next amount is for the same. */
let isCalled = false;

function newCallId() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const answered = (field) => (field.type === 'checkbox' ? field.checked : field.value);
/** Two forms have a paddle. */
const nameOf = (field) => `${field.form?.getAttribute('action')} ${field.name}`;
/** The tracts of a call, where they are sold in any combination. */
const set = () => part('set');

/** Puts a new board in the old one's place: what was typed and ticked stays, and the focus. */
function show(html) {
  const kept = {};
  const fields = 'input:not([type="hidden"])';
  for (const field of frame.querySelectorAll(fields)) kept[nameOf(field)] = answered(field);
  const { activeElement: active } = document;
  const key = frame.contains(active) ? (active.getAttribute('aria-keyshortcuts') ?? active.name) : null;
  const lot = board().dataset.lot;
  frame.innerHTML = html;
  if (board().dataset.lot === lot) {
    for (const field of frame.querySelectorAll(fields)) {
      if (field.type === 'checkbox') field.checked = kept[nameOf(field)] ?? field.checked;
      else field.value = kept[nameOf(field)] ?? field.value;
    }
  }
  if (key)
    frame.querySelector(`[aria-keyshortcuts="${key}"], [name="${key}"]`)?.focus({ preventScroll: true });
  start();
}

/** What the script does in place of a button, and the price of the tracts that are typed. */
function start() {
  follow();
  countHeld();
  if (set() === null) return;
  part('show').hidden = true;
  const fill = part('fill');
  if (fill !== null) fill.hidden = false;
}

/** A call on tracts was taken: the next one is for others. */
function clearCall(form) {
  if (!form.matches('.set-call') || part('said').textContent.trim() !== '') return;
  const next = frame.querySelector('.set-call');
  if (next === null) return;
  for (const field of next.querySelectorAll('[data-figures]')) field.value = '';
  next.elements.standing.checked = false;
  set().focus();
}

function say(text) {
  const notice = document.createElement('p');
  notice.className = 'notice bad';
  notice.textContent = text;
  part('said').replaceChildren(notice);
}

async function ask(address, options = {}) {
  const answer = await fetch(address, {
    ...options,
    headers: { accept: 'text/html', 'x-fragment': 'board' },
  });
  if (answer.redirected && !answer.url.includes('/saleroom')) return location.assign(answer.url);
  const html = await answer.text();
  // A page in full: something came before the console.
  if (/^\s*<!doctype/i.test(html)) return location.reload();
  show(html);
  return undefined;
}

function send(form, button) {
  if (waiting >= MOST_WAITING) return;
  const body = new URLSearchParams(new FormData(form));
  if (button?.name) body.set(button.name, button.value);
  if (body.has('call_id')) body.set('call_id', newCallId());
  waiting += 1;
  line = line
    .then(() => ask(form.action, { method: 'POST', body }))
    .then(() => clearCall(form))
    .catch(() => say(words('There was no answer. Check the price before you press again.')))
    .finally(() => {
      waiting -= 1;
    });
  if (form.matches('[data-calls]')) isCalled = true;
}

frame.addEventListener('submit', (event) => {
  event.preventDefault();
  if (event.submitter?.matches('[data-show]')) return refresh();
  return send(event.target, event.submitter ?? event.target.querySelector('button'));
});

const isOfBrowser = ({ ctrlKey, altKey, metaKey, repeat }) => ctrlKey || altKey || metaKey || repeat;

/** The digit itself arrives in the field. */
function beginPaddle(paddle, target) {
  if (isCalled || target !== paddle) paddle.value = '';
  isCalled = false;
  paddle.focus();
}

document.addEventListener('keydown', (event) => {
  if (isOfBrowser(event)) return;
  const paddle = part('paddle');
  // In fields of figures letters are keys.
  const isFigures = event.target === paddle || event.target.matches('[data-figures]');
  const isTyping = event.target.matches('input:not([type="checkbox"]), textarea, select') && !isFigures;
  if (isTyping) return;
  const figures = paddle ?? set();
  if (/^[0-9]$/.test(event.key) && figures !== null) {
    if (figures === paddle) beginPaddle(paddle, event.target);
    else if (!isFigures) figures.focus();
    return;
  }
  const button = frame.querySelector(`[aria-keyshortcuts~="${CSS.escape(event.key.toUpperCase())}"]`);
  if (button === null || button.disabled) return;
  event.preventDefault();
  if (button.form === null) button.click();
  else if (button.form.reportValidity()) send(button.form, button);
});

frame.addEventListener('input', (event) => {
  if (event.target === set()) refresh();
});

frame.addEventListener('click', (event) => {
  if (event.target.closest('[data-fill]') === null) return;
  const { amount } = frame.querySelector('.set-call').elements;
  amount.value = part('lead').dataset.lead;
  amount.focus();
});

/** The price at once, the buttons as soon as the board comes. */
function noteBid(bid) {
  // Which sets lead is more than a price.
  if (board().dataset.sale !== undefined) return refresh();
  part('price').textContent = moneyText(bid.lot.current_bid, board().dataset.currency);
  part('bid-count').textContent = String(bid.lot.bid_count);
  // The hammer falls at the price that is on the screen.
  for (const seen of frame.querySelectorAll('input[name="price"]')) seen.value = bid.lot.current_bid;
  if (bid.status === 'leading') part('leader').textContent = words('Paddle {0}', bid.bidder.paddle_number);
  part('warned').hidden = true;
  return refresh();
}

let refreshing = false;
function refresh() {
  if (refreshing) return;
  refreshing = true;
  line = line
    .then(() => {
      refreshing = false;
      const typed = set()?.value.trim() ?? '';
      return ask(typed === '' ? location.pathname : `${location.pathname}?lots=${encodeURIComponent(typed)}`);
    })
    .catch(() => {});
}

let heldTimer = null;

/** Counts the seconds in which the hammer can be taken back; then the board is read anew. */
function countHeld() {
  clearInterval(heldTimer);
  const form = frame.querySelector('[data-left]');
  if (form === null) return;
  const endMs = performance.now() + Number(form.dataset.left);
  const count = () => {
    const leftMs = endMs - performance.now();
    if (leftMs > 0) {
      part('left-text').textContent = words('Final in {0} s.', Math.ceil(leftMs / 1_000));
      return;
    }
    clearInterval(heldTimer);
    form.hidden = true;
    setTimeout(refresh, SETTLED_MS);
  };
  count();
  heldTimer = setInterval(count, COUNT_MS);
}

function follow() {
  const { lot, open, sequence } = board().dataset;
  const wanted = open === 'yes' ? lot : null;
  if (wanted === followed) return;
  source?.close();
  followed = wanted;
  if (wanted === null) return;
  source = new EventSource(`/api/v1/lots/${wanted}/stream?last_event_id=${sequence}`);
  source.addEventListener('bid.placed', (event) => noteBid(JSON.parse(event.data)));
  source.addEventListener('lot.snapshot', refresh);
  source.addEventListener('lot.closed', () => {
    source.close();
    refresh();
  });
  source.addEventListener('lot.fair_warning', () => {
    part('warned').hidden = false;
  });
}

start();
(part('paddle') ?? set())?.focus();
addEventListener('pagehide', () => source?.close());
