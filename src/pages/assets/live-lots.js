/** Prices of the lots in a list, live over one stream: that of their auction. */
import { showCountdown } from './countdown.js';
import { aboutText, moneyText } from './money.js';
import { followMoves } from './moves.js';
import { words } from './words.js';

const list = document.querySelector('[data-stream]');

/** Nothing where the format tells nobody now. */
function bidsText({ bid_count: count }) {
  if (count === null) return '';
  return count === 0 ? words('No bids') : words(count === 1 ? '{0} bid' : '{0} bids', count);
}

function labelOf({ status }, isBid) {
  if (status === 'sold') return 'Sold for';
  if (!isBid) return 'Starting bid';
  return status === 'active' || status === 'scheduled' ? 'Current bid' : 'Last bid';
}

function show(lot) {
  const card = list.querySelector(`[data-lot="${lot.lot_id}"]`);
  if (card === null) return;
  const part = (name) => card.querySelector(`[data-live="${name}"]`);
  // A tract that was bid on with others only has bids, and none of its own.
  const isBid = Number(lot.current_bid) > 0;
  const price = lot.hammer_price ?? (isBid ? lot.current_bid : lot.starting_bid);
  const per = lot.hammer_price || !card.dataset.per ? '' : ` ${card.dataset.per}`;
  const amount = `${moneyText(price, card.dataset.currency)}${per}`;
  if (part('amount').textContent !== amount) {
    part('amount').textContent = amount;
    part('amount').classList.remove('changed');
    void card.offsetWidth;
    part('amount').classList.add('changed');
  }
  if (part('about')) part('about').textContent = words('About {0}', aboutText(part('about'), price));
  part('label').textContent = words(labelOf(lot, isBid));
  part('bids').textContent = bidsText(lot);
  const time = card.querySelector('time[data-countdown]');
  if (lot.status === 'active' && time !== null) {
    time.dateTime = lot.end_time;
    showCountdown(time);
  } else if (lot.status !== 'active') {
    const pill = document.createElement('span');
    pill.className = `pill ${lot.status}`;
    pill.textContent = words(lot.status);
    part('until').classList.remove('soon');
    part('until').replaceChildren(pill);
  }
}

if (list) followMoves(list.dataset.stream, show);
