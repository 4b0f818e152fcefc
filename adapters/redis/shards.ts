/**
 * Where things are: shards, each with its own hash tag, so that everything that one script touches is in one
 * slot of a cluster. All lots of an auction live in the auction's shard, which it is given at its creation out of as
 * many as the journal uses then; more can be used later, and only new auctions come to be there.
 */

/** How many there can be. */
export const SHARD_COUNT = 64;

/** All that there can be. */
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** A server that is alone only loses by more: each is its own script call for the bids of one moment. */
const ALONE = 1;
/** Several, because the slots of few shards would not spread evenly over the masters. */
const EACH_MASTER = 4;

/** The shard of an auction and all its lots: its own, or for one from before there were such, that of its id. */
export function shardOf(auctionId: number, own: number | null | undefined): number {
  return own ?? auctionId % SHARD_COUNT;
}

/** How many shards new auctions are spread over, by how many servers hold the journal. */
export function shardsFor(masters: number): number {
  return masters === 1 ? ALONE : Math.min(SHARD_COUNT, masters * EACH_MASTER);
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
  /** The notes of lots that close together. */
  readonly note: string;
  /** Never there but while a heartbeat proves that the disk has room. */
  readonly room: string;
  /** The idempotency records of a time bucket. */
  keys(bucket: number): string;
}

const built: ShardKeys[] = [];

export function shardKeys(shard: number): ShardKeys {
  const known = built[shard];
  if (known !== undefined) return known;
  const keys = build(shard);
  built[shard] = keys;
  return keys;
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
    note: `${tag}:note`,
    room: `${tag}:room`,
    keys: (bucket) => `${tag}:keys:${bucket}`,
  };
}
