/** Reading a part of a page anew as things move. */

const SOON_MS = 150;

/**
 * Calls of what is returned lead to `read`: many at once to one, at the first of their moments; never two at a time, so
 * that no answer is shown over a newer one; and what moves while one is under way is read after it. A read that fails
 * is over: the network is away, and whoever follows says when it is back.
 */
export function rereading(read) {
  let next = null;
  let isReading = false;
  const again = (inMs) => setTimeout(begin, inMs);
  async function begin() {
    if (isReading) {
      next.timer = again(SOON_MS);
      return;
    }
    next = null;
    isReading = true;
    await Promise.resolve()
      .then(read)
      .catch(() => {});
    isReading = false;
  }
  return (inMs = SOON_MS) => {
    const dueMs = performance.now() + inMs;
    if (next !== null && next.dueMs <= dueMs) return;
    clearTimeout(next?.timer);
    next = { dueMs, timer: again(inMs) };
  };
}
