/** One's own bids, live over the account's stream. */
import { followAccount } from './account-stream.js';
import { moneyText } from './money.js';

const WORDS = { leading: 'Leading', outbid: 'Outbid', won: 'Won', lost: 'Lost' };
const list = document.querySelector('[data-my-bids]');

if (list) {
  followAccount((kind, data) => {
    const item = kind === 'standing' ? list.querySelector(`[data-lot="${data.lot_id}"]`) : null;
    if (item === null) return;
    // A result has more to it than a word: an invoice, a price.
    if (data.status !== 'active' && item.querySelector('[data-open]')) return location.reload();
    const part = (name) => item.querySelector(`[data-live="${name}"]`);
    part('standing').className = `pill ${data.standing}`;
    part('standing').textContent = WORDS[data.standing];
    part('price').textContent = moneyText(data.current_bid, item.dataset.currency);
    if (data.standing !== 'leading') part('max')?.remove();
    const again = part('again');
    if (again) again.textContent = data.standing === 'outbid' ? 'Bid again' : 'See the lot';
    const time = item.querySelector('time[data-countdown]');
    if (time) time.dateTime = data.end_time;
  });
}
