/**
 * The rules as the history check replays them: what one journal item makes of a lot, and when a refusal is true of it.
 * Written from docs/rules.md, not from the engine. Pure; called once for each item of a journal and once for each
 * refusal and moment in question.
 */
import { NAIVE_INCREMENTS } from '../support/naive-lead.ts';
import type { BidItem, ClockTerms, JournalItem, LotHistory, Operation } from './terms.ts';

/** A lot between two items of its journal. */
export interface LotView {
  readonly status: 'scheduled' | 'active' | 'closed' | 'withdrawn';
  readonly paused: boolean;
  readonly leader: string | null;
  readonly ceilingCents: number;
  readonly currentCents: number;
  readonly minimumNextCents: number;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly extensions: number;
  readonly atUs: number;
}

/** The lot before the first item. */
export function firstView(lot: LotHistory): LotView {
  return {
    status: 'scheduled',
    paused: false,
    leader: null,
    ceilingCents: 0,
    currentCents: 0,
    minimumNextCents: lot.startingBidCents,
    startsAtUs: lot.startsAtUs,
    endsAtUs: lot.endsAtUs,
    extensions: 0,
    atUs: Number.NEGATIVE_INFINITY,
  };
}

export interface Folded {
  readonly view: LotView;
  /** What is wrong with the item, or null. */
  readonly fault: string | null;
}

/** Takes one item over into the view. A wrong one is named and taken as the journal has it. */
export function fold(lot: LotHistory, view: LotView, item: JournalItem): Folded {
  const fault = item.atUs < view.atUs ? 'was recorded before the item before it' : null;
  const next = item.atUs > view.atUs && item.kind !== 'bid' ? { ...view, atUs: item.atUs } : view;
  if (view.status === 'closed' || view.status === 'withdrawn') {
    return { view: next, fault: `a ${item.kind} on a lot that is ${view.status}` };
  }
  switch (item.kind) {
    case 'opened':
      return {
        view: { ...next, status: 'active' },
        fault: fault ?? (item.atUs < view.startsAtUs ? 'opened before its start' : null),
      };
    case 'moved': {
      const { startsAtUs, endsAtUs, paused } = item;
      return { view: { ...next, startsAtUs, endsAtUs, paused }, fault };
    }
    case 'withdrawn':
      return { view: { ...next, status: 'withdrawn' }, fault };
    case 'closed':
      return { view: { ...next, status: 'closed' }, fault: fault ?? closeFault(lot, view, item) };
    case 'bid':
      return foldBid(lot, next, item, fault);
  }
}

function closeFault(
  lot: LotHistory,
  view: LotView,
  item: JournalItem & { readonly kind: 'closed' },
): string | null {
  if (view.status !== 'active') return `closed while ${view.status}`;
  if (view.paused) return 'closed in a pause';
  if (item.atUs < view.endsAtUs) return 'closed before its end';
  const met = lot.reserveCents === null || view.currentCents >= lot.reserveCents;
  const status = view.leader === null ? 'unsold' : met ? 'sold' : 'passed';
  const hammerCents = status === 'sold' ? view.currentCents : null;
  const winner = status === 'sold' ? view.leader : null;
  const right = item.status === status && item.hammerCents === hammerCents && item.winner === winner;
  return right ? null : `closed as ${item.status} at ${item.hammerCents} to ${item.winner}, not ${status}`;
}

/** Rules 1 to 6 and 8. */
function foldBid(lot: LotHistory, view: LotView, item: BidItem, early: string | null): Folded {
  const placed = applyBid(lot, view, item);
  const endsAtUs = newEndUs(lot, view, item, placed);
  const next: LotView = {
    status: view.status,
    paused: view.paused,
    leader: placed.leader,
    ceilingCents: placed.ceilingCents,
    currentCents: item.currentCents,
    minimumNextCents: oneMore(lot, item.currentCents),
    startsAtUs: view.startsAtUs,
    endsAtUs: item.extendedToUs ?? view.endsAtUs,
    extensions: item.extendedToUs === null ? view.extensions : view.extensions + 1,
    atUs: Math.max(view.atUs, item.atUs),
  };
  return { view: next, fault: early ?? bidFault(lot, view, item, placed, endsAtUs) };
}

function bidFault(
  lot: LotHistory,
  view: LotView,
  item: BidItem,
  placed: Placed,
  endsAtUs: number | null,
): string | null {
  if (view.status !== 'active') return `a bid on a lot that is ${view.status}`;
  if (view.paused) return 'a bid in a pause';
  if (item.atUs >= view.endsAtUs) return 'a bid at or after the end';
  if (item.atUs < view.startsAtUs) return 'a bid before the start';
  const price = priceRefusal(view, item);
  if (price !== null) return `a bid that is ${price}`;
  if (lot.limitCents !== null && item.ceilingCents > lot.limitCents) return 'a bid over the limit';
  if (item.outcome !== placed.outcome) return `the outcome is ${item.outcome}, not ${placed.outcome}`;
  if (item.leader !== placed.leader) return `the leader is ${item.leader}, not ${placed.leader}`;
  if (item.currentCents !== placed.currentCents)
    return `the price is ${item.currentCents}, not ${placed.currentCents}`;
  return item.extendedToUs === endsAtUs ? null : `the end moved to ${item.extendedToUs}, not ${endsAtUs}`;
}

/** What a bid makes of the price and the lead. */
export interface Placed {
  readonly leader: string;
  readonly ceilingCents: number;
  readonly currentCents: number;
  readonly outcome: string;
}

