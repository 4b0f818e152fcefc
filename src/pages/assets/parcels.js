/**
 * The board of tracts as bids change it: read anew when a tract moves or another is ticked. What is being typed stays.
 * Works without, by its button and by reloading.
 */
import { followMoves } from './moves.js';

const SOON_MS = 150;
const root = document.querySelector('[data-parcels]');
const board = () => root.querySelector('[data-parcels-board]');
const ticks = () => [...root.querySelectorAll('[data-lot]')];
const ticked = () =>
  ticks()
    .filter(({ checked }) => checked)
    .map(({ dataset }) => dataset.lot)
    .join(',');
let waiting = null;
let round = 0;

/** Reads the board for what is ticked; many changes at once are one read. */
function refresh(inMs = SOON_MS) {
  clearTimeout(waiting);
  waiting = setTimeout(read, inMs);
}

async function read() {
  round += 1;
  const own = round;
  const set = ticked();
  const address = set === '' ? location.pathname : `${location.pathname}?set=${set}`;
  const answer = await fetch(address, {
    headers: { accept: 'text/html', 'x-fragment': 'board' },
  }).catch(() => null);
  if (!answer?.ok) return;
  const html = await answer.text();
  // A later one is on its way, or something else was ticked meanwhile.
  if (own === round && set === ticked()) show(html, address);
}

function show(html, address) {
  const before = { form: root.querySelector('[data-bid]'), set: board().dataset.set };
  const focused = document.activeElement?.dataset?.lot ?? document.activeElement?.dataset?.tick ?? null;
  const onMap = document.activeElement?.dataset?.tick !== undefined;
  const isTyping = before.form?.contains(document.activeElement) === true;
  const field = document.activeElement;
  const notice = root.querySelector('[data-notice]');
  root.innerHTML = html;
  const isSame = board().dataset.set === before.set;
  if (isSame) root.querySelector('[data-notice]').replaceWith(notice);
  else history.replaceState(null, '', address);
  const form = root.querySelector('[data-bid]');
  // The amount that somebody is typing, and the bid’s key, are theirs as long as the set is the same.
  if (isSame && form !== null && isTyping) {
    form.replaceWith(before.form);
    field.focus({ preventScroll: true });
  } else if (focused !== null)
    root.querySelector(`[data-${onMap ? 'tick' : 'lot'}="${focused}"]`)?.focus({ preventScroll: true });
  start();
}

function start() {
  const button = root.querySelector('[data-show]');
  if (button !== null) button.hidden = true;
}

root.addEventListener('change', (event) => {
  if (event.target.dataset.lot !== undefined) refresh(0);
});
root.addEventListener('click', (event) => {
  const spot = event.target.closest('[data-tick]');
  if (spot === null) return;
  event.preventDefault();
  const box = ticks().find(({ dataset }) => dataset.lot === spot.dataset.tick);
  if (box === undefined) return;
  box.checked = !box.checked;
  refresh(0);
});
start();
if (root.dataset.parcels) followMoves(root.dataset.parcels, () => refresh());
