/** The rows that are only ever added: entries of the journal, and the bids in them. */
import type { Knex } from 'knex';
import type { Column } from '../../../adapters/postgres/binary-rows.ts';
import { copyRows } from '../../../adapters/postgres/copy-rows.ts';
import type { BidRow, EntryRow, PendingWrites } from './pending-writes.ts';

const OF_ENTRY: readonly Column<EntryRow>[] = [
  ['lot_id', 'bigint'],
  ['sequence', 'bigint'],
  ['first_sequence', 'bigint'],
  ['recorded_at_us', 'timestamptz', 'recorded_at'],
  ['hash', 'text'],
  ['previous_hash', 'text'],
  ['public_text', 'text'],
  ['private_text', 'text'],
  ['traces', 'jsonb'],
];

/** In the order of their index, whose pages are then filled one after another. */
export async function insertEntries(trx: Knex.Transaction, { entries }: PendingWrites): Promise<void> {
  const ordered = entries.toSorted((a, b) => a.lot_id - b.lot_id || a.sequence - b.sequence);
  await copyRows(trx, 'journal_entries', OF_ENTRY, ordered);
}

const OF_BID: readonly Column<BidRow>[] = [
  ['bid_id', 'text'],
  ['lot_id', 'bigint'],
  ['auction_id', 'bigint'],
  ['lot_ids', 'jsonb'],
  ['sequence', 'bigint'],
  ['user_id', 'bigint'],
  ['straight_cents', 'bigint'],
  ['ceiling_cents', 'bigint'],
  ['amount_cents', 'bigint'],
  ['placed_at_us', 'timestamptz', 'placed_at'],
  ['listed', 'boolean'],
  ['voided', 'boolean'],
  ['outcome', 'text'],
  ['channel', 'text'],
  ['bidder_key', 'text'],
  ['alias', 'text'],
  ['paddle_number', 'text'],
  ['entry_hash', 'text'],
  ['void_reason', 'text'],
];

export async function insertBids(trx: Knex.Transaction, { bids }: PendingWrites): Promise<void> {
  await copyRows(trx, 'bids', OF_BID, [...bids.values()]);
}
