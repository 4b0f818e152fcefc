/** A bidder's offers as their page shows them: with what each would cost. */
import type { Knex } from 'knex';
import { approvedTaxNumber } from '../../accounts/tax-numbers/tax-numbers.ts';
import { costOfOffer, type OfferCost } from '../../sales/offers/answer-offer.ts';
import type { Offer } from '../../sales/offers/offer.model.ts';
import { presentOffer } from '../../sales/offers/offer-facts.ts';
import { listOffers, type OfferFilter } from '../../sales/offers/offers.ts';
import type { ReadPage } from '../../shared/paging/read-page.ts';
import type { Translations } from '../../shared/translations.ts';

/** An offer with what it would cost. */
export interface ShownOffer extends OfferCost {
  readonly id: number;
  readonly lot_id: number;
  readonly title: string;
  readonly translations: Translations;
  readonly currency: string;
  readonly status: Offer['status'];
  readonly expires_at: string;
  readonly created_at: string;
  readonly invoice_number: string | null;
}

/** A page of a bidder's offers with what each comes to, newest first. */
export async function readOffersToShow(
  knex: Knex,
  userId: number,
  filter: OfferFilter,
): Promise<ReadPage<ShownOffer>> {
  const { rows, paging } = await listOffers(knex, userId, filter);
  const isTaxFree = (await approvedTaxNumber(knex, userId)) !== null;
  const nowMs = Date.now();
  return { rows: rows.map((offer) => shownOffer(offer, nowMs, isTaxFree)), paging };
}

function shownOffer(offer: Offer, nowMs: number, isTaxFree: boolean): ShownOffer {
  const { auction } = offer;
  if (auction === undefined) throw new Error(`offer ${offer.id} was read without its auction`);
  const { id, lot_id, lot, status, expires_at, created_at, invoice_number } = presentOffer(offer, nowMs);
  return {
    ...costOfOffer(offer.amount_cents, auction, isTaxFree),
    id,
    lot_id,
    title: lot.title,
    translations: offer.lot?.translations ?? {},
    currency: auction.currency,
    status,
    expires_at,
    created_at,
    invoice_number,
  };
}
