/**
 * Where somebody stands on a lot of their board: one of four words while it is open, what it would cost them, and the
 * amount of the one button that raises. The page, the API and the account's stream say the same by it.
 */
import { type Increment, incrementAt } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { faceOf, formatOf, lotView, memberIds } from '../../../engine/formats/formats.ts';
import type { ShownFields } from '../../../engine/lot/shown-fields.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { totalOf } from '../../../engine/lot/units.ts';
import { type SaleTerms, saleAmounts } from '../../shared/sale-amounts.ts';
import { standingOf } from '../bids/my-standing.ts';
import type { SaleOutcome } from '../records/sale-outcomes.ts';

/** While a lot is open. `reserve_not_met`: leads, and would not get it. */
export const BOARD_STANDINGS = ['leading', 'outbid', 'watching', 'reserve_not_met'] as const;
/** Once it is over. `sold`: to somebody else, and the person had only watched it. */
export const ENDED_STANDINGS = ['won', 'lost', 'not_sold', 'sold', 'defaulted'] as const;
export type BoardStanding = (typeof BOARD_STANDINGS)[number] | (typeof ENDED_STANDINGS)[number];

/** What a position is judged by, beside the lot's state. */
export interface BoardViewer {
  readonly userId: number;
  /** They have bid on it, and not all of it was voided. */
  readonly hasBid: boolean;
  /** Their highest maximum on it alone; null: none. */
  readonly mostCents: number | null;
  /** The lot is not of a team of theirs. */
  readonly mayBid: boolean;
  readonly increments: readonly Increment[];
  readonly terms: SaleTerms;
  readonly outcome: SaleOutcome | null;
  readonly nowUs: number;
}

/** Amounts in the smallest unit of the lot's currency. */
export interface BoardPosition {
  readonly standing: BoardStanding;
  readonly isOpen: boolean;
  /**
   * The hammer price once it is sold, of what the person has bought of it where they have; 0 before the first bid; null
   * while bids are sealed.
   */
  readonly currentCents: number | null;
  /** Null while bids are sealed. */
  readonly bidCount: number | null;
  /** The least that would be taken from somebody who does not lead. */
  readonly minimumNextCents: number;
  /** What the button bids, as a maximum; null where nobody can bid now. */
  readonly nextCents: number | null;
  /** The person's own maximum while the lot is open: what they lead with, or what was outbid. */
  readonly maximumCents: number | null;
  /**
   * With premium and tax, were it over now. Of lots that are sold together it is for all, and stands beside the first
   * on which the person leads, as the next one does.
   */
  readonly nowCents: number;
  /** The same at their maximum. */
  readonly atMostCents: number;
  /** What the price will be, and when; null where bids alone move it. */
  readonly clock: ClockPosition | null;
}

export interface ClockPosition {
  readonly next_price: string | null;
  readonly next_price_at: string | null;
}

export function boardPosition(state: LotState, viewer: BoardViewer): BoardPosition {
  const { increments, terms, nowUs } = viewer;
  const view = lotView(state, { viewer: userKey(viewer.userId), increments, nowUs });
  const leadingCents = isOpen(state) ? (view.own?.ceilingCents ?? null) : null;
  const standing = wordFor(state, viewer, { leads: view.own?.leads === true, reserveMet: view.reserveMet });
  const leads = standing === 'leading' || standing === 'reserve_not_met';
  // Who leads without a maximum has bought: there is nothing to raise, and no more to pay.
  const hasBought = leads && leadingCents === null;
  const mostCents = leads ? formatOf(state).exposureOf(state, userKey(viewer.userId)) : 0;
  const alone = hasBought ? mostCents : totalOf(state.units, view.currentCents ?? 0);
  const due = dueTogether(state, viewer.userId) ?? {
    now: standing === 'leading' ? alone : 0,
    most: mostCents,
  };
  const costOf = (cents: number) => (leads ? saleAmounts(cents, terms).totalCents : 0);
  return {
    standing,
    isOpen: isOpen(state),
    currentCents: boughtCents(state, viewer.userId) ?? view.hammerCents ?? view.currentCents,
    bidCount: view.bidCount,
    minimumNextCents: view.minimumNextCents,
    nextCents:
      viewer.mayBid && state.status === 'active' && !hasBought
        ? leastUsefulCents(view.minimumNextCents, leadingCents, increments)
        : null,
    maximumCents: standing === 'outbid' ? viewer.mostCents : leadingCents,
    nowCents: costOf(due.now),
    atMostCents: costOf(due.most),
    clock: isOpen(state) ? clockOf(view.fields ?? {}) : null,
  };
}

/** Of lots that are sold together what is for all of them, beside the first on which the person leads; null: alone. */
function dueTogether(state: LotState, userId: number): { now: number; most: number } | null {
  const { members, leadersOf, exposureOf } = formatOf(state);
  if (members === undefined) return null;
  const own = userKey(userId);
  const leads = (lotId: number) => leadersOf(faceOf(state, lotId)).some(({ key }) => key === own);
  if (memberIds(state).find(leads) !== state.lotId) return { now: 0, most: 0 };
  return { now: members.buyingCents(state, own), most: exposureOf(state, own) };
}

/** What somebody has bought of a sold lot; null: nothing. */
function boughtCents(state: LotState, userId: number): number | null {
  const sales = formatOf(state).salesOf(state);
  const own = sales.filter(({ winner }) => winner.key === userKey(userId));
  return own.length === 0 ? null : own.reduce((sum, { hammerCents }) => sum + hammerCents, 0);
}

function clockOf({ next_price: price, next_price_at: at }: ShownFields): ClockPosition | null {
  if (price === undefined) return null;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  return { next_price: textOf(price), next_price_at: textOf(at) };
}

/** The least maximum that changes something for who has `ownMaximumCents` and leads (null: does not lead); in cents. */
export function leastUsefulCents(
  minimumNextCents: number,
  ownMaximumCents: number | null,
  increments: readonly Increment[],
): number {
  if (ownMaximumCents === null) return minimumNextCents;
  return Math.max(minimumNextCents, ownMaximumCents + incrementAt(increments, ownMaximumCents));
}

function wordFor(
  state: LotState,
  { userId, hasBid, outcome }: BoardViewer,
  { leads, reserveMet }: { readonly leads: boolean; readonly reserveMet: boolean | null },
): BoardStanding {
  if (isOpen(state)) {
    if (leads) return reserveMet === false ? 'reserve_not_met' : 'leading';
    return hasBid ? 'outbid' : 'watching';
  }
  const standing = standingOf(state, userId, outcome);
  if (standing !== 'lost') return standing === 'won' ? 'won' : 'defaulted';
  if (state.status !== 'sold') return 'not_sold';
  return hasBid ? 'lost' : 'sold';
}