/** Rules 2 to 6, for a bid that may be accepted. */
export function applyBid(lot: LotHistory, view: LotView, bid: Offer): Placed {
  const { straightCents: straight, ceilingCents: most } = bid;
  const held = view.ceilingCents;
  let { currentCents } = view;
  let leader = bid.bidder;
  let ceilingCents = Math.max(most, view.leader === bid.bidder ? held : 0);
  let outcome = 'leading';
  if (view.leader === null) {
    currentCents = straight ?? lot.startingBidCents;
  } else if (view.leader === bid.bidder) {
    if (straight === null) outcome = 'max_raised';
    else currentCents = straight;
  } else if (most > held) {
    const contested = Math.max(view.minimumNextCents, Math.min(most, oneMore(lot, held)));
    currentCents = straight !== null && straight > held ? straight : contested;
  } else {
    leader = view.leader;
    ceilingCents = held;
    currentCents = Math.min(held, oneMore(lot, most));
    outcome = 'outbid';
  }
  const reserve = lot.reserveCents ?? 0;
  if (currentCents < reserve && ceilingCents >= reserve) currentCents = reserve;
  if (outcome === 'leading' && currentCents < reserve) outcome = 'leading_reserve_not_met';
  return { leader, ceilingCents, currentCents, outcome };
}

/** Rule 8: where a bid at `atUs` moves the end to, or null. */
export function newEndUs(
  lot: LotHistory,
  view: LotView,
  { atUs }: { readonly atUs: number },
  placed: Placed,
): number | null {
  const moved = placed.leader !== view.leader || placed.currentCents !== view.currentCents;
  if (lot.softClose === null || !moved || placed.outcome === 'max_raised') return null;
  const { windowUs, extensionUs, maxExtensions } = lot.softClose;
  if (windowUs === 0 || view.endsAtUs - atUs >= windowUs) return null;
  if (maxExtensions !== null && view.extensions >= maxExtensions) return null;
  const endsAtUs = atUs + extensionUs;
  return endsAtUs > view.endsAtUs ? endsAtUs : null;
}

/** What a bidder asks for. */
export type Offer = Pick<Operation, 'bidder' | 'straightCents' | 'ceilingCents'>;

/** Rules 1 and 5. */
export function priceRefusal(view: LotView, bid: Offer): string | null {
  if (view.leader === bid.bidder && bid.straightCents === null) {
    return bid.ceilingCents > view.ceilingCents ? null : 'max_not_increased';
  }
  return (bid.straightCents ?? bid.ceilingCents) < view.minimumNextCents ? 'bid_too_low' : null;
}

/** Rule 11: a price with the increment of its band on top. */
function oneMore(lot: LotHistory, priceCents: number): number {
  const table = lot.increments ?? NAIVE_INCREMENTS;
  let at = table.length - 1;
  while (at > 0 && table[at]!.fromCents > priceCents) at -= 1;
  return priceCents + table[at]!.incrementCents;
}

/** A range of time, both ends included. */
export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

const ALWAYS: readonly Span[] = [{ fromUs: Number.NEGATIVE_INFINITY, toUs: Number.POSITIVE_INFINITY }];
const NEVER: readonly Span[] = [];

/**
 * When the refusal of `operation` is correct while the lot is in state `view`: always, never or in time ranges.
 * `elsewhereCents` is the most that the bidder may have led with on the auction's other lots.
 */
export function refusedWhile(
  lot: LotHistory,
  view: LotView,
  operation: Operation,
  { toleranceUs }: ClockTerms,
  elsewhereCents: () => number,
): readonly Span[] {
  if (operation.answer.kind !== 'refused') throw new Error('only a refusal is refused');
  const { code, standing } = operation.answer;
  if (
    standing !== null &&
    (standing.currentCents !== view.currentCents ||
      standing.minimumNextCents !== view.minimumNextCents ||
      standing.endsAtUs !== view.endsAtUs)
  )
    return NEVER;
  const open = view.status === 'scheduled' || view.status === 'active';
  const fromEnd = [{ fromUs: view.endsAtUs - toleranceUs, toUs: Number.POSITIVE_INFINITY }];
  const price = priceRefusal(view, operation);
  // An end that is not named may be any of several; then only the price is asked.
  const untilEnd =
    standing === null ? ALWAYS : [{ fromUs: Number.NEGATIVE_INFINITY, toUs: view.endsAtUs + toleranceUs }];
  switch (code) {
    case 'lot_withdrawn':
      return view.status === 'withdrawn' ? ALWAYS : NEVER;
    case 'lot_closed':
      return view.status === 'closed' || (open && !view.paused) ? fromEnd : NEVER;
    case 'lot_not_started':
      return open ? [{ fromUs: Number.NEGATIVE_INFINITY, toUs: view.startsAtUs + toleranceUs }] : NEVER;
    case 'auction_paused':
      return view.status === 'withdrawn' ? NEVER : lot.pauses;
    case 'max_not_increased':
    case 'bid_too_low':
      return open && price === code ? untilEnd : NEVER;
    case 'bid_limit_exceeded': {
      if (!open || price !== null || lot.limitCents === null) return NEVER;
      const own = view.leader === operation.bidder ? view.ceilingCents : 0;
      return Math.max(own, operation.ceilingCents) + elsewhereCents() > lot.limitCents ? untilEnd : NEVER;
    }
    default:
      return NEVER;
  }
}
