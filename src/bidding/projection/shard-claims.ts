/**
 * Shares the shards out among the workers that are there: each claims its fair part and releases what is too much,
 * so that a new worker gets work and a dead one's is taken over within seconds. Claims only save work; the stored
 * positions keep order.
 */
import { LockSession } from '../../../adapters/postgres/lock-session.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';

export interface ShardClaims {
  /** Shards that this worker has now. */
  readonly held: ReadonlySet<number>;
  /** Reads which shards are free and for surplus ones at once rather than with the next beat. */
  beat(): Promise<void>;
  close(): Promise<void>;
}

export interface ClaimParts {
  readonly databaseUrl: string;
  readonly onClaim: (shard: number) => void;
  /** Resolves when nothing is being done on the shard any more. */
  readonly onRelease: (shard: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

/** Names the family of locks; any number will do that nothing else in this database uses. */
const FAMILY = 726_573_741;
const EVERY_MS = 1_000;

/** Begins to claim. The first pass is over when this resolves, whether or not Postgres could be reached. */
export async function claimShards(parts: ClaimParts): Promise<ShardClaims> {
  const held = new Set<number>();
  let session: LockSession | null = null;
  let pass: Promise<void> | null = null;
  let closed = false;

  const work = async () => {
    if (session?.lost) {
      session = null;
      const lost = [...held];
      held.clear();
      await Promise.all(lost.map((shard) => parts.onRelease(shard)));
    }
    session ??= await LockSession.open(parts.databaseUrl, FAMILY);
    const fair = Math.ceil(SHARD_COUNT / Math.max(1, await session.beat(FAMILY)));
    if (held.size < fair) {
      for (const shard of await session.take(FAMILY, othersThan(held), fair - held.size)) {
        held.add(shard);
        parts.onClaim(shard);
      }
    }
    for (const shard of [...held].slice(fair)) {
      held.delete(shard);
      await parts.onRelease(shard);
      await session.release(FAMILY, shard);
    }
  };
  const beat = () => {
    pass ??= work()
      .catch(parts.onError)
      .finally(() => {
        pass = null;
      });
    return pass;
  };
  await beat();
  const timer = setInterval(() => void beat(), parts.everyMs ?? EVERY_MS).unref();
  return {
    held,
    beat: () => (closed ? Promise.resolve() : beat()),
    async close() {
      closed = true;
      clearInterval(timer);
      await pass;
      const shards = [...held];
      held.clear();
      await Promise.all(shards.map((shard) => parts.onRelease(shard)));
      await session?.close();
    },
  };
}

/** From a place that differs between workers, so that they do not all try the same shards first. */
function othersThan(held: ReadonlySet<number>): number[] {
  const start = process.pid % SHARD_COUNT;
  return Array.from({ length: SHARD_COUNT }, (_, at) => (start + at) % SHARD_COUNT).filter(
    (shard) => !held.has(shard),
  );
}
