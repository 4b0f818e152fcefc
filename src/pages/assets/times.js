/** Times in the visitor's zone: those that the server wrote in another one are written again, and it is told for the next page. */

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const WHOLE = new Intl.DateTimeFormat('en-US', {
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

export function startTimes() {
  if (!zone || document.documentElement.dataset.zone === zone) return;
  document.cookie = `zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
  for (const time of document.querySelectorAll('time[data-time]')) time.textContent = timeText(time.dateTime);
}
