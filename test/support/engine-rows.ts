/**
 * The public list of a lot's bids and the history that a void is computed from, folded from the engine's events as
 * every reader of the journal does. Used by the tests that compare the engine with the worked cases and the naive
 * rules.
 */

import type { EnglishBidPlaced, EnglishEvent } from '../../engine/formats/english/english-events.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { BidHistory } from '../../engine/lot/bid-history.ts';

export interface ListedRow {
  readonly bidId: string;
  readonly key: string;
  readonly listedCents: number;
  readonly outcome: string;
  readonly status: 'leading' | 'outbid' | 'won' | 'voided';
}

interface Row {
  readonly bid: EnglishBidPlaced;
  outcome: string;
  listedCents: number;
  voided: boolean;
}

/** The rows as they are listed, newest first. */
export function listedRows(state: EnglishState, events: readonly EnglishEvent[]): ListedRow[] {
  const rows = new Map<string, Row>();
  for (const event of events) {
    if (event.type === 'bid_placed') {
      const { bidId, outcome, listedCents } = event;
      rows.set(bidId, { bid: event, outcome, listedCents, voided: false });
    } else if (event.type === 'bid_voided') {
      rows.get(event.bidId)!.voided = true;
      for (const { bidId, outcome, listedCents } of event.changedRows)
        Object.assign(rows.get(bidId)!, { outcome, listedCents });
    }
  }
  const listed = [...rows.values()].filter((row) => row.outcome !== 'max_raised').reverse();
  const top = topRow(state, listed);
  return listed.map((row) => ({
    bidId: row.bid.bidId,
    key: row.bid.bidder.key,
    listedCents: row.listedCents,
    outcome: row.outcome,
    status: row.voided
      ? 'voided'
      : row.bid.bidId !== top
        ? 'outbid'
        : state.status === 'sold'
          ? 'won'
          : 'leading',
  }));
}

/** The row that leads or has won: the newest of the leader, or of the floor's buyer. */
function topRow(state: EnglishState, listed: readonly Row[]): string | null {
  if (state.status !== 'sold' || state.winner?.key === state.leader?.key) return state.leader?.bidId ?? null;
  const own = listed.find((row) => !row.voided && row.bid.bidder.key === state.winner?.key);
  return own?.bid.bidId ?? null;
}

/** A lot's history, as read from the journal for a void. */
export function historyOf(events: readonly EnglishEvent[]): BidHistory {
  return { sequence: events.at(-1)?.sequence ?? 0, events };
}
