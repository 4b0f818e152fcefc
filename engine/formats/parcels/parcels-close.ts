/** How a sale of tracts ends (rule 23): what buys, and each lot's share of its set's price. */
import type { BidderKey } from '../../auction/record.ts';
import { itemAt } from '../../first-of.ts';
import type { NewEvent } from '../../lot/events.ts';
import { totalOf } from '../../lot/units.ts';
import type { ParcelsLotClosed } from './parcels-events.ts';
import {
  idsIn,
  isOpenLot,
  type LotSet,
  leadingBids,
  lotsIn,
  type ParcelBid,
  type ParcelLot,
  type ParcelsState,
  setOf,
} from './parcels-state.ts';

type Sale = Pick<
  ParcelsState,
  'lots' | 'bids' | 'leading' | 'totalCents' | 'wholeReserveCents' | 'sellParts'
>;

/** Whether the choice as a whole reaches what the seller wants for it; where no reserve is set, anything does. */
export function reachesWhole({ lots, totalCents, wholeReserveCents }: Sale): boolean {
  if (wholeReserveCents !== null) return totalCents >= wholeReserveCents;
  return lots.every(({ status, reserveCents }) => status === 'withdrawn' || reserveCents === null);
}

/** Whether a bid that leads would buy, were this the end. */
export function wouldBuy(state: Sale, bid: ParcelBid): boolean {
  if (reachesWhole(state)) return true;
  if (!state.sellParts && state.wholeReserveCents !== null) return false;
  return bid.totalCents >= reserveOf(state, bid.set);
}

/** What the leading bids of a bidder that would buy come to. */
export function buyingCents(state: ParcelsState, key: BidderKey): number {
  const own = leadingBids(state).filter((bid) => bid.key === key && wouldBuy(state, bid));
  return own.reduce((sum, { totalCents }) => sum + totalCents, 0);
}

/** What the reserves of a set's lots come to together. */
function reserveOf(state: Pick<Sale, 'lots'>, set: LotSet): number {
  return lotsIn(state, set).reduce(
    (sum, { reserveCents, units }) => sum + (reserveCents === null ? 0 : totalOf(units, reserveCents)),
    0,
  );
}

/** What the whole sale would fetch as the seller wants it: all that leads would buy. */
export function isReserveMet(state: Sale): boolean {
  if (reachesWhole(state)) return true;
  const leading = leadingBids(state);
  return (
    state.wholeReserveCents === null && leading.length > 0 && leading.every((bid) => wouldBuy(state, bid))
  );
}

type Closed = NewEvent<ParcelsLotClosed>;
type Reason = ParcelsLotClosed['reason'];

/** One event for each lot that is open, by number. */
export function closedAll(
  state: Sale,
  reason: Reason,
  buys = (bid: ParcelBid) => wouldBuy(state, bid),
): Closed[] {
  const buying = leadingBids(state).filter(buys);
  const shares = new Map(buying.flatMap((bid) => sharesOf(state, bid)));
  return state.lots.filter(isOpenLot).map((lot): Closed => {
    const common = {
      type: 'lot_closed',
      lotId: lot.lotId,
      reason,
      flags: [],
      floor: null,
      saleFacts: null,
    } as const;
    const own = setOf(state, [lot.lotId]) ?? 0;
    const bid = buying.find(({ set }) => (set & own) !== 0);
    if (bid === undefined) {
      const isNamed = state.bids.some(({ set }) => (set & own) !== 0);
      return { ...common, status: isNamed ? 'passed' : 'unsold', hammerCents: null, winner: null, set: null };
    }
    const { key, userId, alias, paddle, bidId, cents: amountCents } = bid;
    return {
      ...common,
      status: 'sold',
      hammerCents: shares.get(lot.lotId) ?? 0,
      winner: { key, userId, alias, paddle },
      set: { bidId, lotIds: idsIn(state, bid.set), amountCents },
    };
  });
}

/**
 * What each lot of a set costs: by its units where all have them, else by its starting bid, rounded down; the last
 * takes the rest.
 */
function sharesOf(state: Pick<Sale, 'lots'>, { set, totalCents }: ParcelBid): [number, number][] {
  const lots = lotsIn(state, set);
  const weights = weightsOf(lots);
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  let rest = totalCents;
  return lots.map(({ lotId }, at): [number, number] => {
    const share = at === lots.length - 1 ? rest : Number((BigInt(totalCents) * itemAt(weights, at)) / all);
    rest -= share;
    return [lotId, share];
  });
}

function weightsOf(lots: readonly ParcelLot[]): bigint[] {
  const counts = lots.map(({ units }) => units?.count ?? null);
  const known = counts.filter((count) => count !== null);
  const weights = known.length === lots.length ? known : lots.map(({ startingBidCents }) => startingBidCents);
  // Lots that start at nothing are worth the same.
  return weights.some((weight) => weight > 0) ? weights.map(BigInt) : lots.map(() => 1n);
}
