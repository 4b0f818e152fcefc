/**
 * How offers end: accepted, with an invoice like any winner's; declined; or over, by the clock. An answer waits for
 * other changes to the lot's outcome, and counts once.
 */

import type { Knex } from 'knex';
import { raw } from 'objection';
import { present } from '../../../engine/first-of.ts';
import { isPerUnit, totalOf } from '../../../engine/lot/units.ts';
import { approvedTaxNumber } from '../../accounts/tax-numbers/tax-numbers.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { premiumTermsOf } from '../../bidding/records/auction-rows.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { writeOutcome } from '../../bidding/records/sale-outcomes.ts';
import { createInvoice } from '../../billing/invoices/create-invoices.ts';
import { winnerInvoice } from '../../billing/invoices/winner-invoices.ts';
import { holdMoney } from '../../billing/ledger/money-lock.ts';
import { reviseSettlement } from '../../billing/settlements/settlements.ts';
import { appendLast } from '../../events/outbox.ts';
import { forEachDue } from '../../shared/due-rows.ts';
import { unitsOf } from '../../shared/lot-units.ts';
import { OFFER_POLICY } from '../../shared/policy/offer-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { notFound } from '../../shared/refusal.ts';
import { saleAmounts } from '../../shared/sale-amounts.ts';
import type { OfferStatus } from '../../shared/statuses/billing-statuses.ts';
import { movesLeft } from '../../shared/statuses/require-move.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { lockSales, readLotOutcome, requireDecision } from './lot-outcomes.ts';
import { Offer } from './offer.model.ts';
import { offerFact } from './offer-facts.ts';
import { readOffer, requireMayBuy } from './offers.ts';

/**
 * Accepts an offer: the lot is sold to the bidder. Throws `not_found`, `invalid_transition` if it is no longer open,
 * and `seller_cannot_bid` or `bidder_suspended` if they may not buy it by now.
 */
export function acceptOffer(knex: Knex, id: number, userId: number): Promise<Offer> {
  return inTransaction(knex, async (trx) => {
    const offer = await lockOffer(trx, id, userId);
    await requireOpen(trx, offer, 'accept');
    await requireMayBuy(trx, offer.lot_id, userId);
    return sellBy(trx, offer);
  });
}

/** Sells the lot as an open offer says. */
async function sellBy(trx: Knex.Transaction, offer: Offer): Promise<Offer> {
  const sale = await readSale(trx, offer);
  const { id: invoiceId, invoice_number: number } = await bill(trx, offer, sale);
  const accepted = await decide(trx, offer, 'accepted', invoiceId);
  const { lot_id, user_id, amount_cents: hammer_cents } = offer;
  await writeOutcome(trx, { lot_id, user_id, outcome: 'won', hammer_cents });
  await reviseSettlement(trx, offer.auction_id);
  await appendLast(trx, offerFact(accepted, 'offer.accepted', sale.auction.team_id, number));
  return readOffer(trx, offer.id);
}

/**
 * Accepts the bid at which a lot has passed, below its reserve: it is sold to that bidder, at that price. Throws
 * `not_found`, `invalid_transition` where it has not passed, is listed again, or its time is over, `no_bidder_left`,
 * and `seller_cannot_bid` or `bidder_suspended` if they may not buy it by now.
 */
export function acceptHighestBid(knex: Knex, teamId: number, lotId: number): Promise<Offer> {
  return inTransaction(knex, async (trx) => {
    await holdMoney(trx, teamId);
    // Whoever lists it again waits here.
    const lot = await Lot.query(trx).findOne({ id: lotId, team_id: teamId }).forNoKeyUpdate();
    if (lot === undefined) throw notFound('There is no such lot.');
    const auction = await Auction.query(trx).findById(lot.auction_id).throwIfNotFound();
    requireDecision('accept', await readLotOutcome(trx, lotId));
    const userId = present(lot.leader_user_id);
    const cents = lot.current_bid_cents;
    await requireMayBuy(trx, lotId, userId);
    const units = unitsOf(lot);
    const offer = await Offer.query(trx)
      .insert({
        ...{ lot_id: lotId, auction_id: auction.id, user_id: userId, currency: auction.currency },
        amount_cents: totalOf(units, cents),
        unit_price_cents: isPerUnit(units) ? cents : null,
        expires_at: raw('now()'),
      })
      .returning('*');
    return sellBy(trx, offer);
  });
}

/** Declines an offer: the next bidder may get an offer. Throws as `acceptOffer`. */
export function declineOffer(knex: Knex, id: number, userId: number): Promise<Offer> {
  return inTransaction(knex, async (trx) => {
    const offer = await lockOffer(trx, id, userId);
    await requireOpen(trx, offer, 'decline');
    await end(trx, offer, 'declined');
    return readOffer(trx, id);
  });
}

