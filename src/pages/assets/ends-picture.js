/** The picture of how a sale's lots will end, drawn anew by the server while its form is filled in. */
const PAUSE_MS = 300;
const FIELDS = /^(stagger_seconds|soft_close\.|end_time|type$|format$)/;

let timer = null;
let latest = 0;

async function redraw(form) {
  latest += 1;
  const mine = latest;
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === 'string'));
  body.set('step', 'ends');
  const answer = await fetch(form.action, { method: 'POST', body, headers: { 'x-fragment': 'ends' } });
  if (!answer.ok || mine !== latest) return;
  const drawn = new DOMParser()
    .parseFromString(await answer.text(), 'text/html')
    .querySelector('[data-ends]');
  const shown = document.querySelector('[data-ends]');
  if (drawn && shown) shown.replaceWith(drawn);
}

const form = document.querySelector('[data-ends]')?.closest('form');
form?.addEventListener('input', ({ target }) => {
  if (!FIELDS.test(target.name)) return;
  clearTimeout(timer);
  timer = setTimeout(() => redraw(form).catch(() => {}), PAUSE_MS);
});
