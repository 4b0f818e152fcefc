/** Rule 15: staff take a bid out, as an event in the lot's journal. */
import { isOver, reopenedAfterVoid } from '../../lot/closing.ts';
import type { VoidBid } from '../../lot/commands.ts';
import type { Context, Verdict } from '../../lot/decision.ts';
import type { LotEvent } from '../../lot/events.ts';
import { isOpen } from '../../lot/state.ts';
import type { EnglishEvent } from './english-events.ts';
import type { EnglishState } from './english-state.ts';
import { goneBids, type HistoricItem, historicItems } from './historic-bids.ts';
import type { Leader } from './leader.ts';
import { changedRows, reapply } from './voiding.ts';

/**
 * Rule 15: the lead is what the remaining bids would have made; end, extensions and frozen fields stay.
 * `journalSequence` is the last that the journal has: what the lot takes over from its auction only now is in no
 * history, and moves no price.
 */
export function decideVoid(
  state: EnglishState,
  command: VoidBid,
  context: Context,
  journalSequence: number,
): Verdict<EnglishEvent> {
  const { record, nowUs } = context;
  const { history, bidId } = command;
  if (!isOpen(state) || isOver(state, record, nowUs)) return { refuse: 'lot_closed' };
  if (history.sequence < journalSequence) return { need: 'history' };
  // Cast: a lot's history is of its format.
  const items = historicItems(history.events as readonly EnglishEvent[]);
  if (goneBids(items).has(bidId)) return { refuse: 'already_voided' };
  const isHere = items.some((item) => item.kind === 'bid' && item.bidId === bidId);
  if (!isHere) return { refuse: isOfEarlierRound(history.events, bidId) ? 'lot_closed' : 'bid_unknown' };
  const before = reapply(items, record.increments, new Set());
  const after = reapply(items, record.increments, new Set([bidId]));
  const { currentCents, leader, bidCount } = after;
  const reopened = currentCents < state.currentCents ? reopenedAfterVoid(state, record, nowUs) : null;
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
        ...leadsOnline(state, items, leader),
      },
      ...(reopened === null ? [] : [reopened]),
    ],
  };
}

/** The hammer has fallen on what the bid was made for. */
function isOfEarlierRound(events: readonly LotEvent[], bidId: string): boolean {
  return events.some((event) => event.type === 'bid_placed' && event.bidId === bidId);
}

/** Of a lot that carries the bidding of a group: whether who leads now has bid online. */
export function leadsOnline(
  { choice }: EnglishState,
  items: readonly HistoricItem[],
  leader: Leader | null,
): { readonly leadsOnline: boolean } | null {
  if (choice === null) return null;
  const led = items.find((item) => item.kind === 'bid' && item.bidId === leader?.bidId);
  return { leadsOnline: led?.kind === 'bid' && led.channel === 'online' };
}
