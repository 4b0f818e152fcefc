/** Where auctions lie in the journal, as their rows say. Rooms that ask seldom ask here; the journal itself remembers. */
import type { Knex } from 'knex';
import type { FindShard } from '../../../adapters/redis/shard-directory.ts';
import { SHARD_COUNT, shardOf } from '../../../adapters/redis/shards.ts';
import { InputError } from '../../shared/input-error.ts';

/** Looks up one auction for a `ShardDirectory`. */
export function findShardIn(knex: Knex): FindShard {
  return async (auctionId) => {
    const row = await knex('auctions')
      .where('id', auctionId)
      .first<{ shard: number | null } | undefined>('shard');
    return row?.shard;
  };
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

/** Spreads new auctions over so many shards; those that are there stay where they are. Throws `InputError` for no such number. */
export async function changeShardCount(knex: Knex, shards: number): Promise<void> {
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARD_COUNT)
    throw new InputError(`shards: must be a whole number from 1 to ${SHARD_COUNT}`);
  const changed = await knex('journal_meta').update({ shards });
  if (changed === 0) throw new InputError('there is no journal yet: start the service once');
}
