/**
 * The board on the evening of a sale: rows move over the account's stream, what ends next stays on top, one tap bids.
 * A tap while the network is away is kept and sent with its key when it is back, as long as it would still lead.
 */
import { followAccount } from './account-stream.js';
import { newKey, startBidForm } from './bid-form.js';
import { serverNowMs, setServerTime, showCountdown } from './countdown.js';
import { aboutText, moneyText } from './money.js';
import { rereading } from './reread.js';
import { words } from './words.js';

const WORDS = {
  leading: words('Leading'),
  outbid: words('Outbid'),
  watching: words('Watching'),
  reserve_not_met: words('Reserve not met'),
};
const KEPT = 'rostrum-kept-bids';
/** Twice the time between two ticks, and a little. */
const SILENT_MS = 12_000;

const board = document.querySelector('[data-board]');
const staleNotice = document.querySelector('[data-board-stale]');
const dialog = document.querySelector('[data-confirm]');
/** By lot, the newest move of each: laid over rows that were read before it came. */
const moves = new Map();
/** Lots on which a tap of this page has bid: who is not leading there is outbid. */
const bidOn = new Set();
/** By lot, what was said of a tap: it stays when rows are read anew. */
const saidOf = new Map();
let heardMs = Date.now();
let isDown = false;

const rowOf = (lotId) => board.querySelector(`[data-my-board] > [data-lot="${lotId}"]`);
const part = (row, name) => row.querySelector(`[data-live="${name}"]`);
const wordOf = (move) => (move.standing === 'watching' && bidOn.has(move.lot_id) ? 'outbid' : move.standing);
const leads = (standing) => standing === 'leading' || standing === 'reserve_not_met';

function say(row, kind, text, way) {
  if (text === '') saidOf.delete(row.dataset.lot);
  else saidOf.set(row.dataset.lot, [kind, text, way]);
  const said = row.querySelector('[data-said]');
  if (said === null) return;
  said.className = `small said ${kind}`;
  said.textContent = text;
  if (!way) return;
  const link = document.createElement('a');
  link.href = way.href;
  link.textContent = way.label;
  said.append(' ', link);
}

const wanted = new Set();

/** A lot that was bid on or watched since the board was read: the board is read again, once for each. */
function showNew(lotId) {
  if (wanted.has(lotId)) return;
  wanted.add(lotId);
  void refresh();
}

function showMove(move) {
  const row = rowOf(move.lot_id);
  if (row === null) return showNew(move.lot_id);
  if (move.sequence < Number(row.dataset.sequence)) return;
  // What is over has more to it than a word: an invoice, a price.
  if (!(move.standing in WORDS)) return void refresh();
  const standing = wordOf(move);
  const { currency } = row.dataset;
  if (row.dataset.standing !== standing) say(row, '', '');
  Object.assign(row.dataset, {
    sequence: move.sequence,
    ends: move.end_time,
    standing,
    now: move.total_now,
    most: move.total_at_most,
  });
  part(row, 'standing').className = `pill ${standing}`;
  part(row, 'standing').textContent = WORDS[standing];
  showPrice(row, move);
  part(row, 'max').hidden = move.max_amount === null;
  part(row, 'max').textContent =
    move.max_amount === null ? '' : words('my maximum {0}', moneyText(move.max_amount, currency));
  const time = row.querySelector('time[data-countdown]');
  if (time !== null && move.status === 'active') {
    time.dateTime = move.end_time;
    showCountdown(time);
  }
  const form = row.querySelector('[data-raise]');
  if (move.next_amount === null || form.hidden) return;
  form.elements.max_amount.value = move.next_amount;
  form.elements.confirm.disabled = !leads(standing);
  part(row, 'button').classList.toggle('quiet', leads(standing));
  part(row, 'button').textContent = words('Bid {0}', moneyText(move.next_amount, currency));
}

function showPrice(row, move) {
  const isOnClock = move.next_price !== undefined;
  if (isOnClock) row.dataset.falls = move.next_price_at ?? '';
  // A tract that was bid on with others only has bids, and none of its own.
  const isBid = Number(move.current_bid) > 0 && !isOnClock;
  const word = isOnClock ? (move.status === 'active' ? 'Price now' : 'Starts at') : 'Minimum bid';
  part(row, 'label').textContent = words(isBid ? 'Current bid' : word);
  const price = isBid ? move.current_bid : move.minimum_next_bid;
  part(row, 'price').textContent = moneyText(price, row.dataset.currency);
  const about = part(row, 'about');
  if (about !== null) about.textContent = words('About {0}', aboutText(about, price));
}

/** What one would pay, by currency, in the smallest unit: sums of texts with as many decimals as the currency has. */
function showSums() {
  const sums = { now: new Map(), most: new Map() };
  for (const { dataset } of board.querySelectorAll('[data-my-board] > [data-lot]')) {
    if (!leads(dataset.standing)) continue;
    for (const name of ['now', 'most']) {
      const thousandths = Math.round(Number(dataset[name]) * 1000);
      sums[name].set(dataset.currency, (sums[name].get(dataset.currency) ?? 0) + thousandths);
    }
  }
  const box = board.querySelector('[data-sums]');
  if (box === null) return;
  box.hidden = sums.most.size === 0;
  for (const [name, byCurrency] of Object.entries(sums)) {
    const texts = [...byCurrency].map(([currency, thousandths]) => moneyText(thousandths / 1000, currency));
    box.querySelector(`[data-sum="${name}"]`).textContent = texts.join(' + ');
    const about = box.querySelector(`[data-sum-about="${name}"]`);
    if (about === null) continue;
    // Of another currency its rate is not the one that stands here.
    about.hidden = [...byCurrency.keys()].some((currency) => currency !== about.dataset.of);
    const thousandths = byCurrency.get(about.dataset.of) ?? 0;
    about.textContent = words('About {0}', aboutText(about, thousandths / 1000));
  }
}