/** Ends the offers whose time is over. Returns how many. */
export function expireOffers(knex: Knex): Promise<number> {
  const due = Offer.query(knex).where('status', 'offered').whereRaw('expires_at <= now()');
  return forEachDue('offer', due, ({ id, user_id }) =>
    inTransaction(knex, async (trx) => {
      const offer = await lockOffer(trx, id, user_id);
      if (offer.status === 'offered') await end(trx, offer, 'expired');
    }),
  );
}

async function end(trx: Knex.Transaction, offer: Offer, status: 'declined' | 'expired'): Promise<void> {
  const ended = await decide(trx, offer, status, null);
  const { team_id } = await Auction.query(trx).findById(offer.auction_id).throwIfNotFound();
  await appendLast(trx, offerFact(ended, `offer.${status}`, team_id, null));
}

async function lockOffer(trx: Knex.Transaction, id: number, userId: number): Promise<Offer> {
  const found = await Offer.query(trx).where({ id, user_id: userId }).first();
  if (found === undefined) throw notFound('There is no such offer.');
  await lockSales(trx, found.lot_id);
  return Offer.query(trx).findById(id).throwIfNotFound();
}

async function requireOpen(
  trx: Knex.Transaction,
  { id, status }: Offer,
  action: 'accept' | 'decline',
): Promise<void> {
  const late = await Offer.query(trx).findById(id).whereRaw('expires_at <= now()');
  // The clock says so a moment later.
  const state = status === 'offered' && late !== undefined ? 'expired' : status;
  requireAllowed(OFFER_POLICY, action, state, 'own', movesLeft('offer', state, `Offer ${id}`));
}

async function decide(
  trx: Knex.Transaction,
  offer: Offer,
  status: OfferStatus,
  invoiceId: number | null,
): Promise<Offer> {
  return Offer.query(trx)
    .findById(offer.id)
    .patch({ status, invoice_id: invoiceId, decided_at: raw('now()') })
    .returning('*')
    .first()
    .throwIfNotFound();
}

interface Sale {
  readonly lot: Lot;
  readonly auction: Auction;
}

/** The team's money is held: a settlement of the auction comes before us or sees the new invoice. */
async function readSale(trx: Knex.Transaction, { lot_id, auction_id }: Offer): Promise<Sale> {
  const auction = await Auction.query(trx).findById(auction_id).throwIfNotFound();
  return { auction, lot: await Lot.query(trx).findById(lot_id).throwIfNotFound() };
}

/** What an offer's price is worked out from. */
type CostTerms = Pick<
  Auction,
  'buyer_premium_bps' | 'premium_bands' | 'online_surcharge_bps' | 'sales_tax_ppm'
>;

export type OfferCost = ReturnType<typeof saleAmounts>;

/** What the buyer owes after accepting the offer, which they do online. */
export function costOfOffer(amountCents: number, terms: CostTerms, isTaxFree: boolean): OfferCost {
  const taxPpm = isTaxFree ? 0 : terms.sales_tax_ppm;
  return saleAmounts(amountCents, { ...premiumTermsOf(terms), taxPpm });
}

/** The version of the conditions that the buyer accepted; the newest where they accepted none. */
async function acceptedVersion(
  trx: Knex.Transaction,
  offer: Offer,
  auction: Auction,
): Promise<number | null> {
  // SQL: registrations have no model, the journal owns what is live of them.
  const row = await trx('registrations')
    .where({ auction_id: auction.id, user_id: offer.user_id })
    .first<{ conditions_version: number | null } | undefined>('conditions_version');
  return row?.conditions_version ?? auction.conditions_version;
}

async function bill(trx: Knex.Transaction, offer: Offer, { lot, auction }: Sale) {
  const taxNumber = await approvedTaxNumber(trx, offer.user_id);
  const cost = costOfOffer(offer.amount_cents, auction, taxNumber !== null);
  const amounts = { ...cost, taxPpm: auction.sales_tax_ppm };
  const who = {
    lot_id: lot.id,
    user_id: offer.user_id,
    auction_id: auction.id,
    team_id: auction.team_id,
    title: lot.title,
    lot_number: lot.lot_number,
    ...{ quantity: lot.quantity, units: lot.units, unit_name: lot.unit_name, bid_per: lot.bid_per },
    payment_due_days: auction.payment_due_days,
    conditions_version: await acceptedVersion(trx, offer, auction),
    tax_number_id: taxNumber?.id ?? null,
  };
  return createInvoice(trx, winnerInvoice(who, amounts, auction.currency));
}
