/**
 * The floor's decision on a lot: `sold`, `passed` or `unsold`, applied as it is, with what is odd about it noted as
 * flags. Saying the same thing twice changes nothing; saying something else of a closed lot is refused, but that a lot
 * which had passed was sold after all. A lot whose sale fell through is sold once more by a second chance.
 */
import { incrementAt } from '../../auction/increments.ts';
import type { AuctionRecord, Bidder } from '../../auction/record.ts';
import type { Channel } from '../../lot/channels.ts';
import type { RecordSale, Resell } from '../../lot/commands.ts';
import type { Context, Verdict } from '../../lot/decision.ts';
import type { LotClosed, NewEvent, SaleFlag } from '../../lot/events.ts';
import { factsOf, saleRefusal } from '../../lot/floor-sales.ts';
import { isClosed, mayResell } from '../../lot/state.ts';
import { isBeyondTotals, totalOf } from '../../lot/units.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';

/** Decides a `sold` event of a simulcast platform (rule 14). */
export function decideSale(
  state: EnglishState,
  command: RecordSale,
  context: Context,
): Verdict<EnglishEvent> {
  const refused = saleRefusal(state, command, context.record);
  if (refused !== null) return { refuse: refused };
  const reopened: NewEvent<EnglishEvent>[] = isClosed(state)
    ? [{ type: 'lot_reopened', reason: 'sold' }]
    : [];
  const { result, floor, hammerCents } = command;
  const common = { type: 'lot_closed', reason: 'floor', floor, saleFacts: factsOf(command) } as const;
  if (result !== 'sold' || hammerCents === null) {
    return { events: [{ ...common, status: result, hammerCents: null, winner: null, flags: [] }] };
  }
  if (isBeyondTotals(state.units, hammerCents)) return { refuse: 'bid_limit_exceeded' };
  const buyer = buyerOf(command, context.bidder ?? leading(state, command));
  if (buyer === null) return { need: 'registration' };
  const flags = flagsOf(state, command, hammerCents);
  const { bidId, salt } = command;
  const hammer: Hammer = { bidId, salt, channel: 'floor', bidder: buyer, hammerCents };
  const row = isSaid(state, buyer, hammerCents) ? [] : [hammerRow(state, hammer, context.record)];
  if (row.length > 0) context.explain?.({ rule: 14, hammerCents });
  const winner = {
    ...buyer,
    paddle: command.winner === null ? null : (command.winner.paddle ?? buyer.paddle),
  };
  const soldCents = totalOf(state.units, hammerCents);
  const closed: Omit<LotClosed, 'sequence'> = {
    ...common,
    status: 'sold',
    hammerCents: soldCents,
    winner,
    flags,
  };
  return { flags, events: [...reopened, ...row, closed] };
}

/**
 * Decides a second chance that was taken, or a bid below the reserve that the seller has accepted: what became of the
 * lot after its close is one result with the close, so the journal says it too. Saying it again changes nothing.
 */
export function decideResale(state: EnglishState, command: Resell, context: Context): Verdict<EnglishEvent> {
  const { bidder, record } = context;
  const { bidId, salt, hammerCents, buyer } = command;
  if (state.leader?.bidId === bidId) return { events: [] };
  if (!mayResell(state)) return { refuse: 'invalid_transition' };
  if (bidder === null) return { need: 'registration' };
  context.explain?.({ rule: 10, hammerCents });
  const { alias, paddle } = bidder;
  const named = { key: buyer.key, userId: buyer.userId, alias, paddle: paddle ?? '' };
  const row = hammerRow(state, { bidId, salt, channel: 'online', bidder: named, hammerCents }, record);
  const closed: Omit<LotClosed, 'sequence'> = {
    type: 'lot_closed',
    reason: 'second_chance',
    status: 'sold',
    hammerCents: totalOf(state.units, hammerCents),
    winner: { ...named, paddle },
    flags: [],
    floor: null,
    saleFacts: state.saleFacts,
  };
  return { events: [{ type: 'lot_reopened', reason: 'second_chance' }, row, closed] };
}

type Buyer = EnglishBidPlaced['bidder'];
type Named = Pick<Bidder, 'alias' | 'paddle'>;

/**
 * Whom the row names; null where a bidder of the platform has to be registered first, to have an alias. Somebody whom
 * the floor does not name has no registration, and a sale makes none for a user: it would let them bid where they
 * have not been let in.
 */
export function buyerOf({ winner, floor }: RecordSale, bidder: Named | null): Buyer | null {
  if (winner === null) return { key: `x:${floor.platform}:`, userId: null, alias: 'floor', paddle: '' };
  const { key, userId } = winner;
  if (bidder === null && userId === null) return null;
  return { key, userId, alias: bidder?.alias ?? 'floor', paddle: bidder?.paddle ?? winner.paddle ?? '' };
}

/** Whoever leads has registered, also where this process has not seen it yet. */
export function leading({ leader }: EnglishState, { winner }: RecordSale): Named | null {
  return leader !== null && leader.key === winner?.key ? leader : null;
}

/** Whether the leading row is the buyer's and says this price, which is the lot's current bid. */
export function isSaid({ leader, currentCents }: EnglishState, buyer: Buyer, hammerCents: number): boolean {
  if (leader?.key !== buyer.key || currentCents !== hammerCents) return false;
  return leader.listedCents === undefined || leader.listedCents === hammerCents;
}

interface Hammer {
  readonly bidId: string;
  readonly salt: string;
  readonly channel: Channel;
  readonly bidder: Buyer;
  readonly hammerCents: number;
}

/** The row that says what the lot was sold for, and to whom, where no row says so yet. */
export function hammerRow(
  state: EnglishState,
  { bidId, salt, channel, bidder, hammerCents }: Hammer,
  record: AuctionRecord,
): Omit<EnglishBidPlaced, 'sequence'> {
  return {
    type: 'bid_placed',
    bidId,
    salt,
    bidder,
    channel,
    straightCents: hammerCents,
    ceilingCents: hammerCents,
    outcome: 'won',
    listedCents: hammerCents,
    currentCents: hammerCents,
    minimumNextCents: hammerCents + incrementAt(record.increments, hammerCents),
    reserveMet: state.reserveCents === null || hammerCents >= state.reserveCents,
    leader: { ...bidder, ceilingCents: hammerCents, bidId, listedCents: hammerCents },
    bidCount: state.bidCount + 1,
    endsAtUs: state.endsAtUs,
    extendedToUs: null,
    floor: null,
    hammerCents: totalOf(state.units, hammerCents),
  };
}

/** What is odd about a sale. */
export function flagsOf(state: EnglishState, command: RecordSale, hammerCents: number): SaleFlag[] {
  const flags: SaleFlag[] = [];
  if (state.leader === null || state.leader.key !== command.winner?.key) flags.push('not_the_leader');
  if (hammerCents < state.currentCents) flags.push('hammer_below_current');
  if (state.reserveCents !== null && hammerCents < state.reserveCents) flags.push('reserve_not_met');
  return flags;
}
