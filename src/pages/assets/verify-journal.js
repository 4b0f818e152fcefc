/**
 * The page that checks journals: the verifier that everybody can download runs here, in the visitor's browser, on a lot
 * of this service or on a file, and every step is shown.
 */
import { bundleOf, fetchBundle, verify, verifyReceipt } from '/verify.mjs';
import { words } from './words.js';

const part = (name) => document.querySelector(`[data-${name}]`);

function report(kind, text) {
  const verdict = part('verdict');
  part('result').hidden = false;
  verdict.className = kind === '' ? '' : `notice ${kind}`;
  verdict.textContent = text;
}

function showSteps(steps) {
  part('steps-title').hidden = steps.length === 0;
  part('steps').replaceChildren(
    ...steps.map((step) => {
      const item = document.createElement('li');
      item.textContent = step;
      return item;
    }),
  );
}

function offerFile(bundle) {
  const link = part('save');
  if (link.href !== '') URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([JSON.stringify(bundle)], { type: 'application/json' }));
  link.hidden = false;
}

/** With a receipt in the form, whether the journal holds it too. */
function judged(bundle) {
  const [bid, hash] = [part('receipt-bid').value.trim(), part('receipt-hash').value.trim()];
  return bid === '' && hash === '' ? verify(bundle) : verifyReceipt(bundle, { bid, hash });
}

let running = 0;

/** Reads a bundle and checks it; of two at once the later one is shown. */
async function check(reading, failure) {
  running += 1;
  const own = running;
  showSteps([]);
  part('save').hidden = true;
  report('', words('Reading the journal…'));
  const bundle = await reading().catch(() => null);
  if (own !== running) return;
  if (bundle === null) return report('bad', failure);
  report('', 'Checking…');
  const result = await judged(bundle).catch(() => null);
  if (own !== running) return;
  if (result === null) return report('bad', words('This file contains no journal that can be checked.'));
  showSteps(result.steps);
  offerFile(bundle);
  if (result.ok) return report('good', words('All checks passed.'));
  const { sequence, message } = result.fault;
  report('bad', `Something is wrong${sequence === null ? '' : ` with entry ${sequence}`}: ${message}.`);
}

function checkLot(lot) {
  const missing = words(
    'There is no such lot, or it is not public, or the service cannot be reached at the moment.',
  );
  return check(() => fetchBundle(location.origin, lot), missing);
}

part('verify').addEventListener('submit', (event) => {
  event.preventDefault();
  const lot = part('lot').value.trim();
  const query = new URLSearchParams({ lot });
  for (const name of ['bid', 'hash']) {
    const typed = part(`receipt-${name}`).value.trim();
    if (typed !== '') query.set(name, typed);
  }
  history.replaceState(null, '', `/verify?${query}`);
  void checkLot(lot);
});
part('verify-file').hidden = false;
part('file').addEventListener('change', ({ target }) => {
  const [file] = target.files;
  if (file)
    void check(
      async () => bundleOf(JSON.parse(await file.text())),
      words('This file cannot be read: it is not JSON.'),
    );
});
if (part('lot').value !== '') void checkLot(part('lot').value);
