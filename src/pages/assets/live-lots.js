/** Prices of the lots in a list, live over one stream: that of their auction. */
import { showCountdown } from './countdown.js';
import { moneyText } from './money.js';
import { followMoves } from './moves.js';

const list = document.querySelector('[data-stream]');
const LABELS = { sold: 'Sold for', passed: 'Last bid', unsold: 'Starting bid', withdrawn: 'Last bid' };

function show(lot) {
  const card = list.querySelector(`[data-lot="${lot.lot_id}"]`);
  if (card === null) return;
  const part = (name) => card.querySelector(`[data-live="${name}"]`);
  const hasBids = lot.bid_count > 0;
  const price = lot.hammer_price ?? (hasBids ? lot.current_bid : lot.starting_bid);
  const per = lot.hammer_price || !card.dataset.per ? '' : ` ${card.dataset.per}`;
  const amount = `${moneyText(price, card.dataset.currency)}${per}`;
  if (part('amount').textContent !== amount) {
    part('amount').textContent = amount;
    part('amount').classList.remove('changed');
    void card.offsetWidth;
    part('amount').classList.add('changed');
  }
  part('label').textContent = LABELS[lot.status] ?? (hasBids ? 'Current bid' : 'Starting bid');
  part('bids').textContent = hasBids
    ? `${lot.bid_count} ${lot.bid_count === 1 ? 'bid' : 'bids'}`
    : lot.bid_count === null
      ? ''
      : 'No bids';
  const time = card.querySelector('time[data-countdown]');
  if (lot.status === 'active' && time !== null) {
    time.dateTime = lot.end_time;
    showCountdown(time);
  } else if (lot.status !== 'active') {
    const pill = document.createElement('span');
    pill.className = `pill ${lot.status}`;
    pill.textContent = lot.status;
    part('until').classList.remove('soon');
    part('until').replaceChildren(pill);
  }
}

if (list) followMoves(list.dataset.stream, show);
