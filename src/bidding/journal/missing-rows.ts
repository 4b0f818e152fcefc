/**
 * Auctions, lots, and who bids on them, that the journal knows and an older Postgres does not: they are made again,
 * with everything but their words and pictures, which were never in the journal.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { liveBidders, liveLots, liveRecords } from '../../../adapters/redis/live-shard.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { decodeSnapshot, FORMAT_NAMES, faceOf, memberIds } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { insertLostAccounts, insertLostTeams } from '../../accounts/people/lost-accounts.ts';
import { noPendingWrites } from '../projection/pending-writes.ts';
import { writePending } from '../projection/write.ts';
import { settingsOfRecord } from '../records/auction-rows.ts';
import { HighestIds, passOverIds } from './passed-ids.ts';

/** Ids of what was made. */
export interface MissingRows {
  readonly accounts: readonly number[];
  readonly teams: readonly number[];
  readonly auctions: readonly number[];
  readonly lots: readonly number[];
}

const NAMES = ['accounts', 'teams', 'auctions', 'lots'] as const;

/** What was made, in words; null where nothing was. */
export function describeMissing(made: MissingRows): string | null {
  const listed = NAMES.flatMap((name) =>
    made[name].length === 0 ? [] : [`${name} ${made[name].join(', ')}`],
  );
  return listed.length === 0
    ? null
    : `Created again from the journal, without their descriptions: ${listed.join('; ')}.`;
}

/**
 * Makes what is missing. New ids are given out above all that may ever have been, so that nobody gets the id of
 * somebody who is lost.
 */
export async function makeMissingRows(trx: Knex.Transaction, redis: OpenLink): Promise<MissingRows> {
  const known = await knownByJournal(redis);
  await passOverIds(trx, known.highest);
  const accounts = await insertLostAccounts(trx, [...known.users]);
  const owners = [...known.records.values()].flatMap(({ ownerTeamId }) => ownerTeamId ?? []);
  const teams = await insertLostTeams(trx, owners);
  const auctions = await insertLostAuctions(trx, [...known.records.values()]);
  const lots = await insertLostLots(trx, known);
  return { accounts, teams, auctions, lots };
}

interface KnownByJournal {
  readonly users: Set<number>;
  readonly records: Map<number, AuctionRecord>;
  readonly lots: Map<number, LotState>;
  readonly highest: HighestIds;
}

async function knownByJournal(redis: OpenLink): Promise<KnownByJournal> {
  const known = {
    users: new Set<number>(),
    records: new Map<number, AuctionRecord>(),
    lots: new Map<number, LotState>(),
    highest: new HighestIds(),
  };
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) await addShard(known, redis, shard);
  const { users, records, lots, highest } = known;
  for (const { ownerUserId, ownerTeamId } of records.values()) {
    if (ownerUserId !== null) users.add(ownerUserId);
    highest.seeTeam(ownerTeamId);
  }
  for (const { consignorUserId } of lots.values()) if (consignorUserId !== null) users.add(consignorUserId);
  for (const id of users) highest.seeUser(id);
  return known;
}

async function addShard(
  { users, records, lots, highest }: KnownByJournal,
  redis: OpenLink,
  shard: number,
): Promise<void> {
  for (const [auctionId, record] of await liveRecords(redis, shard)) records.set(auctionId, record);
  for await (const some of liveBidders(redis, shard))
    for (const { bidder } of some) if (bidder.userId !== null) users.add(bidder.userId);
  for await (const some of liveLots(redis, shard))
    for (const state of some) {
      // Those that are sold together are in the journal of one of them.
      for (const id of memberIds(state)) lots.set(id, faceOf(state, id));
      highest.see(state);
    }
}

async function insertLostAuctions(trx: Knex, records: readonly AuctionRecord[]): Promise<number[]> {
  const there = new Set(
    await idsThere(
      trx,
      'auctions',
      records.map(({ auctionId }) => auctionId),
    ),
  );
  const lost = records.filter(({ auctionId, ownerTeamId }) => !there.has(auctionId) && ownerTeamId !== null);
  for (const record of lost) {
    const { auctionId: id, ownerTeamId, ownerUserId, cancelled, pauses } = record;
    const isPaused = pauses.at(-1)?.toUs === null;
    const { premium_bands, increments, ...settings } = settingsOfRecord(record);
    await trx('auctions').insert({
      ...settings,
      // As JSON: an array of JavaScript would become one of Postgres.
      premium_bands: JSON.stringify(premium_bands),
      increments: increments == null ? null : JSON.stringify(increments),
      id,
      format: record.format ?? FORMAT_NAMES[0],
      team_id: ownerTeamId,
      user_id: ownerUserId,
      title: `Auction ${id} (its description is lost)`,
      slug: `lost-auction-${id}`,
      status: cancelled ? 'cancelled' : isPaused ? 'paused' : 'active',
    });
  }
  return lost.map(({ auctionId }) => auctionId).sort((a, b) => a - b);
}

async function insertLostLots(trx: Knex.Transaction, { lots, records }: KnownByJournal): Promise<number[]> {
  const there = new Set(await idsThere(trx, 'lots', [...lots.keys()]));
  const auctions = new Set(await idsThere(trx, 'auctions', [...records.keys()]));
  const lost = [...lots.values()].filter(
    ({ lotId, auctionId }) => !there.has(lotId) && auctions.has(auctionId),
  );
  for (const state of lost) {
    const { lotId: id, auctionId, lotNumber, startingBidCents } = state;
    const [hostId, ...others] = memberIds(state);
    await trx('lots').insert({
      id,
      host_id: others.length === 0 ? null : hostId,
      auction_id: auctionId,
      lot_number: lotNumber,
      title: `Lot ${lotNumber} (its description is lost)`,
      slug: `lost-lot-${id}`,
      starting_bid_cents: startingBidCents,
      status: 'scheduled',
      journal_opened: true,
    });
  }
  const ids = lost.map(({ lotId }) => lotId).sort((a, b) => a - b);
  await writeProjected(trx, ids, records);
  return ids;
}

/** The projection may have passed them before they had a row. */
async function writeProjected(
  trx: Knex.Transaction,
  ids: readonly number[],
  records: ReadonlyMap<number, AuctionRecord>,
): Promise<void> {
  const rows: { lot_id: number; snapshot: string; entry_count: number }[] = await trx('lot_states')
    .whereRaw('lot_id = any(?::bigint[])', [[...ids]])
    .select('lot_id', 'snapshot', 'entry_count');
  const pending = noPendingWrites();
  for (const { lot_id, snapshot, entry_count } of rows)
    pending.lots.set(lot_id, { state: decodeSnapshot(snapshot), entryCount: entry_count });
  await writePending(trx, pending, (auctionId) => records.get(auctionId) ?? null, []);
}

function idsThere(trx: Knex, table: 'auctions' | 'lots', ids: readonly number[]): Promise<number[]> {
  return trx(table)
    .whereRaw('id = any(?::bigint[])', [[...ids]])
    .pluck('id');
}
