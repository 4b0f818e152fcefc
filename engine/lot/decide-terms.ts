/**
 * What sellers and staff may do to a lot that is scheduled or live, whatever its format: withdraw it, and change what
 * it is offered for. Each is an event in the lot's journal, as a bid is.
 */
import { isOver } from './closing.ts';
import type { AmendLot, ChangeTerms, Withdraw } from './commands.ts';
import type { Context, Verdict } from './decision.ts';
import type { CommonEvent } from './events.ts';
import { isOpen, type LotState, type LotTerms } from './state.ts';
import { sameUnits } from './units.ts';

/** A lot that has a bid is withdrawn by an admin only. */
export function decideWithdraw(state: LotState, command: Withdraw): Verdict<CommonEvent> {
  if (!isOpen(state)) return { refuse: 'invalid_transition' };
  if (state.bidCount > 0 && !command.byAdmin) return { refuse: 'admin_required' };
  return { events: [{ type: 'lot_withdrawn', reason: command.reason }] };
}

/** The price of a lot once it is offered on other terms. */
export type Reprice = (terms: LotTerms) => number;

/** Changes terms, and withdraws the lot if the command says so: both, or neither. */
export function decideChange<S extends LotState>(
  state: S,
  command: ChangeTerms,
  reprice: Reprice,
  withdraw: (state: S, command: Withdraw) => Verdict<CommonEvent> = decideWithdraw,
): Verdict<CommonEvent> {
  const changed = decideTerms(state, command, reprice);
  if (command.withdrawal === undefined || !('events' in changed)) return changed;
  const withdrawn = withdraw(state, { type: 'withdraw', ...command.withdrawal });
  return 'events' in withdrawn ? { events: [...changed.events, ...withdrawn.events] } : withdrawn;
}

/**
 * After the first bid all price fields are frozen, but a reserve may go down or away once. A second time would let a
 * seller feel for a secret amount, step by step.
 */
function decideTerms(state: LotState, command: ChangeTerms, reprice: Reprice): Verdict<CommonEvent> {
  if (!isOpen(state)) return { refuse: 'lot_locked' };
  const terms: LotTerms = {
    startingBidCents: command.startingBidCents ?? state.startingBidCents,
    reserveCents: command.reserveCents === undefined ? state.reserveCents : command.reserveCents,
    buyNowCents: command.buyNowCents === undefined ? state.buyNowCents : command.buyNowCents,
    consignorUserId: command.consignorUserId === undefined ? state.consignorUserId : command.consignorUserId,
    units: command.units === undefined ? state.units : command.units,
  };
  if (sameTerms(state, terms)) return { events: [] };
  if (state.frozen && !onlyLowersReserve(state, terms)) return { refuse: 'lot_locked' };
  const { units, ...prices } = terms;
  const changed = sameUnits(state.units, units) ? prices : terms;
  return {
    events: [{ type: 'terms_changed', salt: command.salt, ...changed, currentCents: reprice(terms) }],
  };
}

function sameTerms(state: LotState, terms: LotTerms): boolean {
  return (
    terms.startingBidCents === state.startingBidCents &&
    terms.reserveCents === state.reserveCents &&
    terms.buyNowCents === state.buyNowCents &&
    terms.consignorUserId === state.consignorUserId &&
    sameUnits(terms.units, state.units)
  );
}

function onlyLowersReserve(state: LotState, terms: LotTerms): boolean {
  const lower =
    state.reserveCents !== null && (terms.reserveCents === null || terms.reserveCents <= state.reserveCents);
  const rest = sameTerms({ ...state, reserveCents: terms.reserveCents }, terms);
  return rest && lower && !state.reserveLowered;
}

/** After the close nothing of a lot changes; before its first bid, it is not amended but changed. */
export function decideAmendment(
  state: LotState,
  { sha256, amendment }: AmendLot,
  { record, nowUs }: Context,
): Verdict<CommonEvent> {
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_locked' };
  if (!state.frozen) return { refuse: 'lot_without_bids' };
  return { events: [{ type: 'lot_amended', sha256, amendment }] };
}
