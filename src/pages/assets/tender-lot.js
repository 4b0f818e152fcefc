/** Follows a lot that is sold by tender: its times, its final round and its end. Works without, but not live. */
import { startGallery } from './gallery.js';
import { followLot, showAgain } from './lot-stream.js';
import { startCost } from './would-cost.js';

const root = document.querySelector('[data-lot]');
const form = root.querySelector('form.bid');
const { currency, starting } = root.dataset;

/** Whatever shows of a tender changes the whole page: its times, its round, its end. Whoever types is not interrupted. */
function again(_, { isNew }) {
  const field = document.activeElement;
  if (!isNew) return;
  if (field?.name === 'amount') field.addEventListener('blur', showAgain, { once: true });
  else showAgain();
}

startGallery();
startCost(root.querySelector('[data-cost]'), form, { currency, minimum: form?.dataset.standing ?? starting });
if (root.dataset.status === 'active' || root.dataset.status === 'scheduled')
  followLot({ root, on: { 'lot.snapshot': again, 'lot.extended': again, 'lot.closed': again } });
