/** The lots that have a journal, in portions that are read together. */
import type { Knex } from 'knex';
import { SHARD_COUNT, shardOf } from '../../../adapters/redis/shards.ts';
import { InputError } from '../../shared/input-error.ts';

export interface ShardedLot {
  readonly lotId: number;
  readonly auctionId: number;
  readonly shard: number;
}

const CHUNK = 50;

export function* chunksByShard(chosen: readonly ShardedLot[]): Generator<ShardedLot[]> {
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const here = chosen.filter((lot) => lot.shard === shard);
    for (let at = 0; at < here.length; at += CHUNK) yield here.slice(at, at + CHUNK);
  }
}

/** Whose journal a lot is in: its own, but where it is sold with others. */
export async function journalIdOf(knex: Knex, lotId: number): Promise<number> {
  const row = await knex('lots').where('id', lotId).first<{ host_id: number | null } | undefined>('host_id');
  return row?.host_id ?? lotId;
}

/** Lots that are sold together have one journal, of the lot that hosts it. */
export async function lotsWithJournal(knex: Knex, lotId: number | null): Promise<ShardedLot[]> {
  const query = knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .whereNot('l.status', 'draft')
    .whereRaw('coalesce(l.host_id, l.id) = l.id')
    .orderBy('l.id')
    .select<(Omit<ShardedLot, 'shard'> & { own: number | null })[]>({
      lotId: 'l.id',
      auctionId: 'l.auction_id',
      own: 'a.shard',
    });
  if (lotId !== null) query.where('l.id', await journalIdOf(knex, lotId));
  return (await query).map(({ own, ...lot }) => ({ ...lot, shard: shardOf(lot.auctionId, own) }));
}

/** Lots that were projected into a Postgres which is older than they are. */
export async function lotsWithoutRow(knex: Knex): Promise<number[]> {
  return knex('lot_states as s')
    .whereNotExists(knex('lots as l').whereRaw('l.id = s.lot_id'))
    .orderBy('s.lot_id')
    .limit(20)
    .pluck('s.lot_id');
}

/** A missing lot is the caller's error; one without a journal yet is fine. */
export async function requireLot(knex: Knex, lotId: number): Promise<void> {
  const found = await knex('lots').where('id', lotId).first('id');
  if (found === undefined) throw new InputError(`lot: there is no lot ${lotId}`);
}
