/** A new lot's identifiers: its id, which its slug ends with, and its number in the auction. */
import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { requireValid } from '../../shared/require-valid.ts';

/** An id that no other lot gets. */
export async function nextLotId(trx: Knex): Promise<number> {
  // SQL: the slug wants the id before the row is there.
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    "SELECT nextval(pg_get_serial_sequence('lots', 'id')) AS id",
  );
  return firstOf(rows).id;
}

/** The number requested, or the highest + 1. The auction's row must be locked. */
export async function freeNumber(
  trx: Knex,
  auctionId: number,
  wanted: number | undefined,
  lotId: number | null,
): Promise<number> {
  const lots = Lot.query(trx).where('auction_id', auctionId);
  if (wanted === undefined) {
    const top = await lots.max('lot_number as lot_number').first();
    return (top?.lot_number ?? 0) + 1;
  }
  const holder = await lots.findOne('lot_number', wanted).select('id');
  await requireValid((addError) => {
    if (holder !== undefined && holder.id !== lotId) addError('lot_number', 'is taken in this auction');
  });
  return wanted;
}
