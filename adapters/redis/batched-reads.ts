/**
 * Single reads of one turn of the event loop as one command per shard: a page of lots costs one round trip, however
 * many callers there are. What is requested twice in a turn is read once; nothing is cached beyond it.
 */
import DataLoader from 'dataloader';

/** Reads `ids` of a shard, one value for each, in their order. */
export type ReadMany<T> = (shard: number, ids: readonly string[]) => Promise<T[]>;

export class BatchedReads<T> {
  readonly #shards = new Map<number, DataLoader<string, T>>();
  readonly #read: ReadMany<T>;

  constructor(read: ReadMany<T>) {
    this.#read = read;
  }

  /** Reads one. Rejects with what the read of its turn rejects with. */
  get(shard: number, id: string): Promise<T> {
    let reads = this.#shards.get(shard);
    if (reads === undefined) {
      reads = this.#loaderOf(shard);
      this.#shards.set(shard, reads);
    }
    return reads.load(id);
  }

  #loaderOf(shard: number): DataLoader<string, T> {
    const loader: DataLoader<string, T> = new DataLoader(
      (ids) => {
        loader.clearAll();
        return this.#read(shard, ids);
      },
      { batchScheduleFn: setImmediate },
    );
    return loader;
  }
}
