/** Decides a bid on a set of tracts (rule 23): pure, with the journal's clock handed in. */
import type { RefusalCode } from '../../lot/answers.ts';
import { limitUseOf } from '../../lot/bid-limits.ts';
import type { BidCommand, PlaceBid } from '../../lot/commands.ts';
import type { BidDecision, Context, LimitUse } from '../../lot/decision.ts';
import { type Approved, eligibilityRefusal, isApproved } from '../../lot/eligibility.ts';
import { extendedEndUs } from '../../lot/soft-close.ts';
import { formatCents, MAX_AMOUNT_CENTS } from '../../money.ts';
import { exposureOf, minimumCents, ownTotal, type Rivals, rivalsOf, sumOf } from './lead-price.ts';
import { reachesWhole, wouldBuy } from './parcels-close.ts';
import type { ParcelsBidPlaced, ParcelsEvent } from './parcels-events.ts';
import { faceOf } from './parcels-faces.ts';
import {
  idsIn,
  type LotSet,
  openSet,
  type ParcelBid,
  type ParcelsState,
  setOf,
  setTotal,
} from './parcels-state.ts';
import { shownBid, shownLeading } from './parcels-view.ts';

type Decided = BidDecision<ParcelsEvent, ParcelsBidPlaced>;

/**
 * From so many bids on one more has to lead: all that stand are stored with every commit, and the choice is made among
 * them while a bidder waits. Twice as many as `npm run bench:parcels` measures.
 */
export const MAX_BIDS = 4_000;

/** Tracts have no price to buy at. */
export function decideEither(state: ParcelsState, command: BidCommand, context: Context): Decided {
  if (command.type === 'place_bid') return decideBid(state, command, context);
  const face = faceOf(state, command.lotId ?? state.lotId);
  const early = eligibilityRefusal(face, command.bidder, { ...command, channel: 'online' }, context);
  return refuse(early ?? 'buy_now_unavailable');
}

function refuse(code: RefusalCode, limitUse: LimitUse | null = null): Decided {
  return { refuse: code, limitUse };
}

function unused(field: string): Decided {
  return { refuse: 'field_unused', fields: { field }, limitUse: null };
}

/** The set that a bid is for; null: it names what is not of the sale, or not the lot that it was sent to. */
export function setOfBid(
  state: ParcelsState,
  { lotId = state.lotId, lotIds = [lotId] }: PlaceBid,
): LotSet | null {
  return lotIds.includes(lotId) ? setOf(state, lotIds) : null;
}

function decideBid(state: ParcelsState, command: PlaceBid, context: Context): Decided {
  const { record, bidder } = context;
  const { bidder: who, straightCents: cents, ceilingCents, take } = command;
  if (ceilingCents !== null || cents === null) return unused('max_amount');
  if (take !== undefined) return unused('take');
  const set = setOfBid(state, command);
  if (set === null)
    return { refuse: 'field_unused', fields: { field: 'lot_ids', of_sale: true }, limitUse: null };
  const early = earlyRefusal(state, set, command, context);
  if (early !== null) return refuse(early);
  const minimum = minimumCents(state, set, record.increments);
  const rivals = rivalsOf(state, set, minimum);
  const leads = cents >= rivals.priceCents;
  const price = { price_to_lead: formatCents(rivals.priceCents, state.decimals) };
  if (cents < minimum) return { refuse: 'bid_too_low', fields: price, limitUse: null };
  const mayStand = command.standing === true && state.bids.length < MAX_BIDS;
  if (!leads && !mayStand) return { refuse: 'bid_not_leading', fields: price, limitUse: null };
  const totalCents = setTotal(state, set, cents);
  if (totalCents > MAX_AMOUNT_CENTS) return refuse('bid_limit_exceeded');
  const limitUse = limitUseOf(who, increaseBy(state, who.key, set, totalCents), context);
  if (limitUse?.refused) return refuse('bid_limit_exceeded', limitUse);
  if (!isApproved(bidder)) return { need: 'registration' };
  const bid = bidOf(state, command, bidder, { set, cents, totalCents });
  const event = placed(state, command, bid, { ...rivals, leads, ...context });
  return { event, limitUse };
}

