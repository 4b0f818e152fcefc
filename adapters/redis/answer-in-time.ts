/**
 * An answer, or a refusal to wait longer. Timers come before reads in a turn of the event loop, so a loop that was
 * blocked would find its bound passed before it has read the answer that is in the socket. The bound therefore counts
 * only what the process could have used: after a standstill it waits a little longer, and it always reads once more.
 */

/** A timer that fires later than this shows that the loop was blocked. */
const LATE_MS = 50;

/** What a call gets after a standstill: it may have been written only now. */
const GRACE_MS = 250;

/**
 * The answer as it comes, or a rejection with `late()` where none came within `limitMs` milliseconds. A reply that is
 * there when this process gets to read it is never late.
 */
export function answerInTime<T>(answer: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let timer = setTimeout(check, limitMs);
    const dueMs = performance.now() + limitMs;

    function check(): void {
      if (performance.now() - dueMs > LATE_MS) timer = setTimeout(readOnce, GRACE_MS);
      else readOnce();
    }

    /** Sockets are read between this turn's timers and the second of these. */
    function readOnce(): void {
      setImmediate(() => setImmediate(giveUp));
    }

    function giveUp(): void {
      if (!isSettled) reject(late());
    }

    function settle(): void {
      isSettled = true;
      clearTimeout(timer);
    }

    // One promise for both: a bid's own way leads through here.
    answer.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}
