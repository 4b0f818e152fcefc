/** The office's figures, read again every two seconds as HTML, until the reader pauses it. */
import { words } from './words.js';

const EVERY_MS = 2_000;

const figures = document.querySelector('[data-live-figures]');
const button = document.querySelector('[data-pause]');
const stale = document.querySelector('[data-stale]');
let paused = false;

async function renew() {
  if (paused || document.hidden) return;
  try {
    const answer = await fetch(figures.dataset.liveFigures, { headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const html = await answer.text();
    if (!paused) figures.innerHTML = html;
    stale.hidden = true;
  } catch {
    stale.hidden = false;
  }
}

if (figures) {
  button.hidden = false;
  button.addEventListener('click', () => {
    paused = !paused;
    button.textContent = words(paused ? 'Go on' : 'Pause');
    void renew();
  });
  const again = () => void renew().finally(() => setTimeout(again, EVERY_MS));
  setTimeout(again, EVERY_MS);
}