/** Why it is refused whatever it is for. */
function earlyRefusal(
  state: ParcelsState,
  set: LotSet,
  command: PlaceBid,
  context: Context,
): RefusalCode | null {
  const { floor } = command;
  if (floor !== null && floor.sequence <= (state.floorSequences[floor.platform] ?? -1)) return 'floor_stale';
  const early = memberRefusal(state, set, command, context);
  if (early !== null) return early;
  const { combinationsFromUs: fromUs } = state;
  const isCombination = (set & (set - 1)) !== 0;
  return isCombination && fromUs !== null && context.nowUs < fromUs ? 'combinations_not_open' : null;
}

/** In the order in which they answer, before what is the same for all lots of a sale. */
const OF_LOTS: readonly RefusalCode[] = [
  'not_visible',
  'lot_withdrawn',
  'auction_paused',
  'lot_closed',
  'lot_not_started',
  'seller_cannot_bid',
];

/** Why nobody, or not this bidder, can bid on one of the lots. */
function memberRefusal(
  state: ParcelsState,
  set: LotSet,
  command: PlaceBid,
  { explain, ...context }: Context,
): RefusalCode | null {
  const codes = idsIn(state, set).map((lotId, at) =>
    eligibilityRefusal(faceOf(state, lotId), command.bidder, command, {
      ...context,
      ...(at === 0 && explain !== undefined ? { explain } : null),
    }),
  );
  const ofLots = OF_LOTS.find((code) => codes.includes(code));
  return ofLots ?? codes.find((code) => code !== null) ?? null;
}

/** By how much a bid raises what its bidder may have to pay. */
function increaseBy(state: ParcelsState, key: string, set: LotSet, totalCents: number): number {
  const own = state.bids.filter((bid) => bid.key === key);
  const withIt = [...own, { set, totalCents, sequence: state.sequence + 1 }];
  return ownTotal(withIt, state.lots.length, openSet(state)) - exposureOf(state, key);
}

function bidOf(
  state: ParcelsState,
  { bidId, channel }: PlaceBid,
  { key, userId, alias, paddle }: Approved,
  amounts: Pick<ParcelBid, 'set' | 'cents' | 'totalCents'>,
): ParcelBid {
  return { bidId, sequence: state.sequence + 1, ...amounts, key, userId, alias, paddle, channel };
}

/** The event: a bid that changes the choice extends the sale (rule 8). */
function placed(
  state: ParcelsState,
  { salt, floor }: PlaceBid,
  bid: ParcelBid,
  { leads, beside, record, nowUs, explain }: Rivals & Context & { readonly leads: boolean },
): ParcelsBidPlaced {
  const bids = [...state.bids, bid];
  const choice = leads ? [...beside, bid] : null;
  const totalCents = choice === null ? state.totalCents : sumOf(choice);
  const leading = choice === null ? state.leading : choice.map(({ bidId }) => bidId);
  const next = { ...state, bids, leading, totalCents };
  const extendedToUs = leads ? extendedEndUs(state, record, nowUs, explain) : null;
  const { key, userId, alias, paddle } = bid;
  const buys = leads && wouldBuy(next, bid);
  return {
    type: 'bid_placed',
    ...{ sequence: bid.sequence, bidId: bid.bidId, salt, bidder: { key, userId, alias, paddle } },
    channel: bid.channel,
    outcome: buys ? 'leading' : leads ? 'leading_reserve_not_met' : 'standing',
    lotIds: idsIn(state, bid.set),
    amountCents: bid.cents,
    bidTotal: shownBid(state, bid).total ?? null,
    leading: shownLeading(next),
    totalCents,
    currentCents: totalCents,
    bidCount: bids.length,
    minimumNextCents: minimumCents(next, bid.set, record.increments),
    reserveMet: reachesWhole(next),
    endsAtUs: extendedToUs ?? state.endsAtUs,
    extendedToUs,
    floor,
  };
}
