/**
 * Time as a simulated run knows it: a queue of moments at which something happens. It jumps from one to the next, and
 * between two of them lets everything that the first has set off in the engine settle.
 */

interface Moment {
  readonly atUs: number;
  readonly order: number;
  readonly work: () => void;
}

/** One turn of Node's loop. Immediates run in order, so that nothing here depends on the machine's speed. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class VirtualTime {
  #nowUs = 0;
  #order = 0;
  #collecting = false;
  readonly #heap: Moment[] = [];

  /** Microseconds since the run began: the one true time, that no clock in the simulation shows. */
  get nowUs(): number {
    return this.#nowUs;
  }

  after(delayUs: number, work: () => void): void {
    this.#order += 1;
    this.#push({ atUs: this.#nowUs + Math.max(0, Math.round(delayUs)), order: this.#order, work });
  }

  /** Says that somebody gathers until the end of a turn: it must end before time continues. */
  collect(): void {
    this.#collecting = true;
  }

  /** Lets time pass, up to `untilUs` or until `stopped` says so. */
  async runUntil(untilUs: number, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const next = this.#heap[0];
      if (next === undefined || next.atUs > untilUs) break;
      this.#pop();
      this.#nowUs = next.atUs;
      next.work();
      do {
        this.#collecting = false;
        await turn();
      } while (this.#collecting);
    }
    if (!stopped()) this.#nowUs = untilUs;
  }

  #push(moment: Moment): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(moment);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(moment, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = moment;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Moment, b: Moment): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
}
