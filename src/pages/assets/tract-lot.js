/** Follows a tract of a sale in any combination: what leads on it, its end. Works without, but not live. */
import { startGallery } from './gallery.js';
import { followLot, showAgain } from './lot-stream.js';

const root = document.querySelector('[data-lot]');
// Whatever happens to a tract changes what the page says of it; nothing is typed there.
const again = (_, { isNew }) => isNew && showAgain();
const NAMES = ['bid.placed', 'bid.voided', 'lot.snapshot', 'lot.extended', 'lot.closed'];

startGallery();
if (root.dataset.status === 'active' || root.dataset.status === 'scheduled')
  followLot({ root, on: Object.fromEntries(NAMES.map((name) => [name, again])) });
