/** Follows a lot on a falling clock: the price as it falls, what is left, and who takes it. Works without, but not live. */
import { serverNowMs, showCountdown } from './countdown.js';
import { startGallery } from './gallery.js';
import { followLot, showAgain } from './lot-stream.js';
import { moneyText } from './money.js';
import { words } from './words.js';

const root = document.querySelector('[data-lot]');
const { currency } = root.dataset;
const desk = root.querySelector('[data-falling]');
const part = (name) => desk.querySelector(`[data-${name}]`);
let clock = JSON.parse(desk.dataset.falling);

/** Amounts are counted in thousandths, which every currency's are. */
const whole = (amount) => Math.round(Number(amount) * 1_000);
const amountOf = (thousandths) => (thousandths / 1_000).toFixed(clock.start_price.split('.')[1].length);
const money = (thousandths) => moneyText(amountOf(thousandths), currency);

function priceAfter(steps) {
  return Math.max(whole(clock.floor_price), whole(clock.start_price) - steps * whole(clock.step));
}

/** Shows the price of this moment, and what it falls to. */
function showPrice() {
  if (root.dataset.status !== 'active' || clock.paused) return;
  const ran = Math.max(0, serverNowMs() - Date.parse(clock.start_time));
  const steps = Math.floor(ran / (clock.step_seconds * 1_000));
  const [price, next] = [priceAfter(steps), priceAfter(steps + 1)];
  const text = money(price);
  if (part('price').textContent === text) return;
  part('price').textContent = text;
  const amount = part('amount');
  if (amount !== null) {
    amount.value = amountOf(price);
    part('buy').textContent = words('Buy at {0}', text);
  }
  part('next-fall').hidden = next === price;
  part('next-price').textContent = money(next);
  const at = part('next-at');
  if (at === null) return;
  at.dateTime = new Date(
    Date.parse(clock.start_time) + (steps + 1) * clock.step_seconds * 1_000,
  ).toISOString();
  showCountdown(at);
}

let isWaiting = false;

/** Reads the page anew, a moment after something has happened, and takes over what has changed. */
function readAgain() {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(async () => {
    isWaiting = false;
    const response = await fetch(location.pathname).catch(() => null);
    if (!response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const now = page.querySelector('[data-lot]');
    if (now.dataset.status !== root.dataset.status) return location.reload();
    clock = JSON.parse(now.querySelector('[data-falling]').dataset.falling);
    for (const name of ['left', 'bids']) {
      const [one, other] = [root, now].map((where) => where.querySelector(`[data-${name}]`));
      if (one && other) one.replaceChildren(...other.childNodes);
    }
    for (const name of ['no-bids', 'bid-table']) {
      root.querySelector(`[data-${name}]`).hidden = now.querySelector(`[data-${name}]`).hidden;
    }
  }, 200);
}

startGallery();
if (root.dataset.status === 'active' || root.dataset.status === 'scheduled') {
  const stream = followLot({
    root,
    on: {
      'lot.snapshot': readAgain,
      'bid.placed': readAgain,
      'lot.extended': readAgain,
      'lot.closed': () => {
        stream.stop();
        showAgain();
      },
    },
  });
  setInterval(showPrice, 250);
}
