/** The place of a lot on its form: towns are offered while one types, and the map answers a click without a new page. */
const PAUSE_MS = 250;
const group = () => document.getElementById('field-location');
const fieldOf = (form) => form.elements['location.place'];
let timer = null;
let latest = 0;

/** The form's own answer, of which the place's part is shown. */
async function redraw(form, more) {
  latest += 1;
  const mine = latest;
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === 'string'));
  for (const [name, value] of Object.entries(more)) body.set(name, value);
  const answer = await fetch(form.action, { method: 'POST', body });
  if (mine !== latest) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.getElementById('field-location');
  if (fresh === null) return form.submit();
  const focused = group().contains(document.activeElement) ? document.activeElement.name : null;
  group().replaceWith(fresh);
  form.elements[focused]?.focus?.();
  enhance(form);
  form.dispatchEvent(new Event('input', { bubbles: true }));
}

async function offer(form) {
  const field = fieldOf(form);
  const q = field.value.trim();
  if (q.length < 2) return;
  const answer = await fetch(`/api/v1/places?${new URLSearchParams({ q })}`);
  if (!answer.ok || field.value.trim() !== q) return;
  const { data } = await answer.json();
  const list = document.getElementById('places-found');
  list.replaceChildren(
    ...data.map(({ name, state, postal_code: code }) => {
      const option = document.createElement('option');
      option.value = /\d/.test(q) ? `${code} ${name}, ${state}` : `${name}, ${state}`;
      return option;
    }),
  );
}

function enhance(form) {
  const frame = group().querySelector('.place-frame');
  frame.classList.add('wide');
  fieldOf(form).setAttribute('list', 'places-found');
  frame.querySelector('input').addEventListener('click', (event) => {
    event.preventDefault();
    if (event.detail === 0) return;
    const { left, top, width, height } = frame.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * Number(frame.dataset.width);
    const y = ((event.clientY - top) / height) * Number(frame.dataset.height);
    redraw(form, { 'map.x': x.toFixed(2), 'map.y': y.toFixed(2) }).catch(() => {});
  });
  for (const button of group().querySelectorAll('button[name="step"]'))
    button.addEventListener('click', (event) => {
      event.preventDefault();
      redraw(form, { step: button.value }).catch(() => {});
    });
  const field = fieldOf(form);
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => offer(form).catch(() => {}), PAUSE_MS);
  });
  field.addEventListener('change', () => {
    if (field.value.trim() !== '') redraw(form, { step: 'place' }).catch(() => {});
  });
}

const form = group()?.closest('form');
if (form) {
  const list = document.createElement('datalist');
  list.id = 'places-found';
  form.append(list);
  enhance(form);
}
