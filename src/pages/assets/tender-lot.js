/** Follows a lot that is sold by tender: its times, its final round and its end. Works without, but not live. */
import { setServerTime } from './countdown.js';
import { startGallery } from './gallery.js';
import { words } from './words.js';
import { startCost } from './would-cost.js';

const root = document.querySelector('[data-lot]');
const form = root.querySelector('form.bid');
const { currency, starting } = root.dataset;
let shown = root.dataset.sequence;

/** Whatever shows of a tender changes the whole page: its times, its round, its end. Whoever types is not interrupted. */
function showAgain() {
  const field = document.activeElement;
  const again = () => setTimeout(() => location.replace(location.pathname), 300);
  if (field?.name === 'amount') field.addEventListener('blur', again, { once: true });
  else again();
}

function follow() {
  const source = new EventSource(`/api/v1/lots/${root.dataset.lot}/stream?last_event_id=${shown}`);
  const link = root.querySelector('[data-link]');
  source.onopen = () => {
    link.textContent = words('Connected');
  };
  source.onerror = () => {
    link.textContent = words('Reconnecting…');
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 10_000);
  };
  for (const name of ['lot.snapshot', 'lot.extended', 'lot.closed'])
    source.addEventListener(name, (event) => {
      if (event.lastEventId === shown) return;
      shown = event.lastEventId || shown;
      showAgain();
    });
  source.addEventListener('tick', (event) => setServerTime(JSON.parse(event.data).server_time));
  addEventListener('pagehide', () => source.close());
}

startGallery();
startCost(root.querySelector('[data-cost]'), form, { currency, minimum: form?.dataset.standing ?? starting });
if (root.dataset.status === 'active' || root.dataset.status === 'scheduled') follow();
