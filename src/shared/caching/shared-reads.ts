/**
 * Reads that many callers share, none of whom gets an answer older than its call: a call that comes while a read is in
 * flight waits for the next one, which serves all who wait. So a crowd around one lot or one page costs one statement
 * at a time. Nothing is kept after the answer; `ShortCache` is for what may be old.
 */
import { type Deferred, deferred } from '../../../engine/deferred.ts';

/** Many keys in one read: those requested in one turn of the event loop, or while `concurrency` reads are in flight. */
export class BatchedReads<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  readonly #concurrency: number;
  #waiting = new Map<Key, Deferred<Value | undefined>>();
  #running = 0;
  #scheduled = false;

  /** `read` leaves out what is not there. */
  constructor(read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>, concurrency: number) {
    this.#read = read;
    this.#concurrency = concurrency;
  }

  /** Undefined where there is no such thing. Rejects when the read does. */
  get(key: Key): Promise<Value | undefined> {
    let pending = this.#waiting.get(key);
    if (pending === undefined) {
      pending = deferred();
      this.#waiting.set(key, pending);
      this.#schedule();
    }
    return pending.promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#running >= this.#concurrency || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#running += 1;
    try {
      const found = await this.#read([...waiting.keys()]);
      for (const [key, pending] of waiting) pending.resolve(found.get(key));
    } catch (fault) {
      for (const pending of waiting.values()) pending.reject(fault);
    } finally {
      this.#running -= 1;
      this.#schedule();
    }
  }
}

/** One read per key at a time. */
export class SharedReads<Value> {
  readonly #next = new Map<string, Deferred<Value> | null>();

  /** What `make` gives, begun after this call. */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const next = this.#next.get(key);
    if (next === undefined) return this.#start(key, make);
    if (next !== null) return next.promise;
    const pending = deferred<Value>();
    this.#next.set(key, pending);
    return pending.promise;
  }

  #start(key: string, make: () => Promise<Value>): Promise<Value> {
    this.#next.set(key, null);
    const value = make();
    const done = () => {
      const next = this.#next.get(key);
      this.#next.delete(key);
      if (next) this.#start(key, make).then(next.resolve, next.reject);
    };
    value.then(done, done);
    return value;
  }
}
