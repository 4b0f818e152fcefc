import { entriesOf, replay } from './naive-lead.ts';
import type { NaiveEntry, NaiveInput, NaiveWorld } from './naive-terms.ts';
import { closingOf, endOf, isCompanyOver, leadOf, lotOf, pausedSince } from './naive-views.ts';

/**
 * Rule 18, as naively as the others: the last call from the floor, within ten seconds, three times a lot; never what a
 * ceiling has said.
 */

export type NaiveUndo = NaiveInput & { kind: 'undo' };

export function refusedUndo(world: NaiveWorld, input: NaiveUndo, nowUs: number): string | null {
  const over = world.auction.type === 'timed' && nowUs >= endOf(world, input.lotId);
  const isOver = isCompanyOver(world, input.lotId) || (over && pausedSince(world) === null);
  if (closingOf(world, input.lotId) !== null || isOver) return 'lot_closed';
  const own = entriesOf(world.log, input.lotId);
  if (isGone(own, input.bidId)) return 'already_voided';
  const call = own.findLast(
    ({ input: other }) => other.kind === 'bid' && other.channel === 'floor' && !isGone(own, other.bidId),
  );
  if (call === undefined || call.input.kind !== 'bid' || call.input.bidId !== input.bidId)
    return 'not_last_call';
  if (nowUs - call.atUs > 10_000_000) return 'undo_too_late';
  if (own.filter(({ input: other }) => other.kind === 'undo').length >= 3) return 'undo_limit';
  const after = without(world, input, nowUs);
  if (bidsOnline(own, after.leader) && after.ceilingCents < leadOf(world, input.lotId).currentCents)
    return 'undo_staff_only';
  return hasBeaten(world, own, call, call.input.who) ? 'undo_staff_only' : null;
}

/** Notes who leads once the call is gone, and the price that stays because a ceiling has answered. */
export function noteKept(world: NaiveWorld, input: NaiveUndo, nowUs: number): void {
  const { leader } = without(world, input, nowUs);
  input.keptBy = leader;
  if (bidsOnline(entriesOf(world.log, input.lotId), leader))
    input.keptCents = leadOf(world, input.lotId).currentCents;
}

function without(world: NaiveWorld, input: NaiveUndo, atUs: number) {
  const entry: NaiveEntry = { input: { ...input }, atUs, endMovedToUs: null, closedAs: null };
  return replay(world, lotOf(world, input.lotId), [...world.log, entry]);
}

function isGone(own: NaiveEntry[], bidId: string): boolean {
  return own.some(({ input }) => (input.kind === 'void' || input.kind === 'undo') && input.bidId === bidId);
}

function bidsOnline(own: NaiveEntry[], who: string | null): boolean {
  return own.some(({ input }) => input.kind === 'bid' && input.channel === 'online' && input.who === who);
}

/** Whether the call took the lead from somebody who bids online. What was voided later is asked as it was then. */
function hasBeaten(world: NaiveWorld, own: NaiveEntry[], call: NaiveEntry, who: string): boolean {
  const lot = lotOf(world, 'lotId' in call.input ? call.input.lotId : 0);
  const at = own.indexOf(call);
  const before = replay(world, lot, own.slice(0, at));
  const after = replay(world, lot, own.slice(0, at + 1));
  return before.leader !== who && after.leader === who && bidsOnline(own, before.leader);
}
