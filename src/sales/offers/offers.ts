/**
 * Second chances: a lot whose winner defaulted, or that has passed below its reserve, is offered to the best bidder
 * who is left, one at a time, at the highest amount that they bid or left as a ceiling. Staff and sellers make offers,
 * the bidder answers, the clock ends those that nobody answers.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { isPerUnit, totalOf } from '../../../engine/lot/units.ts';
import { User } from '../../accounts/models/user.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { appendLast } from '../../events/outbox.ts';
import { type UnitColumns, unitsOf } from '../../shared/lot-units.ts';
import { readModelPage } from '../../shared/paging/read-page.ts';
import { JUST_LEFT_SQL } from '../../shared/policy/relations.ts';
import { Refusal } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { lockSales, noBidderLeft, readLotOutcome, requireDecision } from './lot-outcomes.ts';
import { Offer } from './offer.model.ts';
import { offerFact } from './offer-facts.ts';

export const DEFAULT_OFFER_HOURS = 48;
export const MAX_OFFER_HOURS = 168;

export interface OfferTerms {
  /** Offer it to somebody whose highest amount is below the reserve. */
  readonly belowReserve?: boolean;
  /** How long it is open, 1 to 168; 48 when not given. */
  readonly hours?: number;
}

/**
 * Offers a lot to the best bidder who is left. Throws `not_found` for a lot that was never sold to somebody with an
 * account and has not passed, `invalid_transition` if nobody has defaulted on it, its auction is not over, an offer is
 * open or it is relisted, `no_bidder_left`, and `reserve_not_reached`.
 */
export function offerSecondChance(knex: Knex, lotId: number, terms: OfferTerms = {}): Promise<Offer> {
  return inTransaction(knex, async (trx) => {
    const sales = await lockSales(trx, lotId);
    // Whoever lists it again waits here.
    if (sales.length === 0) await Lot.query(trx).findById(lotId).select('id').forNoKeyUpdate();
    requireDecision('offer', await readLotOutcome(trx, lotId));
    const best = await bestBidderLeft(trx, lotId);
    if (best === undefined) throw noBidderLeft(`lot: no other account has bid on lot ${lotId}`);
    const { reserve_cents: reserve, amount_cents: amount } = best;
    const units = unitsOf(best);
    if (reserve !== null && amount < reserve && terms.belowReserve !== true) {
      throw new Refusal('reserve_not_reached', {
        message: `lot: the best remaining bid on lot ${lotId} is below the reserve; set --below-reserve (API: below_reserve) to offer it anyway`,
        data: {},
      });
    }
    const made = await Offer.query(trx)
      .insert({
        lot_id: lotId,
        auction_id: best.auction_id,
        user_id: best.user_id,
        amount_cents: totalOf(units, amount),
        unit_price_cents: isPerUnit(units) ? amount : null,
        currency: best.currency,
        expires_at: raw("now() + ? * interval '1 hour'", terms.hours ?? DEFAULT_OFFER_HOURS),
      })
      .returning('*');
    await appendLast(trx, offerFact(made, 'offer.created', best.team_id, null));
    return readOffer(trx, made.id);
  });
}

/**
 * SQL: whether user `u` is on the selling side of lot `l` of auction `a`: of its team, now or within 30 days, or its
 * consignor.
 */
const IS_SELLER_SQL = `(u.id IN (coalesce(l.consignor_id, 0), coalesce(l.named_consignor_id, 0))
  OR EXISTS (SELECT FROM memberships m WHERE m.team_id = a.team_id AND m.user_id = u.id)
  OR EXISTS (SELECT FROM left_memberships m WHERE m.team_id = a.team_id AND m.user_id = u.id
    AND ${JUST_LEFT_SQL}))`;

/** SQL: whether user `u` is suspended, here or everywhere. */
const IS_SUSPENDED_SQL = `(u.suspended_at IS NOT NULL OR EXISTS (SELECT FROM registrations r
  WHERE r.auction_id = a.id AND r.user_id = u.id AND r.status = 'suspended'))`;

