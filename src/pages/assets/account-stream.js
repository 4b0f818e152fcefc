/** The account's one stream: opened once per page, for all listeners, and only while the page is visible. */

const listeners = new Set();
let source = null;

/** Calls `listener(kind, data)` for everything that comes. */
export function followAccount(listener) {
  listeners.add(listener);
  open();
}

function open() {
  if (source !== null || document.hidden || listeners.size === 0) return;
  source = new EventSource(`/account/stream${document.querySelector('[data-my-bids]') ? '?bids=1' : ''}`);
  for (const kind of ['notifications', 'standing']) {
    source.addEventListener(kind, (event) => {
      for (const listener of listeners) listener(kind, JSON.parse(event.data));
    });
  }
  source.addEventListener('error', () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    source = null;
    setTimeout(open, 30_000);
  });
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return open();
  source?.close();
  source = null;
});
addEventListener('pagehide', () => source?.close());
