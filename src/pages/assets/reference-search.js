/** The reference's search without loading the page again: what does not hold every word is hidden while one types. */
const form = document.querySelector('[data-reference-search]');

function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const one of document.querySelectorAll('[data-searched]')) {
    const fits = words.every((word) => one.dataset.searched.includes(word));
    one.hidden = !fits;
    const entry = document.querySelector(`[data-entry="${one.dataset.of}"]`);
    if (entry) entry.hidden = !fits;
    if (fits) found += 1;
  }
  for (const group of document.querySelectorAll('[data-group]'))
    group.hidden = group.querySelector('[data-searched]:not([hidden]), [data-entry]:not([hidden])') === null;
  const said = words.length === 0 ? '' : `${found} ${found === 1 ? 'operation' : 'operations'} found.`;
  document.querySelector('[data-found]').textContent = said;
}

// A page that was found for some words holds only those operations: then the server searches.
if (form && !new URLSearchParams(location.search).get('q')) {
  form.q.addEventListener('input', () => filter(form.q.value));
  form.addEventListener('submit', (event) => event.preventDefault());
}
