/** A bidder's offers as their page shows them: with what each would cost. */
import type { Knex } from 'knex';
import { costOfOffer, type OfferCost, type OfferTermsRow } from './answer-offer.ts';
import type { Offer } from './offer.model.ts';
import type { OfferFilter } from './offers.ts';

/** An offer with what it would cost. */
export interface ShownOffer extends OfferCost {
  readonly id: number;
  readonly lot_id: number;
  readonly title: string;
  readonly currency: string;
  readonly status: Offer['status'];
  readonly expires_at: string;
  readonly created_at: string;
  readonly invoice_number: string | null;
}

type ShownRow = Omit<ShownOffer, keyof OfferCost> & OfferTermsRow;

/** A page of a bidder's offers with what each comes to, newest first. */
export async function readOffersToShow(
  knex: Knex,
  userId: number,
  { page, perPage }: OfferFilter,
): Promise<{ rows: ShownOffer[]; total: number }> {
  const own = knex('offers as o').where('o.user_id', userId);
  const [counted] = await own.clone().count<{ n: string }[]>('* as n');
  const rows: ShownRow[] = await own
    .join('lots as l', 'l.id', 'o.lot_id')
    .join('auctions as a', 'a.id', 'o.auction_id')
    .leftJoin('invoices as i', 'i.id', 'o.invoice_id')
    .orderBy('o.id', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage)
    .select(
      'o.id',
      'o.lot_id',
      'o.amount_cents',
      'o.expires_at',
      'o.created_at',
      'l.title',
      'a.currency',
      'a.buyer_premium_bps',
      'a.sales_tax_ppm',
      'i.invoice_number',
      knex.raw(
        "CASE WHEN o.status = 'offered' AND o.expires_at <= now() THEN 'expired' ELSE o.status END AS status",
      ),
    );
  const shown = rows.map((row) => ({ ...row, ...costOfOffer(row) }));
  return { rows: shown, total: Number(counted?.n ?? 0) };
}
