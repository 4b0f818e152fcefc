/**
 * What may be done with a lot that is over and that nobody stands by: one table, asked by whoever accepts its bid,
 * offers it to the next bidder or lists it again, and by the list of what is left to do.
 */
import type { Knex } from 'knex';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { holdMoney } from '../../billing/ledger/money-lock.ts';
import { OFFER_POLICY } from '../../shared/policy/offer-policy.ts';
import { judge } from '../../shared/policy/policy.ts';
import { invalidTransition, notFound, Refusal } from '../../shared/refusal.ts';
import { ENDED_AUCTIONS } from '../../shared/statuses/auction-statuses.ts';
import type { OfferStatus } from '../../shared/statuses/billing-statuses.ts';
import { isOverLot, UNSOLD_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { Offer, SaleDefault } from './offer.model.ts';

/** What became of a lot. */
export interface LotOutcome extends Pick<Lot, 'id' | 'status' | 'host_id' | 'leader_user_id' | 'closed_at'> {
  readonly isAuctionOver: boolean;
  /** Whether somebody with an account was billed for it, or a part of it. */
  readonly isBilled: boolean;
  /** The number of the invoice of somebody who was billed, and has not defaulted. */
  readonly standing: string | null;
  readonly offers: readonly Offer[];
  /** What it is listed again as, unless that came to nothing. */
  readonly relisted: Pick<Lot, 'id' | 'status'> | null;
}

/** `accept`: the bid at which it has passed. `offer`: to the best bidder who is left. */
export type Decision = 'accept' | 'offer' | 'relist';

/** So long the highest bidder of a lot that has passed is bound by their bid. */
const BID_STANDS_HOURS = 48;

type Rule = readonly [
  decisions: readonly Decision[],
  holds: (lot: LotOutcome) => boolean,
  refusal: (lot: LotOutcome) => Refusal,
];

/** The first that holds is why a lot’s seller may not decide so. */
const RULES: readonly Rule[] = [
  [['relist'], ({ status }) => !isOverLot(status), notUnsold],
  [
    ['accept'],
    ({ status }) => status !== 'passed',
    ({ status }) => invalidTransition(`The lot is ${status}: only a passed one has a bid to accept.`),
  ],
  // Who leads on it bid on a set, and its price is another's bid.
  [
    ['accept'],
    ({ host_id }) => host_id !== null,
    () => invalidTransition('The lot was offered in combinations: no bid is for it alone.'),
  ],
  [
    ['offer'],
    ({ isBilled, status }) => !isBilled && status !== 'passed',
    ({ id }) => notFound(`lot: lot ${id} was not sold to an account`),
  ],
  // Until then the floor may still sell it.
  [
    ['accept', 'offer'],
    ({ isBilled, isAuctionOver }) => !isBilled && !isAuctionOver,
    () => invalidTransition('The auction is not over yet.'),
  ],
  [
    ['accept'],
    ({ closed_at }) =>
      closed_at === null || Date.parse(closed_at) <= Date.now() - BID_STANDS_HOURS * 3_600_000,
    () => invalidTransition(`The bid stood for ${BID_STANDS_HOURS} hours after the close.`),
  ],
  [
    ['accept'],
    ({ offers }) => offers.some(({ status }) => !isAllowed('accept_bid', status)),
    () => invalidTransition('The lot is sold or offered already.'),
  ],
  [['offer'], (lot) => !isAllowed('make', offerState(lot)), notNext],
  [['accept', 'offer', 'relist'], ({ relisted }) => relisted !== null, listedAgain],
  [
    ['relist'],
    (lot) => lot.status === 'sold' && (!lot.isBilled || !isAllowed('make', offerState(lot))),
    notUnsold,
  ],
  // Its journal may not say yet that it was sold all the same.
  [
    ['relist'],
    ({ status, offers }) =>
      status !== 'sold' && offers.some((one) => one.status === 'offered' || one.status === 'accepted'),
    (lot) => notUnsold({ ...lot, status: 'sold' }),
  ],
  // What wins of tracts is chosen among all bids for all of them: without one of these no other is the next.
  [
    ['offer'],
    ({ host_id }) => host_id !== null,
    ({ id }) =>
      noBidderLeft(
        `lot: lot ${id} is a tract: which bids buy is chosen among all bids for any combination of all tracts, ` +
          'so that no bid that is left is the next one on it; list it again',
      ),
  ],
  [['accept'], ({ leader_user_id }) => leader_user_id === null, () => noBidderLeft()],
];

/** Why the seller, or staff by the command line, may not decide so; null: they may. */
export function whyNot(decision: Decision, lot: LotOutcome): Refusal | null {
  const found = RULES.find(([decisions, holds]) => decisions.includes(decision) && holds(lot));
  return found?.[2](lot) ?? null;
}

/** Throws where they may not. */
export function requireDecision(decision: Decision, lot: LotOutcome): void {
  const refusal = whyNot(decision, lot);
  if (refusal !== null) throw refusal;
}

/** Whether a sold lot is nobody’s again: all who bought it have defaulted. */
export function hasFallenThrough({ status, isBilled, standing }: LotOutcome): boolean {
  return status === 'sold' && isBilled && standing === null;
}

/**
 * Who has bought it stands by it as by an offer that they have accepted; one that was not offered yet is as one whose
 * offers are over.
 */
function offerState({ standing, offers }: LotOutcome): OfferStatus {
  if (standing !== null) return 'accepted';
  return offers.some(({ status }) => status === 'offered') ? 'offered' : 'expired';
}

function isAllowed(action: 'make' | 'accept_bid', state: OfferStatus): boolean {
  return judge(OFFER_POLICY, action, state, 'member') === 'allowed';
}

function notNext({ id, standing, offers }: LotOutcome): Refusal {
  const open = offers.find(({ status }) => status === 'offered');
  const sentence =
    standing === null
      ? `offer ${open?.id} for lot ${id} is still open`
      : `${standing} is not marked as defaulted; run "lot default" first`;
  return invalidTransition(`lot: ${sentence}`);
}

function listedAgain({ relisted }: LotOutcome): Refusal {
  const { id = 0, status } = relisted ?? {};
  const message = `The lot has already been listed again, as lot ${id}.`;
  // Not in the table: another lot.
  return new Refusal('invalid_transition', { message, data: { lot_id: id, status, allowed: [] } });
}

function notUnsold({ status }: Pick<LotOutcome, 'status'>): Refusal {
  const message = `The lot is ${status}: only a passed, unsold, withdrawn or defaulted one can be listed again.`;
  // Not in the table: what became of the lot.
  return new Refusal('invalid_transition', { message, data: { status, allowed: [] } });
}

/** The answer where nobody is left to whom a lot could be sold. */
export function noBidderLeft(message?: string): Refusal {
  return new Refusal('no_bidder_left', { ...(message === undefined ? {} : { message }), data: {} });
}

/** What became of these lots, by their ids. */
export async function readLotOutcomes(
  knex: Knex,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LotOutcome>> {
  const lots = await Lot.query(knex).whereIn('id', [...ids]);
  const auctions = await Auction.query(knex).whereIn(
    'id',
    lots.map(({ auction_id }) => auction_id),
  );
  const over = new Set(auctions.filter(({ status }) => ENDED_AUCTIONS.includes(status)).map(({ id }) => id));
  const sales = byLot(
    await Invoice.query(knex)
      .where('kind', 'winner')
      .whereIn('lot_id', [...ids])
      .orderBy('id'),
  );
  const defaults = await SaleDefault.query(knex).whereIn('lot_id', [...ids]);
  const defaulted = new Set(defaults.map(({ invoice_id }) => invoice_id));
  const offers = byLot(
    await Offer.query(knex)
      .whereIn('lot_id', [...ids])
      .orderBy('id'),
  );
  const again = await Lot.query(knex)
    .whereIn('relisted_from', [...ids])
    .whereRaw(`status NOT IN ${UNSOLD_LOT_SQL}`);
  const relisted = new Map(again.map((lot) => [lot.relisted_from, lot]));
  return new Map(
    lots.map((lot) => {
      const billed = newestOfParts(sales.get(lot.id) ?? []);
      return [
        lot.id,
        {
          ...lot,
          isAuctionOver: over.has(lot.auction_id),
          isBilled: billed.length > 0,
          standing: billed.find(({ id }) => !defaulted.has(id))?.invoice_number ?? null,
          offers: offers.get(lot.id) ?? [],
          relisted: relisted.get(lot.id) ?? null,
        },
      ];
    }),
  );
}

function byLot<T extends { readonly lot_id: number | null }>(rows: readonly T[]): ReadonlyMap<number, T[]> {
  const found = new Map<number, T[]>();
  for (const row of rows) found.set(row.lot_id ?? 0, [...(found.get(row.lot_id ?? 0) ?? []), row]);
  return found;
}

/** The newest invoice of each part that was bought, newest first: of most lots all of it is one. */
function newestOfParts(sales: readonly Invoice[]): Invoice[] {
  return [...new Map(sales.map((invoice) => [invoice.bid_id, invoice])).values()].sort((a, b) => b.id - a.id);
}

/** What became of a lot; what follows may decide on it. Throws 404. */
export async function readLotOutcome(knex: Knex, lotId: number): Promise<LotOutcome> {
  const found = (await readLotOutcomes(knex, [lotId])).get(lotId);
  if (found === undefined) throw notFound(`lot: there is no lot ${lotId}`);
  return found;
}

/**
 * The newest winner's invoice of a lot, and where several have bought a part of it, that of each part, newest first.
 * Their team's money is held: changes to the outcome of a sold lot wait here for each other.
 */
export async function lockSales(trx: Knex.Transaction, lotId: number): Promise<Invoice[]> {
  const billed = Invoice.query(trx).where({ lot_id: lotId, kind: 'winner' }).orderBy('id');
  const sold = await billed.clone().first();
  const lot = sold === undefined ? await Lot.query(trx).findById(lotId).select('team_id') : undefined;
  await holdMoney(trx, sold?.team_id ?? lot?.team_id ?? null);
  return newestOfParts(await billed);
}
