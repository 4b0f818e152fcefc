/** What every page does with JavaScript: countdowns, times, the menu, the bell, and the copy button. */
import { followAccount } from './account-stream.js';
import { startCountdowns } from './countdown.js';
import { startTimes } from './times.js';
import { words } from './words.js';

startCountdowns();
startTimes();

const menu = document.querySelector('[data-menu]');
document.addEventListener('click', (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu?.open) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});

for (const select of document.querySelectorAll('select[data-submits]')) {
  select.addEventListener('change', () => select.form.requestSubmit());
}

// On a phone menus and tabs are strips that scroll: where one is has to be in sight.
for (const place of document.querySelectorAll('.side [aria-current], .tabs [aria-current]'))
  place.scrollIntoView({ block: 'nearest', inline: 'center' });

const copy = document.querySelector('[data-copy]');
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.querySelector('[data-token]').textContent);
    copy.textContent = words('Copied');
  });
}

const bell = document.querySelector('[data-bell]');
if (bell) {
  const count = bell.querySelector('[data-unread]');
  followAccount((kind, data) => {
    if (kind !== 'notifications') return;
    count.hidden = data.unread === 0;
    count.textContent = data.unread > 99 ? '99+' : String(data.unread);
    const some = data.unread === 1 ? '{0} unread notification' : '{0} unread notifications';
    bell.setAttribute('aria-label', words(data.unread === 0 ? 'No unread notifications' : some, data.unread));
  });
}

const print = document.querySelector('[data-print]');
if (print) {
  print.hidden = false;
  print.addEventListener('click', () => window.print());
}
