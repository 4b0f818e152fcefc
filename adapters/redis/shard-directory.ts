/**
 * Which shard an auction is in, cached: it is given once and never changes. The journal and the live feed call it for
 * every call; what it does not know yet it looks up.
 */
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { shardOf } from './shards.ts';

/** Gives an auction's own shard, null where it has none of its own, undefined where there is no such auction (yet). */
export type FindShard = (auctionId: number) => Promise<number | null | undefined>;

export class ShardDirectory {
  readonly #shards = new Map<number, number>();
  /** Look-ups under way: concurrent callers for the same auction share one. */
  readonly #lookUps = new Map<number, Promise<number>>();
  readonly #find: FindShard;

  constructor(find: FindShard) {
    this.#find = find;
  }

  /** The shard of an auction, if it is cached. */
  cached(auctionId: number): number | undefined {
    return this.#shards.get(auctionId);
  }

  /** Its lots were found in a shard: then it is in that one. */
  note(auctionId: number, shard: number): void {
    this.#shards.set(auctionId, shard);
  }

  /**
   * The shard of an auction, without waiting where it is known. Rejects with `JournalUnavailable` where it cannot be
   * looked up.
   */
  of(auctionId: number): number | Promise<number> {
    return this.#shards.get(auctionId) ?? this.#lookUps.get(auctionId) ?? this.#startLookUp(auctionId);
  }

  #startLookUp(auctionId: number): Promise<number> {
    const lookUp = this.#lookUp(auctionId).finally(() => this.#lookUps.delete(auctionId));
    this.#lookUps.set(auctionId, lookUp);
    return lookUp;
  }

  async #lookUp(auctionId: number): Promise<number> {
    const found = await this.#find(auctionId).catch((error: unknown) => {
      const why = `the shard of auction ${auctionId} cannot be looked up: ${String(error)}`;
      throw new JournalUnavailable(why, { cause: error });
    });
    const shard = shardOf(auctionId, found);
    // One that is not there yet may be given another.
    if (found !== undefined) this.#shards.set(auctionId, shard);
    return shard;
  }
}
