/** While papers are being made, the list shows how far they are without loading again. */

const EVERY_MS = 700;

async function poll() {
  const shown = document.querySelector('[data-papers]');
  if (shown.dataset.papers !== 'under-way') return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.querySelector('[data-papers]');
    if (fresh !== null) update(shown, fresh);
  }
  setTimeout(poll, EVERY_MS);
}

/** Only what has changed is drawn again, so that a button keeps the focus. */
function update(shown, fresh) {
  const rows = [...shown.querySelectorAll('li')];
  const others = [...fresh.querySelectorAll('li')];
  const isSame = rows.length === others.length && rows.every((row, index) => row.id === others[index].id);
  if (!isSame) {
    shown.replaceWith(fresh);
    return;
  }
  shown.dataset.papers = fresh.dataset.papers;
  for (const [index, row] of rows.entries()) {
    const bar = row.querySelector('progress');
    const next = others[index].querySelector('progress');
    if (bar === null || next === null) {
      if (bar !== next) row.replaceWith(others[index]);
    } else {
      bar.value = next.value;
      const [words, nextWords] = [row, others[index]].map((one) => one.querySelector('.row > .muted'));
      if (words.textContent !== nextWords.textContent) words.textContent = nextWords.textContent;
    }
  }
}

setTimeout(poll, EVERY_MS);
