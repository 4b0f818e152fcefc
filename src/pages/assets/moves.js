/** The moves of an auction's lots, from what a page has drawn on: none is lost however often the connection is. */
import { setServerTime } from './countdown.js';

const AGAIN_MS = 10_000;

/** Calls `show` with every lot that has moved, for as long as the page is open. */
export function followMoves(address, show) {
  let source = null;
  let last = null;
  let wasOpen = false;
  const open = () => {
    const from = new URL(address, location.href);
    if (last !== null) from.searchParams.set('since', last);
    source = new EventSource(from);
    for (const name of ['lot.moved', 'tick']) {
      source.addEventListener(name, (event) => {
        last = event.lastEventId || last;
        const data = JSON.parse(event.data);
        if (name === 'tick') setServerTime(data.server_time);
        else show(data);
      });
    }
    // Another lot is on the block, or may have been put there while the connection was away.
    const tellBlock = () => document.dispatchEvent(new CustomEvent('saleroom.block'));
    source.addEventListener('saleroom.block', tellBlock);
    source.addEventListener('open', () => {
      if (wasOpen) tellBlock();
      wasOpen = true;
    });
    // The browser gave up, since the answer was no stream: it takes up again where it was.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(open, AGAIN_MS);
    });
  };
  open();
  addEventListener('pagehide', () => source.close());
}
