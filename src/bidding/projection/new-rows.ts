/** The rows that are only ever added: entries of the journal, and the bids in them. */
import type { Knex } from 'knex';
import { type CopyValue, copyRows } from '../../../adapters/postgres/copy-rows.ts';
import { isoFromUs } from '../../../engine/time.ts';
import type { BidRow, EntryRow, PendingWrites } from './pending-writes.ts';

/** Columns that are named as the row's fields. */
const OF_ENTRY = [
  'lot_id',
  'sequence',
  'first_sequence',
  'hash',
  'previous_hash',
  'public_text',
  'private_text',
] as const satisfies readonly (keyof EntryRow)[];

export async function insertEntries(trx: Knex.Transaction, { entries }: PendingWrites): Promise<void> {
  const rows = entries.map((entry): CopyValue[] => [
    ...OF_ENTRY.map((name) => entry[name]),
    isoFromUs(entry.recorded_at_us),
    entry.traces === null ? null : JSON.stringify(entry.traces),
  ]);
  await copyRows(trx, 'journal_entries', [...OF_ENTRY, 'recorded_at', 'traces'], rows);
}

const OF_BID = [
  'bid_id',
  'lot_id',
  'auction_id',
  'sequence',
  'user_id',
  'straight_cents',
  'ceiling_cents',
  'amount_cents',
  'listed',
  'voided',
  'outcome',
  'channel',
  'bidder_key',
  'alias',
  'paddle_number',
  'entry_hash',
  'void_reason',
] as const satisfies readonly (keyof BidRow)[];

export async function insertBids(trx: Knex.Transaction, { bids }: PendingWrites): Promise<void> {
  const rows = Array.from(bids.values(), (bid): CopyValue[] => [
    ...OF_BID.map((name) => bid[name]),
    isoFromUs(bid.placed_at_us),
  ]);
  await copyRows(trx, 'bids', [...OF_BID, 'placed_at'], rows);
}
