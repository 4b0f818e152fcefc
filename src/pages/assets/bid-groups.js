/** Keeps the page of bid groups true: reads it anew when something of one's own has moved, and every few seconds. */
import { followAccount } from './account-stream.js';
import { rereading } from './reread.js';

const OFTEN_MS = 5_000;
const SOON_MS = 300;

const groups = document.querySelector('[data-bid-groups]');

const controls = () => [...groups.querySelectorAll('a, button')];
const nameOf = (control) => `${control.getAttribute('href')} ${control.closest('form')?.action}`;

const refresh = rereading(async () => {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!response.ok || response.redirected) return;
  const read = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = read.querySelector('[data-bid-groups]');
  // Never under a finger.
  if (groups.querySelector(':active') !== null) return;
  const focused = groups.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  groups.replaceChildren(...fresh.childNodes);
  if (focused !== null)
    controls()
      .find((one) => nameOf(one) === focused)
      ?.focus({ preventScroll: true });
});

if (groups?.querySelector('[data-active]')) {
  followAccount((kind) => {
    if (kind !== 'tick' && kind !== 'down') refresh(SOON_MS);
  }, 'board');
  setInterval(() => {
    if (!document.hidden) refresh(SOON_MS);
  }, OFTEN_MS);
}
