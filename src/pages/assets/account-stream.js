/** The account's one stream: opened once per page, for all listeners, and only while the page is visible. */

const listeners = new Set();
const KINDS = ['notifications', 'standing', 'tick'];
let source = null;
let withBoard = false;
let wasOpen = false;

/**
 * Calls `listener(kind, data)` for everything that comes, and for `open` (`again`: it was open before) and `down`.
 * `what`: `board` adds the moves of the board's lots and ticks.
 */
export function followAccount(listener, what) {
  listeners.add(listener);
  if (what === 'board' && !withBoard) {
    withBoard = true;
    source?.close();
    source = null;
  }
  open();
}

function tell(kind, data) {
  for (const listener of listeners) listener(kind, data);
}

function open() {
  if (source !== null || document.hidden || listeners.size === 0) return;
  source = new EventSource(`/account/stream${withBoard ? '?board=1' : ''}`);
  for (const kind of KINDS) source.addEventListener(kind, (event) => tell(kind, JSON.parse(event.data)));
  source.addEventListener('open', () => {
    tell('open', { again: wasOpen });
    wasOpen = true;
  });
  source.addEventListener('error', () => {
    tell('down', {});
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
