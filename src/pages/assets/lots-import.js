/** While a file of lots is being taken, the page shows how far it is without loading again. */

const EVERY_MS = 400;
const RUNNING = ['checking', 'importing'];

async function poll() {
  const shown = document.querySelector('[data-import]');
  if (!RUNNING.includes(shown.dataset.import)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.querySelector('[data-import]');
    // The button keeps the focus while only the numbers move.
    if (fresh.dataset.import !== shown.dataset.import) shown.replaceWith(fresh);
    else {
      shown.querySelector('progress').value = fresh.querySelector('progress').value;
      shown.querySelector('p').textContent = fresh.querySelector('p').textContent;
    }
  }
  setTimeout(poll, EVERY_MS);
}

setTimeout(poll, EVERY_MS);