/**
 * Throws `seller_cannot_bid` or `bidder_suspended` where somebody may not buy a lot now, whatever they could when it
 * was offered to them. Until the transaction ends nobody suspends them or names them the lot’s consignor.
 */
export async function requireMayBuy(trx: Knex, lotId: number, userId: number): Promise<void> {
  await Lot.query(trx).findById(lotId).select('id').forShare();
  await User.query(trx).findById(userId).select('id').forShare();
  // SQL: the same conditions as for an offer.
  const { rows } = await trx.raw<{ rows: { seller: boolean; suspended: boolean }[] }>(
    `SELECT ${IS_SELLER_SQL} AS seller, ${IS_SUSPENDED_SQL} AS suspended
     FROM lots l JOIN auctions a ON a.id = l.auction_id JOIN users u ON u.id = :userId WHERE l.id = :lotId`,
    { lotId, userId },
  );
  // Not in the table: as the engine says it of a bid, by the rows of now.
  if (rows[0]?.seller === true) throw new Refusal('seller_cannot_bid');
  if (rows[0]?.suspended === true) throw new Refusal('bidder_suspended');
}

interface BidderLeft extends UnitColumns {
  readonly user_id: number;
  readonly amount_cents: number;
  readonly auction_id: number;
  readonly team_id: number;
  readonly currency: string;
  readonly reserve_cents: number | null;
}

/** The highest bidder who has bought nothing of it and had no offer so far; of two equal ones, the earlier. */
async function bestBidderLeft(trx: Knex.Transaction, lotId: number): Promise<BidderLeft | undefined> {
  // SQL: bids have no model, the journal owns them.
  const { rows } = await trx.raw<{ rows: BidderLeft[] }>(
    `SELECT b.user_id, greatest(b.ceiling_cents, b.amount_cents) AS amount_cents, l.auction_id, a.team_id, a.currency,
       l.reserve_price_cents AS reserve_cents, l.units, l.unit_name, l.bid_per
     FROM bids b
     JOIN lots l ON l.id = b.lot_id
     JOIN auctions a ON a.id = l.auction_id
     JOIN users u ON u.id = b.user_id
     WHERE b.lot_id = :lotId AND b.lot_ids IS NULL AND NOT b.voided AND NOT ${IS_SELLER_SQL} AND NOT ${IS_SUSPENDED_SQL}
       AND NOT EXISTS (SELECT 1 FROM sale_defaults d WHERE d.lot_id = b.lot_id AND d.user_id = b.user_id)
       AND NOT EXISTS (SELECT 1 FROM offers o WHERE o.lot_id = b.lot_id AND o.user_id = b.user_id)
     ORDER BY amount_cents DESC, b.sequence LIMIT 1`,
    { lotId },
  );
  return rows[0];
}

/** An offer of ours with its lot and invoice. */
export async function readOffer(knex: Knex, id: number): Promise<Offer> {
  return Offer.query(knex).findById(id).withGraphFetched('[lot, invoice]').throwIfNotFound();
}

export interface OfferFilter {
  readonly status?: Offer['status'];
  readonly page: number;
  readonly per_page: number;
}

/**
 * A page of a bidder's offers with their lots, auctions and invoices, newest first. One whose time is over counts as
 * expired.
 */
export function listOffers(knex: Knex, userId: number, { status, ...requested }: OfferFilter) {
  const query = Offer.query(knex).where('user_id', userId);
  if (status === 'offered') query.where({ status }).whereRaw('expires_at > now()');
  else if (status === 'expired') {
    query.where((or) =>
      or.where({ status }).orWhere((late) => late.where('status', 'offered').whereRaw('expires_at <= now()')),
    );
  } else if (status !== undefined) query.where({ status });
  const whole = query.withGraphFetched('[lot, auction, invoice]');
  return readModelPage(whole, [{ column: 'id', order: 'desc' }], requested);
}
