/**
 * Brings the journal back after Redis lost its disk: a new life with a new name, the auctions' records and bidders, and every
 * live lot as far as it was projected. Sequences that may have been given out and lost are never used again, and each lot's
 * journal says from where it goes on.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { writeEpoch } from '../../../adapters/redis/epoch.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { restoreAuction, wipeShards } from '../../../adapters/redis/restore.ts';
import type { Bidder, BidderStatus } from '../../../engine/auction/record.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { decodeSnapshot } from '../../../engine/lot/snapshot.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { InputError } from '../../shared/input-error.ts';
import { readAuctionRows } from '../records/auction-rows.ts';
import { type PublishingParts, recordOf } from '../records/publishing.ts';
import type { EpochKeeper } from './epoch-keeper.ts';

export interface RebuildParts extends PublishingParts {
  readonly redis: OpenLink;
  readonly epoch: EpochKeeper;
}

export interface Resumed {
  readonly lotId: number;
  /** The last sequence that was kept, and the first that the lot goes on with. */
  readonly keptSequence: number;
  readonly resumesAt: number;
}

/**
 * Rebuilds. Throws `InputError` where the journal is in order, and where Redis holds another journal, unless told to wipe it.
 */
export async function rebuildJournal(parts: RebuildParts, wipeForeign: boolean): Promise<Resumed[]> {
  const { knex, redis, epoch } = parts;
  await epoch.check();
  if (epoch.trouble === null) throw new InputError('the journal is in order: there is nothing to rebuild');
  if (!wipeForeign && (await epoch.isForeign())) {
    throw new InputError(
      'REDIS_URL: this Redis holds another journal; with --wipe-foreign it is thrown away',
    );
  }
  await wipeShards(redis);
  await restoreRecords(parts);
  const name = randomUUID();
  await knex.transaction(async (trx) => {
    await trx('journal_meta').update({ epoch: name });
    await trx('projection_positions').delete();
  });
  await writeEpoch(redis, name);
  await epoch.check();
  return reopenLots(parts);
}

async function restoreRecords({ knex, redis }: RebuildParts): Promise<void> {
  const ids: number[] = await knex('auctions').where('record_version', '>', 0).orderBy('id').pluck('id');
  for (const row of await readAuctionRows(knex, ids)) {
    // One version on: whoever still decides by the record from before must look again.
    const record = { ...recordOf(row), version: row.version + 1 };
    await restoreAuction(redis, record, await readBidders(knex, row.auctionId));
  }
}

interface BidderRow {
  readonly user_id: number;
  readonly alias: string | null;
  readonly paddle_number: string | null;
  readonly status: BidderStatus;
  readonly bid_limit_cents: number | null;
}

async function readBidders(knex: Knex, auctionId: number): Promise<Bidder[]> {
  const rows: BidderRow[] = await knex('registrations').where('auction_id', auctionId).whereNotNull('alias');
  return rows.map((row) => ({
    key: userKey(row.user_id),
    userId: row.user_id,
    alias: row.alias!,
    paddle: row.paddle_number,
    status: row.status,
    limitCents: row.bid_limit_cents,
  }));
}

async function reopenLots({ knex, engine }: RebuildParts): Promise<Resumed[]> {
  const rows: { snapshot: string }[] = await knex('lot_states')
    .whereNull('finished_at')
    .orderBy('lot_id')
    .select('snapshot');
  const kept = rows.map(({ snapshot }) => decodeSnapshot(snapshot)).filter(isOpen);
  const reopened = await Promise.all(kept.map((state: LotState) => engine.open(state.auctionId, state)));
  return kept.map((state, index) => ({
    lotId: state.lotId,
    keptSequence: state.sequence,
    resumesAt: reopened[index]!.sequence,
  }));
}
