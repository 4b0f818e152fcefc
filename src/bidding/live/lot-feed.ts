/**
 * One process's ear on the journal: follows the logs of those shards that somebody here listens to, and hands each
 * entry of a listened lot to its listeners, in order. It reads each shard once, however many clients there are.
 */

import type { OpenLink } from '../../../adapters/redis/link.ts';
import { type LogWatch, watchLog } from '../../../adapters/redis/log-watch.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import type { ShardDirectory } from '../../../adapters/redis/shard-directory.ts';
import { compareLogIds, type LogMessage, lastLogId, readLog } from '../../../adapters/redis/shard-log.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';

export type EntryListener = (entry: SealedEntry) => void;

interface ShardSubscription {
  /** By `lot:<id>` and `auction:<id>`. */
  readonly listeners: Map<string, Set<EntryListener>>;
  afterId: string;
  reading: boolean;
  readAgain: boolean;
}

const READ_AT_ONCE = 200;

export class LotFeed {
  readonly #redis: OpenLink;
  readonly #shards: ShardDirectory;
  readonly #subscriptions = new Map<number, ShardSubscription>();
  readonly #opening = new Map<number, Promise<ShardSubscription>>();
  #pubSub: Pick<RedisPubSub, 'subscribe'> | null = null;
  /** Only while somebody listens: every commit of every lot is a message to each process that watches. */
  #watch: Promise<LogWatch> | null = null;
  #count = 0;

  constructor(redis: OpenLink, shards: ShardDirectory) {
    this.#redis = redis;
    this.#shards = shards;
  }

  /** Watches the logs from the first listener on, and stops when the last has left. */
  start(pubSub: Pick<RedisPubSub, 'subscribe'>): this {
    this.#pubSub = pubSub;
    return this;
  }

  /** How many listeners there are. */
  get size(): number {
    return this.#count;
  }

  /**
   * Calls `listener` for every entry of the lot from now on: what was committed before the returned promise resolved
   * may come too, what is committed after it surely does. Resolves with what ends it. Throws when the journal cannot
   * be read.
   */
  listen(auctionId: number, lotId: number, listener: EntryListener): Promise<() => void> {
    return this.#listen(auctionId, `lot:${lotId}`, listener);
  }

  /** The same for all lots of an auction. */
  listenToAuction(auctionId: number, listener: EntryListener): Promise<() => void> {
    return this.#listen(auctionId, `auction:${auctionId}`, listener);
  }

  async #listen(auctionId: number, key: string, listener: EntryListener): Promise<() => void> {
    const shard = await this.#shards.of(auctionId);
    const subscription = await this.#subscribe(shard);
    const listeners = subscription.listeners.get(key) ?? new Set();
    subscription.listeners.set(key, listeners.add(listener));
    this.#count += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#count -= 1;
      listeners.delete(listener);
      if (listeners.size > 0) return;
      subscription.listeners.delete(key);
      if (subscription.listeners.size === 0) this.#subscriptions.delete(shard);
      if (this.#subscriptions.size === 0) void this.#unwatch();
    };
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
    // Not waited for: Redis may be unavailable, and its connections are closed anyway.
    void this.#unwatch();
  }

  async #subscribe(shard: number): Promise<ShardSubscription> {
    const known = this.#subscriptions.get(shard);
    if (known !== undefined) return known;
    let opening = this.#opening.get(shard);
    if (opening === undefined) {
      opening = lastLogId({ link: this.#redis.timely }, shard)
        .then((afterId) => {
          const subscription: ShardSubscription = {
            listeners: new Map(),
            afterId,
            reading: false,
            readAgain: false,
          };
          this.#subscriptions.set(shard, subscription);
          this.#startWatch();
          return subscription;
        })
        .finally(() => this.#opening.delete(shard));
      this.#opening.set(shard, opening);
    }
    return opening;
  }

  /** Not waited for: once it watches, it reads every shard. While Redis is unavailable, it begins when that is back. */
  #startWatch(): void {
    if (this.#watch !== null || this.#pubSub === null) return;
    const watch = watchLog(this.#pubSub, (shard) => this.#wake(shard));
    this.#watch = watch;
    watch.catch(() => {
      if (this.#watch === watch) this.#watch = null;
    });
  }

  async #unwatch(): Promise<void> {
    const watch = this.#watch;
    this.#watch = null;
    await watch?.then((one) => one.close()).catch(() => undefined);
  }

  #wake(shard: number): void {
    const subscription = this.#subscriptions.get(shard);
    if (subscription === undefined) return;
    if (subscription.reading) {
      subscription.readAgain = true;
      return;
    }
    subscription.reading = true;
    void this.#read(shard, subscription).finally(() => {
      subscription.reading = false;
      if (!subscription.readAgain) return;
      subscription.readAgain = false;
      this.#wake(shard);
    });
  }

  /** Reads to the end. A failed read is repeated at the next wake-up, from where this one came to. */
  async #read(shard: number, subscription: ShardSubscription): Promise<void> {
    try {
      for (;;) {
        const messages = await readLog(this.#redis, shard, subscription.afterId, READ_AT_ONCE);
        for (const message of messages) this.#take(subscription, message);
        if (messages.length === 0) {
          // A log that was made again counts from lower ids.
          const lastId = await lastLogId(this.#redis, shard);
          if (compareLogIds(lastId, subscription.afterId) < 0) subscription.afterId = '0-0';
          return;
        }
      }
    } catch {
      return;
    }
  }

  #take(subscription: ShardSubscription, { id, frames }: LogMessage): void {
    subscription.afterId = id;
    for (const frame of frames) if (frame.kind === 'entry') this.#dispatch(subscription, frame.entry);
  }

  #dispatch(subscription: ShardSubscription, entry: SealedEntry): void {
    for (const key of [`lot:${entry.lotId}`, `auction:${entry.auctionId}`]) {
      for (const listener of subscription.listeners.get(key) ?? []) listener(entry);
    }
  }
}
