/**
 * The projection as a worker runs it: claims shards, follows their logs, writes what they say into Postgres, and
 * trims what is projected and old. Any number of workers may run it; closing ends it after the transactions in hand,
 * and a kill at any point costs nothing but the work of the transaction that was open.
 */
import type { Database } from '../../../adapters/postgres/database.ts';
import type { JournalGuard } from '../../../adapters/redis/guarded-script.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { LogTrimmer } from '../../../adapters/redis/log-trimmer.ts';
import { watchLog } from '../../../adapters/redis/log-watch.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import type { Tracing } from '../../../adapters/tracing/tracing.ts';
import { type ProjectionLag, readLag } from './lag.ts';
import type { Position } from './positions.ts';
import { ProjectionLoop } from './projection-loop.ts';
import type { WrittenLog } from './projector.ts';
import type { Failure } from './set-aside.ts';
import { claimShards, type ShardClaims } from './shard-claims.ts';
import { trimProjected } from './trimming.ts';
import type { LotClosedHook } from './write.ts';

export interface ProjectionParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly pubSub: Pick<RedisPubSub, 'subscribe'>;
  /** Says which Redis may be written to. */
  readonly guard: JournalGuard;
  /** The folder of the .lua files. */
  readonly scripts: string;
  /** Resolves when what was read of a shard survives the loss of its server; default: at once. */
  readonly confirm?: (shard: number) => Promise<void>;
  /** What happens in the same transaction when lots close, in this order. */
  readonly onLotClosed?: readonly LotClosedHook[];
  /** After each commit. */
  readonly onProgress?: (shard: number, position: Position) => void;
  readonly onError?: (error: unknown, shard: number | null) => void;
  /** Called once with what Postgres refused, after the transaction that set it aside. */
  readonly onFailure?: (failure: Failure) => void;
  /** Called with what was written, after its transaction. */
  readonly onWritten?: (written: WrittenLog) => void;
  /** Follows what is written; null: nobody does. */
  readonly tracing?: Tracing | null;
  /** Called with the number of entries that each transaction has written. */
  readonly onProjected?: (entries: number) => void;
  /** Bytes that one shard's log may hold before it takes no more bids; above half of it, trimming does not wait. */
  readonly maxLogBytes?: number;
  /** How long projected messages are kept for those who follow the log. */
  readonly keepMs?: number;
  readonly claimEveryMs?: number;
}

export interface Projection {
  /** How far Postgres is behind, over all shards, whichever worker projects them. */
  lag(): Promise<ProjectionLag>;
  close(): Promise<void>;
}

export const MAX_LOG_BYTES = 256 * 1024 * 1024;
export const KEEP_MS = 10 * 60 * 1_000;
const UPKEEP_MS = 5_000;

/** Starts projecting. Throws when Redis cannot be subscribed to; later faults are reported to `onError` and retried. */
export async function startProjection(parts: ProjectionParts): Promise<Projection> {
  const { database, redis } = parts;
  const onError = parts.onError ?? (() => {});
  const loop = new ProjectionLoop({
    database,
    redis,
    onLotClosed: parts.onLotClosed ?? [],
    ...(parts.confirm === undefined ? {} : { confirm: parts.confirm }),
    ...(parts.onWritten === undefined ? {} : { onWritten: parts.onWritten }),
    tracing: parts.tracing ?? null,
    onStep: (step) => {
      parts.onProjected?.(step.entries);
      for (const failure of step.failures) parts.onFailure?.(failure);
      for (const [shard, position] of step.positions) parts.onProgress?.(shard, position);
    },
    onError,
  });
  const claims = await claimShards({
    databaseUrl: database.url,
    onClaim: (shard) => loop.start(shard),
    onRelease: (shard) => loop.stop(shard),
    onError: (error) => onError(error, null),
    ...(parts.claimEveryMs === undefined ? {} : { everyMs: parts.claimEveryMs }),
  });
  const watch = await watchLog(parts.pubSub, (shard) => {
    if (claims.held.has(shard)) loop.wake(shard);
  });
  const upkeep = startUpkeep(parts, claims, loop, onError);
  return {
    lag: () => readLag(database.knex, redis),
    async close() {
      await upkeep.close();
      await watch.close();
      await claims.close();
    },
  };
}

/** Trims periodically, never twice at once. */
function startUpkeep(
  parts: ProjectionParts,
  claims: ShardClaims,
  loop: ProjectionLoop,
  onError: NonNullable<ProjectionParts['onError']>,
): { close(): Promise<void> } {
  const trimmer = new LogTrimmer(parts.redis, parts.guard, parts.scripts);
  const limits = {
    keepMs: parts.keepMs ?? KEEP_MS,
    crowdedBytes: (parts.maxLogBytes ?? MAX_LOG_BYTES) / 2,
  };
  const trim = async () => {
    await trimProjected(parts.redis, trimmer, claims.held, (shard) => loop.position(shard), limits);
  };
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= trim()
      .catch((error: unknown) => onError(error, null))
      .finally(() => {
        running = null;
      });
  }, UPKEEP_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
