/**
 * Times in the visitor's zone: those that the server wrote in another one are written again, and it is stored for the
 * next page. How long ago something was is kept true.
 */
import { serverNowMs } from './countdown.js';
import { LOCALE } from './words.js';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const WHOLE = new Intl.DateTimeFormat(LOCALE, {
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** `Jul 12, 2026, 10:00 AM EDT` */
export function timeText(iso) {
  return WHOLE.format(new Date(iso));
}

/** A time, or a period that has a second one: as the server writes them. */
function shownText({ dateTime, dataset }) {
  if (dataset.until === undefined) return timeText(dateTime);
  return WHOLE.formatRange(new Date(dateTime), new Date(dataset.until));
}

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const REFRESH_MS = 20_000;

/** `in 3 days`, `2 hours ago`: rounded, as the server writes them. */
export function agoText(iso) {
  const left = (Date.parse(iso) - serverNowMs()) / 1000;
  const seconds = Math.abs(left);
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[at] ?? ['second', 1];
  const n = Math.round(seconds / size);
  const above = UNITS[at < 0 ? UNITS.length - 1 : at - 1];
  const [shown, count] = above && n * size >= above[1] ? [above[0], 1] : [unit, n];
  return RELATIVE.format(Math.sign(left) * count, shown);
}

function showAgo() {
  for (const time of document.querySelectorAll('time[data-ago]')) time.textContent = agoText(time.dateTime);
}

export function startTimes() {
  setInterval(showAgo, REFRESH_MS);
  if (!zone || document.documentElement.dataset.zone === zone) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser yet.
  document.cookie = `zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
  for (const time of document.querySelectorAll('time[data-time]')) time.textContent = shownText(time);
}
