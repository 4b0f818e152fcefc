/**
 * What sellers and staff may do to a lot that is scheduled or live: withdraw it, change what it is offered for, take a
 * bid out. Each is an event in the lot's journal, as a bid is.
 */

import { isOver } from './closing.ts';
import type { ChangeTerms, VoidBid, Withdraw } from './commands.ts';
import type { Context, Verdict } from './decision.ts';
import { liftToReserve } from './lead.ts';
import { isOpen, type LotState, type LotTerms } from './state.ts';
import { changedRows, reapply } from './voiding.ts';

/** A lot that has a bid is withdrawn by an admin only. */
export function decideWithdraw(state: LotState, command: Withdraw): Verdict {
  if (!isOpen(state)) return { refuse: 'invalid_transition' };
  if (state.leader !== null && !command.byAdmin) return { refuse: 'admin_required' };
  return { events: [{ type: 'lot_withdrawn', reason: command.reason }] };
}

/** Changes terms, and withdraws the lot if the command says so: both, or neither. */
export function decideChange(state: LotState, command: ChangeTerms): Verdict {
  const changed = decideTerms(state, command);
  if (command.withdrawal === undefined || !('events' in changed)) return changed;
  const withdrawn = decideWithdraw(state, { type: 'withdraw', ...command.withdrawal });
  return 'events' in withdrawn ? { events: [...changed.events, ...withdrawn.events] } : withdrawn;
}

/**
 * After the first bid all price fields are frozen, but a reserve may go down or away once; where the leader covers it,
 * it is met at once. A second time would let a seller feel for the leader's ceiling, step by step.
 */
function decideTerms(state: LotState, command: ChangeTerms): Verdict {
  if (!isOpen(state)) return { refuse: 'lot_locked' };
  const terms: LotTerms = {
    startingBidCents: command.startingBidCents ?? state.startingBidCents,
    reserveCents: command.reserveCents === undefined ? state.reserveCents : command.reserveCents,
    buyNowCents: command.buyNowCents === undefined ? state.buyNowCents : command.buyNowCents,
    consignorUserId: command.consignorUserId === undefined ? state.consignorUserId : command.consignorUserId,
  };
  if (sameTerms(state, terms)) return { events: [] };
  if (state.frozen && !onlyLowersReserve(state, terms)) return { refuse: 'lot_locked' };
  const { leader } = state;
  const currentCents =
    leader === null
      ? state.currentCents
      : liftToReserve(state.currentCents, leader.ceilingCents, terms.reserveCents);
  return { events: [{ type: 'terms_changed', salt: command.salt, ...terms, currentCents }] };
}

function sameTerms(state: LotState, terms: LotTerms): boolean {
  return (
    terms.startingBidCents === state.startingBidCents &&
    terms.reserveCents === state.reserveCents &&
    terms.buyNowCents === state.buyNowCents &&
    terms.consignorUserId === state.consignorUserId
  );
}

function onlyLowersReserve(state: LotState, terms: LotTerms): boolean {
  const lower =
    state.reserveCents !== null && (terms.reserveCents === null || terms.reserveCents <= state.reserveCents);
  const rest = sameTerms({ ...state, reserveCents: terms.reserveCents }, terms);
  return rest && lower && !state.reserveLowered;
}

/**
 * Rule 15: the lead is what the remaining bids would have made; end, extensions and frozen fields stay.
 * `journalSequence` is the last that the journal has: what the lot takes over from its auction only now is in no
 * history, and moves no price.
 */
export function decideVoid(
  state: LotState,
  command: VoidBid,
  context: Context,
  journalSequence: number,
): Verdict {
  const { record, nowUs } = context;
  const { history, bidId } = command;
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  if (history.items.some((item) => item.kind === 'void' && item.bidId === bidId))
    return { refuse: 'already_voided' };
  if (!history.items.some((item) => item.kind === 'bid' && item.bidId === bidId))
    return { refuse: 'bid_unknown' };
  const before = reapply(history, record.increments, new Set());
  const after = reapply(history, record.increments, new Set([bidId]));
  const { currentCents, leader, bidCount } = after;
  return {
    events: [
      {
        type: 'bid_voided',
        bidId,
        reason: command.reason,
        currentCents,
        leader,
        bidCount,
        changedRows: changedRows(before, after),
      },
    ],
  };
}
