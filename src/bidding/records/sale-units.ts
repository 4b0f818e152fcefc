/**
 * Lots that are one sale: one of them hosts the journal of all. Which one is written when they are published, and
 * never changes.
 */
import type { Knex } from 'knex';
import { isOneOf } from '../../../engine/objects.ts';
import type { AddError } from '../../shared/add-error.ts';
import { checkTogether } from '../../shared/format-fields.ts';
import { OPEN_LOT_SQL, OPEN_LOTS } from '../../shared/statuses/lot-statuses.ts';

/** Makes one sale of the lots of an auction that is being published: the one with the lowest number hosts them. */
export async function joinSale(trx: Knex.Transaction, auctionId: number): Promise<void> {
  // SQL: a row's value is another row's.
  await trx.raw(
    `UPDATE lots SET host_id = (
       SELECT h.id FROM lots h WHERE h.auction_id = :auctionId AND h.status IN ${OPEN_LOT_SQL}
       ORDER BY h.lot_number LIMIT 1)
     WHERE auction_id = :auctionId AND host_id IS NULL AND status IN ${OPEN_LOT_SQL}`,
    { auctionId },
  );
}

/** An auction with its lots, as an import file has it. */
interface WholeAuction {
  readonly format?: string;
  readonly status?: string;
  readonly lots?: readonly { readonly status?: string; readonly bid_per?: unknown }[] | null;
}

/** Adds errors where an auction that comes in published has lots that are no sale. */
export function checkSaleUnit({ format, status = 'draft', lots }: WholeAuction, addError: AddError): void {
  if (format === undefined || status === 'draft') return;
  const sold = (lots ?? []).filter((lot) => isOneOf(OPEN_LOTS, lot.status ?? status));
  checkTogether(format, sold, addError);
}

/** Whether a bid `bids` is for a lot `lot`, alone or with others it is sold with, as SQL. */
export function onLotSql(bids: string, lot: string): string {
  return `(${bids}.lot_id = coalesce(${lot}.host_id, ${lot}.id)
    AND (${bids}.lot_ids IS NULL OR ${bids}.lot_ids @> to_jsonb(${lot}.id)))`;
}
