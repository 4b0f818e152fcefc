/** The server's clock in the browser, and every countdown by it. */
import { words } from './words.js';

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

/** `2d 03:12:09` until a time, or null once it has passed. */
function untilText(ms) {
  if (ms <= 0) return null;
  const seconds = Math.ceil(ms / 1000);
  const two = (n) => String(n).padStart(2, '0');
  const hours = two(Math.floor(seconds / 3600) % 24);
  const clock = `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const days = Math.floor(seconds / 86_400);
  return days > 0 ? `${days}d ${clock}` : clock;
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
