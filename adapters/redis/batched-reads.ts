/**
 * Gathers single reads of one turn of the event loop into one command per shard: a page of lots costs one round trip, however
 * many callers ask.
 */

interface Wanted<T> {
  readonly waiting: Map<
    string,
    { resolve(value: T): void; reject(fault: unknown): void; promise: Promise<T> }
  >;
}

export class BatchedReads<T> {
  readonly #shards = new Map<number, Wanted<T>>();
  readonly #read: (shard: number, ids: readonly string[]) => Promise<T[]>;

  constructor(read: (shard: number, ids: readonly string[]) => Promise<T[]>) {
    this.#read = read;
  }

  /** Reads one; asked for twice in a turn, it is read once. */
  get(shard: number, id: string): Promise<T> {
    let wanted = this.#shards.get(shard);
    if (wanted === undefined) {
      wanted = { waiting: new Map() };
      this.#shards.set(shard, wanted);
      setImmediate(() => void this.#flush(shard));
    }
    const known = wanted.waiting.get(id);
    if (known !== undefined) return known.promise;
    let resolve!: (value: T) => void;
    let reject!: (fault: unknown) => void;
    const promise = new Promise<T>((good, bad) => {
      resolve = good;
      reject = bad;
    });
    wanted.waiting.set(id, { resolve, reject, promise });
    return promise;
  }

  async #flush(shard: number): Promise<void> {
    const { waiting } = this.#shards.get(shard)!;
    this.#shards.delete(shard);
    try {
      const values = await this.#read(shard, [...waiting.keys()]);
      [...waiting.values()].forEach((one, index) => {
        one.resolve(values[index]!);
      });
    } catch (fault) {
      for (const one of waiting.values()) one.reject(fault);
    }
  }
}
