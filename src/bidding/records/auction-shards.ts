/**
 * Where auctions are in the journal, as their rows say. Callers that need it seldom read it here; the journal itself
 * caches it.
 */
import DataLoader from 'dataloader';
import type { Knex } from 'knex';
import type { FindShard } from '../../../adapters/redis/shard-directory.ts';
import { SHARD_COUNT, shardOf } from '../../../adapters/redis/shards.ts';
import { InputError } from '../../shared/input-error.ts';

interface ShardRow {
  readonly id: number;
  readonly shard: number | null;
}

/** Looks up auctions for a `ShardDirectory`: those that are requested together, in one statement. */
export function findShardIn(knex: Knex): FindShard {
  const loader = new DataLoader<number, number | null | undefined>(
    async (auctionIds) => {
      const rows: ShardRow[] = await knex('auctions')
        .whereRaw('id = any(?::bigint[])', [[...auctionIds]])
        .select('id', 'shard');
      const shards = new Map(rows.map(({ id, shard }) => [id, shard]));
      return auctionIds.map((auctionId) => shards.get(auctionId));
    },
    { cache: false, maxBatchSize: 1_000 },
  );
  return (auctionId) => loader.load(auctionId);
}

/** The shard of one auction. */
export async function readShard(knex: Knex, auctionId: number): Promise<number> {
  return shardOf(auctionId, await findShardIn(knex)(auctionId));
}

/** Over how many shards new auctions are spread. */
export async function readShardCount(knex: Knex): Promise<number> {
  const row = await knex('journal_meta').first<{ shards: number | null } | undefined>('shards');
  return row?.shards ?? SHARD_COUNT;
}

/**
 * Spreads new auctions over this many shards; existing ones stay where they are. Throws `InputError` for an invalid
 * number.
 */
export async function changeShardCount(knex: Knex, shards: number): Promise<void> {
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARD_COUNT)
    throw new InputError(`shards: must be a whole number from 1 to ${SHARD_COUNT}`);
  const changed = await knex('journal_meta').update({ shards });
  if (changed === 0) throw new InputError('there is no journal yet: start the service once');
}
