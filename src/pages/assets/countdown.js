/** The server's clock in the browser, and every countdown by it. */
import { LOCALE, words } from './words.js';

const HOUR_MS = 3_600_000;

/** How far the server's clock is ahead of this one, in milliseconds: from the page, then from each tick of a stream. */
let aheadMs = firstGuess();

function firstGuess() {
  const said = document.querySelector('meta[name="server-time"]')?.content;
  if (said === undefined) return 0;
  const [navigation] = performance.getEntriesByType('navigation');
  const arrivedMs = performance.timeOrigin + (navigation?.responseStart ?? performance.now());
  return Date.parse(said) - arrivedMs;
}

export function setServerTime(iso) {
  aheadMs = Date.parse(iso) - Date.now();
}

/** Milliseconds since 1970 by the server's clock. */
export function serverNowMs() {
  return Date.now() + aheadMs;
}

const unit = (name) => new Intl.NumberFormat(LOCALE, { style: 'unit', unit: name, unitDisplay: 'short' });
const [DAYS, HOURS, MINUTES] = ['day', 'hour', 'minute'].map(unit);

/** Two units, the second only where it is not 0. */
function inTwo(large, count, small, rest) {
  return rest === 0 ? large.format(count) : `${large.format(count)} ${small.format(rest)}`;
}

/**
 * What matters of the time until another: `2 days 3 hr`, `3 hr 12 min`, and `12:09` in the last hour; null once it has
 * passed. The server says the same of a time that is an hour away or more.
 */
function untilText(ms) {
  if (ms <= 0) return null;
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return inTwo(HOURS, hours, MINUTES, minutes % 60);
  return inTwo(DAYS, Math.floor(hours / 24), HOURS, hours % 24);
}

/** Shows one `<time data-countdown>`; `data-over` is what it says once the time has passed. */
export function showCountdown(time) {
  const leftMs = Date.parse(time.dateTime) - serverNowMs();
  time.textContent = untilText(leftMs) ?? time.dataset.over ?? words('now');
  time.closest('[data-soon]')?.classList.toggle('soon', leftMs < HOUR_MS);
}

function showAll() {
  for (const time of document.querySelectorAll('time[data-countdown]')) showCountdown(time);
}

export function startCountdowns() {
  showAll();
  setInterval(showAll, 1000);
}
