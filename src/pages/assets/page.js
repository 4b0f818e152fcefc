// Countdowns in lists, and the copy button; pages work without either.

/** `2d 03:12:09` until a time, or null once it has passed. */
function untilText(ms) {
  if (ms <= 0) return null;
  const seconds = Math.ceil(ms / 1000);
  const two = (n) => String(n).padStart(2, '0');
  const clock = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const days = Math.floor(seconds / 86_400);
  return days > 0 ? `${days}d ${clock}` : clock;
}
window.untilText = untilText;

const countdowns = document.querySelectorAll('time[data-countdown]');
function showCountdowns() {
  for (const time of countdowns) {
    time.title ||= time.textContent;
    const text = untilText(Date.parse(time.dateTime) - Date.now());
    time.textContent = text === null ? 'now' : `in ${text}`;
  }
}
if (countdowns.length > 0) {
  showCountdowns();
  setInterval(showCountdowns, 1000);
}

const copy = document.querySelector('[data-copy]');
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.querySelector('[data-token]').textContent);
    copy.textContent = 'Copied';
  });
}
