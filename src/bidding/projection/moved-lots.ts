/**
 * Of lots that are sold together, the ones that an event of their journal is told of: those that a bid names, and those
 * on which somebody else leads now.
 */
import { faceOf, formatOf, memberIds } from '../../../engine/formats/formats.ts';
import type { BidPlaced, BidVoided } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { leadersOf } from './facts-of-lots.ts';

/** The state that an event has made, and the one before it. */
export interface Led {
  readonly state: LotState;
  readonly before: LotState;
}

/** An event with the figures of one lot. */
export type OnLot<E> = Led & { readonly event: E };

/** The lots that a bid moves: of most formats the one that it is on. */
export function lotsMovedBy(event: BidPlaced, { state, before }: Led): OnLot<BidPlaced>[] {
  const ids = memberIds(state);
  if (ids.length === 1) return [{ event, state, before }];
  const named = namedIn(formatOf(state).readBid(event).fields);
  return ids
    .map((lotId) => onLot(event, { state, before }, lotId))
    .filter((lot) => named.includes(lot.state.lotId) || leaderOn(lot.state) !== leaderOn(lot.before));
}

/** The lot that a void is told of: of a bid on several the first. */
export function lotOfVoid(event: BidVoided, { state, before }: Led): OnLot<BidVoided> {
  if (memberIds(state).length === 1) return { event, state, before };
  const row = { bidId: event.bidId, userId: null, voided: false, ceilingCents: 0 };
  const [first = state.lotId] = namedIn(formatOf(before).readRow(before, row).fields);
  return onLot(event, { state, before }, first);
}

function onLot<E extends BidPlaced | BidVoided>(event: E, { state, before }: Led, lotId: number): OnLot<E> {
  const face = faceOf(state, lotId);
  const { currentCents, bidCount } = face;
  return { event: { ...event, currentCents, bidCount }, state: face, before: faceOf(before, lotId) };
}

function leaderOn(face: LotState): string | undefined {
  return leadersOf(face)[0]?.key;
}

function namedIn(fields: Readonly<Record<string, unknown>> | undefined): number[] {
  const { lot_ids: ids } = fields ?? {};
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
}
