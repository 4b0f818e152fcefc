/**
 * Rule 18: the clerk takes the last call from the floor back. It must not tell the seller's side where a ceiling is:
 * what a ceiling has answered a call with stays, and a call that has beaten one stays too, unless staff void it.
 */
import { isOver } from '../../lot/closing.ts';
import type { UndoCall } from '../../lot/commands.ts';
import type { Context, Verdict } from '../../lot/decision.ts';
import { MAX_UNDOS, UNDO_US } from '../../lot/floor-sales.ts';
import { isOpen } from '../../lot/state.ts';
import { leadsOnline } from './decide-void.ts';
import type { EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';
import { goneBids, type HistoricBid, type HistoricItem, historicItems } from './historic-bids.ts';
import type { Leader } from './leader.ts';
import { changedRows, reapply } from './voiding.ts';

/** `journalSequence` is the last that the journal has, as for a void. */
export function decideUndo(
  state: EnglishState,
  command: UndoCall,
  { record, nowUs }: Context,
  journalSequence: number,
): Verdict<EnglishEvent> {
  const { history, bidId, reason, placedAtUs } = command;
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  // Cast: a lot's history is of its format.
  const items = historicItems(history.events as readonly EnglishEvent[]);
  const gone = goneBids(items);
  if (gone.has(bidId)) return { refuse: 'already_voided' };
  const calls = items.filter(
    (item): item is HistoricBid => item.kind === 'bid' && item.channel === 'floor' && !gone.has(item.bidId),
  );
  const call = calls.at(-1);
  if (call?.bidId !== bidId) return { refuse: 'not_last_call' };
  if (nowUs - placedAtUs > UNDO_US) return { refuse: 'undo_too_late' };
  if (items.filter(({ kind }) => kind === 'undo').length >= MAX_UNDOS) return { refuse: 'undo_limit' };
  const before = reapply(items, record.increments, new Set());
  const after = reapply(items, record.increments, new Set([bidId]));
  const { leader, bidCount } = after;
  const isOnline = leader !== null && bidsOnline(items, leader);
  if (isOnline && leader.ceilingCents < state.currentCents) return { refuse: 'undo_staff_only' };
  if (hasBeatenOnline(items, call, record.increments)) return { refuse: 'undo_staff_only' };
  return {
    events: [
      {
        type: 'bid_voided',
        bidId,
        reason,
        currentCents: isOnline ? state.currentCents : after.currentCents,
        leader,
        bidCount,
        changedRows: changedRows(before, after),
        undone: true,
        ...leadsOnline(state, items, leader),
      },
    ],
  };
}

/** Whether somebody has bid online here, so that the ceiling with which they lead is nobody else's business. */
function bidsOnline(items: readonly HistoricItem[], { key }: Pick<Leader, 'key'>): boolean {
  return items.some((item) => item.kind === 'bid' && item.key === key && item.channel === 'online');
}

/** Whether the call took the lead from somebody who bids online. */
function hasBeatenOnline(
  items: readonly HistoricItem[],
  call: HistoricBid,
  increments: Context['record']['increments'],
): boolean {
  const at = items.indexOf(call);
  // What was taken out later had led then.
  const then = (upTo: number) => reapply(items.slice(0, upTo), increments, new Set()).leader;
  const beaten = then(at);
  return (
    beaten !== null && beaten.key !== call.key && then(at + 1)?.key === call.key && bidsOnline(items, beaten)
  );
}
