/**
 * Whether the shards' logs continue from Postgres' positions. Postgres or Redis may have been put back from an older
 * copy, or be somebody else's, beneath processes that run: what does not follow on what was projected is never written.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { compareLogIds, LOG_START, type LogEnd, logEnd } from '../../../adapters/redis/shard-log.ts';
import { shardKeys } from '../../../adapters/redis/shards.ts';
import { entryOf } from '../../../engine/first-of.ts';
import { errorOf } from '../../../engine/thrown.ts';
import { type Position, readPositions } from './positions.ts';

/**
 * `older`: the log lacks what was projected from it, or has something else in its place. `gap`: it was trimmed beyond
 * what was projected.
 */
export type LogMisfit = 'older' | 'gap';

/** A shard's log and where Postgres is in it; `misfit` is null where it continues there. */
export interface LogFit {
  readonly position: Position;
  readonly end: LogEnd;
  readonly misfit: LogMisfit | null;
}

/** Looks at these shards' logs; one that cannot be read has its error instead. Throws what Postgres throws. */
export async function readLogFits(
  knex: Knex,
  redis: OpenLink,
  shards: readonly number[],
): Promise<Map<number, LogFit | Error>> {
  const before = await readPositions(knex, shards);
  const ends = new Map(
    await Promise.all(
      shards.map(
        async (shard) =>
          [shard, await logEnd(redis, shard).catch((error: unknown) => errorOf(error))] as const,
      ),
    ),
  );
  const parted = new Set(await partedShards(redis, before));
  const trimmed = shards.filter((shard) => isTrimmedBeyond(entryOf(ends, shard), entryOf(before, shard)));
  // Others project and trim meanwhile: a gap is one before the position as it is afterwards.
  const after = trimmed.length === 0 ? before : await readPositions(knex, trimmed);
  return new Map(
    [...ends].map(([shard, end]): [number, LogFit | Error] => {
      if (end instanceof Error) return [shard, end];
      if (parted.has(shard) || isOlder(end, entryOf(before, shard)))
        return [shard, { position: entryOf(before, shard), end, misfit: 'older' }];
      const position = after.get(shard) ?? entryOf(before, shard);
      return [shard, { position, end, misfit: isTrimmedBeyond(end, position) ? 'gap' : null }];
    }),
  );
}

/** Shards whose log goes back beyond the position and does not have its message: it is another history. */
async function partedShards(redis: OpenLink, positions: ReadonlyMap<number, Position>): Promise<number[]> {
  const found = await Promise.all(
    [...positions].map(async ([shard, { streamId }]) => {
      if (streamId === LOG_START) return [];
      const { log } = shardKeys(shard);
      const isThere = async (from: string) =>
        (await redis.link.xRange(log, from, streamId, { COUNT: 1 })).length > 0;
      // In this order: where others trim between the two, what is before is gone as well.
      const hasParted = await isThere(streamId)
        .then(async (same) => !same && (await isThere('-')))
        .catch(() => false);
      return hasParted ? [shard] : [];
    }),
  );
  return found.flat();
}

function isOlder({ lastId, added }: LogEnd, { streamId, messages }: Position): boolean {
  return compareLogIds(lastId, streamId) < 0 || added < messages;
}

/** Only what was projected is ever trimmed: a Postgres that has not got that far is an older one. */
function isTrimmedBeyond(end: LogEnd | Error, { messages }: Position): boolean {
  return !(end instanceof Error) && end.added - end.length > messages;
}

/** The shard is not projected for as long as this is so. */
export class LogUnfit extends Error {
  override readonly name = 'LogUnfit';

  constructor(shard: number, why: LogMisfit | 'foreign') {
    super(`shard ${shard}: ${SENTENCES[why]}; nothing of it is written: see \`rostrum doctor\``);
  }
}

const SENTENCES = {
  older: 'Redis is older than what was projected from it',
  gap: 'Postgres is older than what the journal still has',
  foreign: 'Redis holds a different journal, or none',
};

export interface FitPositions {
  readonly positions: ReadonlyMap<number, Position>;
  /** Shards that must not be read, or cannot be, and why. */
  readonly unfit: ReadonlyMap<number, Error>;
}

/** The positions of those of these shards whose log continues there. Throws what Postgres throws. */
export async function readFitPositions(
  knex: Knex,
  redis: OpenLink,
  shards: readonly number[],
): Promise<FitPositions> {
  const unfit = new Map<number, Error>();
  const positions = new Map<number, Position>();
  const epoch = await readEpoch(knex);
  for (const [shard, fit] of await readLogFits(knex, redis, shards)) {
    const why = await whyUnfit(redis, shard, fit, epoch).catch(errorOf);
    if (why !== null) unfit.set(shard, why);
    else if (!(fit instanceof Error)) positions.set(shard, fit.position);
  }
  return { positions, unfit };
}

async function whyUnfit(
  redis: OpenLink,
  shard: number,
  fit: LogFit | Error,
  epoch: string | null,
): Promise<Error | null> {
  if (fit instanceof Error) return fit;
  const isEmpty = fit.end.added === 0;
  if (!isEmpty && epoch !== null && (await readShardEpoch(redis, shard)) !== epoch)
    return new LogUnfit(shard, 'foreign');
  return fit.misfit === null ? null : new LogUnfit(shard, fit.misfit);
}

/** The name of the journal's life as Postgres knows it; null: it has not begun. */
async function readEpoch(knex: Knex): Promise<string | null> {
  // SQL: reads one value.
  const { rows } = await knex.raw<{ rows: { epoch: string }[] }>('SELECT epoch FROM journal_meta');
  return rows[0]?.epoch ?? null;
}

/** The name of the journal's life that a shard carries; null: none. */
export function readShardEpoch(redis: OpenLink, shard: number): Promise<string | null> {
  return redis.link.hGet(shardKeys(shard).meta, 'epoch');
}