let ordering;

/** Puts what ends next on top, but never under a finger. */
function order() {
  clearTimeout(ordering);
  ordering = setTimeout(() => {
    const list = board.querySelector('[data-my-board]');
    if (list === null) return;
    if (list.querySelector(':active') !== null) return order();
    const rows = [...list.children];
    const sorted = rows.toSorted((a, b) => Date.parse(a.dataset.ends) - Date.parse(b.dataset.ends));
    if (sorted.every((row, at) => row === rows[at])) return;
    const focused = document.activeElement;
    list.append(...sorted);
    if (list.contains(focused)) focused.focus({ preventScroll: true });
  }, 300);
}

/** Reads the whole board anew: after a gap, and where a lot is over. What it shows is true of now once that worked. */
const refreshIn = rereading(async () => {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (response.redirected) return location.reload();
  if (!response.ok) return;
  const read = new DOMParser().parseFromString(await response.text(), 'text/html');
  const focused = document.activeElement?.closest?.('[data-lot]')?.dataset.lot;
  board.replaceChildren(...read.querySelector('[data-board]').childNodes);
  startForms();
  for (const time of board.querySelectorAll('time[data-countdown]')) showCountdown(time);
  for (const [lotId, said] of saidOf) {
    const row = rowOf(lotId);
    if (row !== null) say(row, ...said);
  }
  // What was read is as new as a move of the same number, and the clock may have moved its price since.
  for (const move of moves.values())
    if (move.sequence > Number(rowOf(move.lot_id)?.dataset.sequence)) showMove(move);
  showSums();
  order();
  if (focused) rowOf(focused)?.querySelector('[data-live="button"]')?.focus({ preventScroll: true });
  if (navigator.onLine) setUp();
  sendKept();
});
const refresh = () => refreshIn(0);

const readKept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? '{}');

function changeKept(lotId, tap) {
  const kept = readKept();
  if (tap === null) delete kept[lotId];
  else kept[lotId] = tap;
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
}

/** Sends what was tapped while the network was away, by rows that are known to be of now. */
function sendKept() {
  for (const [lotId, { key, amount, isConfirmed }] of Object.entries(readKept())) {
    const row = rowOf(lotId);
    const form = row?.querySelector('[data-raise]');
    changeKept(lotId, null);
    if (!form || form.hidden) continue;
    const least = Number(form.elements.max_amount.value);
    const shown = moneyText(amount, row.dataset.currency);
    if (!leads(row.dataset.standing) && Number(amount) < least) {
      say(row, 'bad', words('Your bid of {0} was not sent: it would no longer lead.', shown));
      continue;
    }
    Object.assign(form.elements.key, { value: key });
    form.elements.max_amount.value = amount;
    form.elements.confirm.disabled = !isConfirmed;
    form.requestSubmit();
  }
}

function startForms() {
  for (const form of board.querySelectorAll('[data-raise]')) {
    const row = form.closest('[data-lot]');
    startBidForm(form, part(row, 'button'), dialog, {
      say: (kind, text, way) => say(row, kind, text, way),
      onPlaced(data, message) {
        bidOn.add(Number(row.dataset.lot));
        say(row, data.outcome === 'outbid' ? 'bad' : 'good', message);
        if (isDown) refresh();
      },
      onNoAnswer() {
        const { key, max_amount: amount, confirm } = form.elements;
        changeKept(row.dataset.lot, { key: key.value, amount: amount.value, isConfirmed: !confirm.disabled });
        key.value = newKey();
        const shown = moneyText(amount.value, row.dataset.currency);
        say(
          row,
          'warn',
          words('Your bid of {0} is kept, and sent when the network is back if it still leads.', shown),
        );
        setDown();
      },
    });
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', second: '2-digit' });

function setDown() {
  isDown = true;
  staleNotice.hidden = false;
  staleNotice.textContent = words('Not up to date since {0}.', clock.format(new Date(heardMs)));
}

function setUp() {
  isDown = false;
  staleNotice.hidden = true;
}

function hear(kind, data) {
  if (kind === 'down') return setDown();
  heardMs = Date.now();
  if (kind === 'open') {
    // Listening first, then reading: nothing that moves between them is lost.
    if (isDown || data.again) void refresh();
    return;
  }
  if (kind === 'tick') {
    setServerTime(data.server_time);
    if (isDown) void refresh();
    return;
  }
  if (kind !== 'standing') return;
  moves.set(data.lot_id, data);
  showMove(data);
  showSums();
  order();
}

if (board) {
  startForms();
  followAccount(hear, 'board');
  addEventListener('offline', setDown);
  addEventListener('online', () => void refresh());
  setInterval(() => {
    if (!document.hidden && Date.now() - heardMs > SILENT_MS) setDown();
  }, 1_000);
  if (Object.keys(readKept()).length > 0) void refresh();
  // A lot whose end has come is over in a moment, whether or not its close was told; and the clock moves some prices.
  setInterval(() => {
    const isLate = ({ dataset }) => Date.parse(dataset.ends) < serverNowMs() - 3_000;
    const hasFallen = ({ dataset }) => Date.parse(dataset.falls ?? '') <= serverNowMs();
    const isOld = (row) => hasFallen(row) || (isLate(row) && row.querySelector('time[data-countdown]'));
    const rows = [...board.querySelectorAll('[data-my-board] > [data-lot]')];
    if (!document.hidden && !isDown && rows.some(isOld)) void refresh();
  }, 5_000);
}
