/** The seller's live view: prices as they move over one stream, counts of people every few seconds. */
import { showCountdown } from './countdown.js';
import { moneyText } from './money.js';
import { followMoves } from './moves.js';
import { words } from './words.js';

const EVERY_MS = 5_000;
const view = document.querySelector('[data-live-view]');
const rowOf = (lotId) => view.querySelector(`[data-lot="${lotId}"]`);

function setPart(row, name, text) {
  const part = row.querySelector(`[data-part="${name}"]`);
  if (part.textContent === text) return;
  part.textContent = text;
  part.classList.remove('changed');
  void part.offsetWidth;
  part.classList.add('changed');
}

function move(lot) {
  const row = rowOf(lot.lot_id);
  if (row === null) return;
  const price = lot.hammer_price ?? (Number(lot.current_bid) > 0 ? lot.current_bid : lot.starting_bid);
  const per = lot.hammer_price || !row.dataset.per ? '' : ` ${row.dataset.per}`;
  const isSealed = lot.bid_count === null && !lot.hammer_price;
  if (!isSealed && (lot.hammer_price || !row.hasAttribute('data-clock')))
    setPart(row, 'price', `${moneyText(price, view.dataset.currency)}${per}`);
  setPart(row, 'bids', String(lot.bid_count ?? '–'));
  const status = row.querySelector('[data-part="status"]');
  status.className = `pill ${lot.status}`;
  status.textContent = words(lot.status.charAt(0).toUpperCase() + lot.status.slice(1));
  const time = row.querySelector('time[data-countdown]');
  if (time === null) return;
  if (lot.status !== 'active') return time.remove();
  time.dateTime = lot.end_time;
  showCountdown(time);
}

async function count() {
  const answer = await fetch(location.pathname, { headers: { accept: 'text/html' } }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const figures = page.querySelector('[data-figures]');
  if (figures === null) return;
  view.querySelector('[data-figures]').replaceWith(figures);
  for (const fresh of page.querySelectorAll('[data-live-view] [data-lot]')) {
    const row = rowOf(fresh.dataset.lot);
    // A price that the clock moves comes with no event.
    const counted = ['bidders', 'watchers', ...(fresh.hasAttribute('data-clock') ? ['price'] : [])];
    for (const name of row === null ? [] : counted) {
      setPart(row, name, fresh.querySelector(`[data-part="${name}"]`).textContent);
    }
  }
}

followMoves(view.dataset.liveView, move);
const timer = setInterval(count, EVERY_MS);
addEventListener('pagehide', () => clearInterval(timer));
