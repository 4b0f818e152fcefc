/** Follows a tract of a sale in any combination: what leads on it, its end. Works without, but not live. */
import { setServerTime } from './countdown.js';
import { startGallery } from './gallery.js';
import { words } from './words.js';

const root = document.querySelector('[data-lot]');
let shown = root.dataset.sequence;

/** Whatever happens to a tract changes what the page says of it; nothing is typed there. */
function showAgain() {
  setTimeout(() => location.replace(location.pathname), 300);
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
  for (const name of ['bid.placed', 'bid.voided', 'lot.snapshot', 'lot.extended', 'lot.closed'])
    source.addEventListener(name, (event) => {
      if (event.lastEventId === shown) return;
      shown = event.lastEventId || shown;
      showAgain();
    });
  source.addEventListener('tick', (event) => setServerTime(JSON.parse(event.data).server_time));
  addEventListener('pagehide', () => source.close());
}

startGallery();
if (root.dataset.status === 'active' || root.dataset.status === 'scheduled') follow();
