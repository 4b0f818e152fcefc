/**
 * Where things are: 64 shards, each with a hash tag of its own, so that everything that one script touches lies in one
 * slot of a cluster. All lots of an auction live in the auction's shard.
 */

export const SHARD_COUNT = 64;

/** The shard of an auction, and so of all its lots. */
export function shardOf(auctionId: number): number {
  return auctionId % SHARD_COUNT;
}

export interface ShardKeys {
  readonly ver: string;
  readonly lot: string;
  readonly aver: string;
  readonly rec: string;
  readonly bid: string;
  readonly due: string;
  readonly log: string;
  readonly meta: string;
  readonly exp: string;
  /** The idempotency records of a time bucket. */
  keys(bucket: number): string;
}

const built: ShardKeys[] = [];

export function shardKeys(shard: number): ShardKeys {
  built[shard] ??= build(shard);
  return built[shard]!;
}

function build(shard: number): ShardKeys {
  const tag = `{s${String(shard).padStart(2, '0')}}`;
  return {
    ver: `${tag}:ver`,
    lot: `${tag}:lot`,
    aver: `${tag}:aver`,
    rec: `${tag}:rec`,
    bid: `${tag}:bid`,
    due: `${tag}:due`,
    log: `${tag}:log`,
    meta: `${tag}:meta`,
    exp: `${tag}:exp`,
    keys: (bucket) => `${tag}:keys:${bucket}`,
  };
}
