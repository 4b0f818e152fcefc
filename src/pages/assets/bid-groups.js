/** Keeps the page of bid groups true: reads it anew when something of one's own has moved, and every few seconds. */
import { followAccount } from './account-stream.js';

const OFTEN_MS = 5_000;
const SOON_MS = 300;

const groups = document.querySelector('[data-bid-groups]');
let due = null;

const controls = () => [...groups.querySelectorAll('a, button')];
const nameOf = (control) => `${control.getAttribute('href')} ${control.closest('form')?.action}`;

async function refresh() {
  due = null;
  try {
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
  } catch {
    // The network is away; the next time shows what is true then.
  }
}

function soon() {
  if (due === null) due = setTimeout(refresh, SOON_MS);
}

if (groups?.querySelector('[data-active]')) {
  followAccount((kind) => {
    if (kind !== 'tick' && kind !== 'down') soon();
  }, 'board');
  setInterval(() => {
    if (!document.hidden) soon();
  }, OFTEN_MS);
}
