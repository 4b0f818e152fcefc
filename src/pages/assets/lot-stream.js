/**
 * Follows a lot's stream for its page: from the moment of the journal that the page shows, by the server's time, saying
 * whether it is connected.
 */
import { setServerTime } from './countdown.js';
import { words } from './words.js';

/** The browser gives up where the stream is full for now, or not ours to follow. */
const AGAIN_MS = 10_000;

/**
 * Hands each event to the one of its name in `on`, with `{ id, isNew }`: its place in the journal, and whether that is
 * another one than the page or the event before has shown. `isRunning`: whether there is anything left to follow.
 */
export function followLot({ root, lotId = root.dataset.lot, isRunning = () => true, on }) {
  const link = root.querySelector('[data-link]');
  let shown = root.dataset.sequence;
  let isOver = false;
  let source;
  const connect = () => {
    if (isOver) return;
    source = new EventSource(`/api/v1/lots/${lotId}/stream?last_event_id=${shown}`);
    source.onopen = () => {
      link.textContent = words('Connected');
    };
    source.onerror = () => {
      link.textContent = isRunning() ? words('Reconnecting…') : '';
      if (source.readyState === EventSource.CLOSED && isRunning()) setTimeout(connect, AGAIN_MS);
    };
    source.addEventListener('tick', ({ data }) => setServerTime(JSON.parse(data).server_time));
    for (const [name, handle] of Object.entries(on))
      source.addEventListener(name, ({ data, lastEventId: id }) => {
        const isNew = id !== shown;
        shown = id || shown;
        handle(JSON.parse(data), { id, isNew });
      });
  };
  connect();
  const stop = () => {
    isOver = true;
    source.close();
  };
  addEventListener('pagehide', stop);
  return { stop };
}

/** Shows the page anew, a moment after something has changed all of it. */
export function showAgain() {
  setTimeout(() => location.replace(location.pathname), 300);
}
