/**
 * Rule 24: the clerk's hammer has fallen, and may be taken back for a few seconds. Until then the lot takes no bid and
 * shows its result, but nothing follows from it: `lot_closed`, which invoices and mails come from, waits for the end
 * of that time. What it will say is fixed when the hammer falls.
 */
import type { RecordSale } from '../../lot/commands.ts';
import type { Context, Verdict } from '../../lot/decision.ts';
import type { LotClosed, LotReopened, NewEvent } from '../../lot/events.ts';
import type { Judge } from '../../lot/format.ts';
import { isOpen } from '../../lot/state.ts';
import { decideSale } from './decide-sale.ts';
import type { EnglishEvent, EnglishHammerFell } from './english-events.ts';
import type { EnglishState } from './english-state.ts';

/** The floor's word, which may be held. */
export function decideHammer(
  state: EnglishState,
  command: RecordSale,
  context: Context,
): Verdict<EnglishEvent> {
  const verdict = decideSale(state, command, context);
  return command.heldUs === undefined ? verdict : held(verdict, context.nowUs + command.heldUs);
}

/** The hammer's fall in place of the close that it comes to; a lot that had passed is closed at once. */
function held(verdict: Verdict<EnglishEvent>, untilUs: number): Verdict<EnglishEvent> {
  if (!('events' in verdict)) return verdict;
  const { events } = verdict;
  const close = events.find((event) => event.type === 'lot_closed');
  const row = events.find((event) => event.type === 'bid_placed') ?? null;
  if (close === undefined || events.some(({ type }) => type === 'lot_reopened')) return verdict;
  return { ...verdict, events: [{ type: 'hammer_fell', untilUs, close, row }] };
}

/** The lot with the result that the hammer has decided. */
export function withHeld(
  state: EnglishState,
  { sequence, untilUs, close, row }: EnglishHammerFell,
): EnglishState {
  const { status, hammerCents, winner, saleFacts } = close;
  return { ...state, sequence, status, hammerCents, winner, saleFacts, held: { untilUs, close, row } };
}

/** The lot as it was before the hammer fell. */
export function withoutHeld(state: EnglishState): EnglishState {
  if (state.held === null) return state;
  return { ...state, status: 'active', hammerCents: null, winner: null, saleFacts: null, held: null };
}

/** The clerk takes the hammer back. */
export function decideLift({ held, ...state }: EnglishState, { nowUs }: Context): Verdict<EnglishEvent> {
  if (isOpen({ ...state })) return { refuse: 'invalid_transition' };
  if (held === null || nowUs >= held.untilUs) return { refuse: 'undo_too_late' };
  return { events: [{ type: 'lot_reopened', reason: 'taken_back' }] };
}

/** What makes a held result final, when its time is over. */
export function settle({ held }: EnglishState, { nowUs }: Context): readonly NewEvent<EnglishEvent>[] {
  if (held === null || nowUs < held.untilUs) return [];
  return held.row === null ? [held.close] : [held.row, held.close];
}

/** Whether a held result became final as it was held, and neither too early nor taken back too late. */
export function checkHeld(
  { held, choice }: EnglishState,
  event: LotClosed | LotReopened,
  { recordedAtUs, fail, expectSame }: Judge<EnglishEvent>,
): void {
  if (event.type === 'lot_reopened') {
    if (event.reason !== 'taken_back' || choice?.pending != null) return;
    if (held === null) fail('takes a hammer back that has not fallen');
    else if (recordedAtUs >= held.untilUs) fail('takes the hammer back too late');
    return;
  }
  if (held === null) return;
  const { sequence: _sequence, ...close } = event;
  if (recordedAtUs < held.untilUs) fail('makes a result final before its time');
  expectSame('close', held.close, close);
}
