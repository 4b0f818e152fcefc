/**
 * The queue in which password hashes wait: one is worked on at a time, alongside the event loop, and no more wait than
 * are hashed in ten seconds. Who finds it full gets 503 with `Retry-After`, and so does who has waited ten seconds all
 * the same, because hashes have become slower since: nobody's browser hangs. After a run of wrong passwords it rests as
 * long as it worked before it continues with the same account, so that guessing has half a core at most; whoever signs
 * in to another account meanwhile does not wait for the rest.
 */
import { Refusal } from '../../shared/refusal.ts';
import { FairLine, type Requester } from './fair-line.ts';

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

const MAX_WAIT_MS = 10_000;
/** Until something has been hashed here. */
const FIRST_GUESS_MS = 300;
const SMOOTHING = 0.2;
/** So many wrong passwords, of which half are forgotten in a minute, are no typing errors. */
const CALM_WRONG = 30;
const WRONG_HALF_LIFE_MS = 60_000;

export class HashQueue {
  readonly #line = new FairLine<Waiting>();
  #busy = false;
  #meanMs = FIRST_GUESS_MS;
  #wrong = 0;
  #wrongAtMs = 0;
  /** The group that the rest is for, while there is one. */
  #resting: { readonly group: string; readonly timer: NodeJS.Timeout } | null = null;

  /** How many may wait at this moment. */
  get capacity(): number {
    return Math.max(1, Math.floor(MAX_WAIT_MS / this.#meanMs));
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Does `work` when it is its turn. Throws 503 `overloaded` where the queue is full. */
  async run<T>(work: () => Promise<T>, requester: Requester): Promise<T> {
    if (this.#busy) await this.#wait(requester);
    this.#busy = true;
    const startedAtMs = performance.now();
    try {
      return await work();
    } finally {
      const tookMs = performance.now() - startedAtMs;
      const restMs = this.isAttacked ? tookMs : 0;
      this.#meanMs += SMOOTHING * (tookMs + restMs - this.#meanMs);
      this.#next(requester.group, restMs);
    }
  }

  /** Counts a password that turned out to be wrong. */
  noteWrong(): void {
    this.#wrong = this.#wrongNow() + 1;
    this.#wrongAtMs = performance.now();
  }

  #wait(requester: Requester): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting >= this.capacity) {
        const displaced = this.#line.displace(requester);
        if (displaced === null) {
          reject(this.#full());
          return;
        }
        displaced.refuse(this.#full());
      }
      const timer = setTimeout(() => {
        this.#line.withdraw(requester, waiting);
        reject(this.#full());
      }, MAX_WAIT_MS);
      const waiting: Waiting = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#line.add(requester, waiting);
      if (this.#resting !== null && this.#resting.group !== requester.group)
        this.#next(this.#resting.group, 0);
    });
  }

  /** The work that is done stays `busy` until the next one has taken over: nobody slips in between. */
  #next(group: string, restMs: number): void {
    if (this.#resting !== null) clearTimeout(this.#resting.timer);
    this.#resting = null;
    if (restMs > 0 && !this.#line.hasOthers(group)) {
      this.#resting = { group, timer: setTimeout(() => this.#next(group, 0), restMs) };
      return;
    }
    const next = this.#line.take(group);
    if (next === null) this.#busy = false;
    else next.start();
  }

  #wrongNow(): number {
    return this.#wrong * 0.5 ** ((performance.now() - this.#wrongAtMs) / WRONG_HALF_LIFE_MS);
  }

  /** Whether passwords are guessed here. */
  get isAttacked(): boolean {
    return this.#wrongNow() > CALM_WRONG;
  }

  #full(): Error {
    const seconds = Math.max(1, Math.ceil((this.waiting * this.#meanMs) / 1000));
    return new Refusal('overloaded', {
      message: 'Too many people are signing in at the moment. Try again shortly.',
      retryAfterS: seconds,
    });
  }
}
