/** How it is said that Redis or Postgres is older than the other, and what to do about it. */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { type LogMisfit, readLogFits } from '../projection/log-fit.ts';

export const REBUILD = 'run `rostrum journal rebuild`';

/** What is wrong with the shards' logs by Postgres' positions, or null. Throws what Postgres or Redis throw. */
export async function misfitTrouble(
  knex: Knex,
  open: OpenLink,
  shardCount: number | null,
): Promise<string | null> {
  const known: number[] = await knex('projection_positions').pluck('shard');
  const shards = [...new Set([...known, ...Array.from({ length: shardCount ?? 0 }, (_, shard) => shard)])];
  const fits = await readLogFits(knex, open, shards);
  const shardsThatAre = (misfit: LogMisfit): number[] =>
    [...fits].flatMap(([shard, fit]) => {
      if (fit instanceof Error) throw fit;
      return fit.misfit === misfit ? [shard] : [];
    });
  const older = shardsThatAre('older');
  if (older.length > 0) return olderTrouble(older);
  const behind = shardsThatAre('gap');
  if (behind.length === 0) return null;
  return (
    `Postgres is older than what the journal still has (shards ${behind.join(', ')}): ` +
    'restore a newer one, or run `rostrum journal bridge`'
  );
}

/** Of a Redis whose log ends before what was acknowledged. */
export function olderTrouble(shards: readonly number[]): string {
  return `Redis is older than what was acknowledged from it (shards ${shards.join(', ')}): ${REBUILD}`;
}
