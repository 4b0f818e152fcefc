/**
 * The line in which password hashes wait: one is worked on at a time, beside the event loop, and no more wait than
 * are hashed in ten seconds. Callers take turns, so that one who sends hundreds waits for their own; browsers that
 * have signed in to the account before go first. Who finds the line full gets 503 with `Retry-After`.
 */
import { Refusal } from '../../shared/refusal.ts';

export interface HashTurn {
  /** Who asks: an address, or the browser. Callers with different keys take turns. */
  readonly caller: string;
  /** Goes before strangers. */
  readonly known?: boolean;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

type Line = Map<string, Waiting[]>;

const MAX_WAIT_MS = 10_000;
/** Until something has been hashed here. */
const FIRST_GUESS_MS = 300;
const SMOOTHING = 0.2;

export class HashQueue {
  readonly #known: Line = new Map();
  readonly #strangers: Line = new Map();
  #waiting = 0;
  #busy = false;
  #meanMs = FIRST_GUESS_MS;

  /** How many may wait at this moment. */
  get capacity(): number {
    return Math.max(1, Math.floor(MAX_WAIT_MS / this.#meanMs));
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Does `work` when it is its turn. Throws 503 `overloaded` where the line is full. */
  async run<T>(work: () => Promise<T>, { caller, known = false }: HashTurn): Promise<T> {
    if (this.#busy) await this.#turn(known ? this.#known : this.#strangers, caller);
    this.#busy = true;
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#meanMs += SMOOTHING * (performance.now() - startedAt - this.#meanMs);
      this.#next();
    }
  }

  #turn(line: Line, caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // A known browser takes any stranger's place.
      const has = line === this.#known ? -1 : (line.get(caller)?.length ?? 0);
      if (this.#waiting >= this.capacity && !this.#makeRoom(has)) {
        reject(this.#full());
        return;
      }
      const waiting = line.get(caller) ?? [];
      waiting.push({ start: resolve, refuse: reject });
      line.set(caller, waiting);
      this.#waiting += 1;
    });
  }

  /** Sends the last of the stranger away who waits most, if that is more than one above what the newcomer has. */
  #makeRoom(newcomerHas: number): boolean {
    let greediest = '';
    let most: Waiting[] = [];
    for (const [caller, waiting] of this.#strangers) {
      if (waiting.length > most.length) [greediest, most] = [caller, waiting];
    }
    if (most.length <= newcomerHas + 1) return false;
    most.pop()?.refuse(this.#full());
    if (most.length === 0) this.#strangers.delete(greediest);
    this.#waiting -= 1;
    return true;
  }

  /** The work that is done stays `busy` until the next one has taken over: nobody slips in between. */
  #next(): void {
    const line = this.#known.size > 0 ? this.#known : this.#strangers;
    const [first] = line;
    if (first === undefined) {
      this.#busy = false;
      return;
    }
    const [caller, waiting] = first;
    const turn = waiting.shift();
    // To the end of the line: the others come first now.
    line.delete(caller);
    if (waiting.length > 0) line.set(caller, waiting);
    this.#waiting -= 1;
    turn?.start();
  }

  #full(): Error {
    const seconds = Math.max(1, Math.ceil((this.#waiting * this.#meanMs) / 1000));
    return new Refusal('overloaded', {
      message: 'Too many people sign in at this moment; nothing was recorded. Try again.',
      retryAfterS: seconds,
    });
  }
}
