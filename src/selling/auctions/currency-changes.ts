/**
 * Changing a draft of an auction, and any auction's currency. Amounts keep their figures: of a draft, what was 500.00
 * in one currency is 500.00 in the other, and a currency that has no such amount is refused. Nothing that somebody
 * owes, has paid or has bid is ever in another currency than its auction: then, and once its lots are published in a
 * currency of other decimal places, the currency stays.
 */
import type { Knex } from 'knex';
import { type Decimals, decimalsOf, formatCents, withDecimals } from '../../../engine/money.ts';
import { Auction, type StoredAuction } from '../../bidding/records/auction.model.ts';
import type { AuctionColumns } from '../../bidding/records/auction-columns.ts';
import { requireGroupsFit } from '../../bidding/records/grouped-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { amountsWithDecimals, withoutUnused } from '../../bidding/records/lot-columns.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';

/** Throws 409 `auction_locked` where a deposit or a fee hangs on the auction; its row must be locked. */
export async function requireNothingOwed(trx: Knex.Transaction, auctionId: number): Promise<void> {
  const owed = await Invoice.query(trx).findOne('auction_id', auctionId).select('invoice_number');
  if (owed === undefined) return;
  throw locked(`invoice ${owed.invoice_number} is in it`);
}

/** Throws 409 `auction_locked` for a currency of other decimal places than those of lots that are published. */
export function requireSameDecimals(from: string, to: string): void {
  if (decimalsOf(from) !== decimalsOf(to)) throw locked('the auction is published');
}

function locked(why: string): Refusal {
  const message = `The currency can no longer be changed, because ${why}.`;
  return new Refusal('auction_locked', { message, data: { fields: ['currency'] } });
}

/** Changes a draft, and what of its lots follows from that. Its row must be locked. Throws 409 and 422. */
export async function patchDraft(
  trx: Knex.Transaction,
  draft: Auction,
  columns: AuctionColumns,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await requireGroupsFit(trx, draft, columns);
  const { currency, format } = columns;
  if (format !== undefined && format !== draft.format)
    await Lot.query(trx).where('auction_id', draft.id).patch(withoutUnused(format));
  if (currency === undefined || currency === draft.currency)
    return void (await Auction.query(trx).findById(draft.id).patch(columns));
  await requireNothingOwed(trx, draft.id);
  // Lots are ordered by their amounts, which count in the auction's currency: it comes first.
  await Auction.query(trx).findById(draft.id).patch({ currency });
  const amounts = await amountsOfDraft(trx, draft, columns);
  await Auction.query(trx)
    .findById(draft.id)
    .patch({ ...amounts, ...columns });
}

/**
 * A draft's amounts that are not given anew, in a currency with other decimal places: its own as columns, those of its
 * lots and invitations written at once. Its row must be locked. Throws 422 in `errors.currency`.
 */
async function amountsOfDraft(
  trx: Knex.Transaction,
  auction: StoredAuction,
  columns: AuctionColumns,
): Promise<AuctionColumns> {
  const [from, to] = [decimalsOf(auction.currency), decimalsOf(columns.currency ?? auction.currency)];
  if (from === to) return {};
  const changed = (cents: number) => inDecimals(cents, from, to);
  const lots = await Lot.query(trx).where('auction_id', auction.id);
  for (const lot of lots)
    await Lot.query(trx)
      .findById(lot.id)
      .patch(amountsWithDecimals(lot, {}, [from, to], 'currency'));
  // SQL: registrations have no model, the journal owns what is live of them.
  const invited: { id: number; bid_limit_cents: number }[] = await trx('registrations')
    .where('auction_id', auction.id)
    .whereNotNull('bid_limit_cents')
    .select('id', 'bid_limit_cents');
  // SQL: as above.
  for (const { id, bid_limit_cents } of invited)
    await trx('registrations')
      .where('id', id)
      .update({ bid_limit_cents: changed(bid_limit_cents) });
  return ownAmounts(auction, columns, changed);
}

function ownAmounts(
  auction: StoredAuction,
  changes: AuctionColumns,
  changed: (cents: number) => number,
): AuctionColumns {
  const own: AuctionColumns = {};
  for (const column of ['registration_deposit_cents', 'registration_bid_limit_cents'] as const) {
    const cents = auction[column];
    if (changes[column] === undefined && cents !== null) own[column] = changed(cents);
  }
  if (changes.increments === undefined && auction.increments !== null)
    own.increments = auction.increments.map((band) => ({
      from_cents: changed(band.from_cents),
      increment_cents: changed(band.increment_cents),
    }));
  if (changes.premium_bands === undefined)
    own.premium_bands = auction.premium_bands.map((band) => ({
      ...band,
      from_cents: changed(band.from_cents),
    }));
  return own;
}

function inDecimals(cents: number, from: Decimals, to: Decimals): number {
  const changed = withDecimals(cents, from, to);
  if (changed !== null) return changed;
  throw invalid({ currency: [`The currency has no amount of ${formatCents(cents, from)}.`] });
}

/** Locks the auction for a change of its currency; gives its row. */
export async function lockedAuction(trx: Knex.Transaction, auctionId: number): Promise<Auction | undefined> {
  return Auction.query(trx).findById(auctionId).forUpdate();
}
