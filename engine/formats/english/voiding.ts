/**
 * What a lot's lead would be had a bid never been made (rule 15): the remaining bids, applied again in their order, by
 * the same rules that placed them. Works on the lot's whole history, which the caller brings.
 */

import type { Increment } from '../../auction/increments.ts';
import type { BidderKey } from '../../auction/record.ts';
import type { ChangedRow } from '../../lot/events.ts';
import {
  goneBids,
  type HistoricBid,
  type HistoricItem,
  type HistoricTerms,
  type HistoricUndo,
} from './historic-bids.ts';
import { type AppliedBid, applyBid, type Lead, liftToReserve } from './lead.ts';
import type { Leader } from './leader.ts';

export interface Reapplied {
  readonly currentCents: number;
  readonly leader: Leader | null;
  readonly bidCount: number;
  /** Outcome and amount of every remaining bid, in order. */
  readonly rows: ReadonlyMap<string, ChangedRow>;
}

/** Applies a history again without the bids in `without` and without those voided in the history itself. */
export function reapply(
  items: readonly HistoricItem[],
  increments: readonly Increment[],
  without: ReadonlySet<string>,
): Reapplied {
  const voided = new Set(without);
  for (const bidId of goneBids(items)) voided.add(bidId);
  let terms: HistoricTerms = { kind: 'terms', startingBidCents: 0, reserveCents: null };
  let lead: Lead<BidderKey> = { currentCents: 0, leader: null };
  let leader: Leader | null = null;
  let bidCount = 0;
  const rows = new Map<string, ChangedRow>();
  for (const item of items) {
    if (item.kind === 'terms') {
      terms = item;
      lead = relift(lead, terms.reserveCents);
    } else if (item.kind === 'undo') {
      lead = keptPrice(lead, item);
    } else if (item.kind === 'bid' && !voided.has(item.bidId)) {
      const bid = { who: item.key, straightCents: item.straightCents, ceilingCents: item.ceilingCents };
      const applied: AppliedBid<BidderKey> = applyBid(lead, bid, { ...terms, increments });
      lead = applied;
      leader = leaderAfter(leader, item, applied);
      if (applied.outcome !== 'max_raised') bidCount += 1;
      rows.set(item.bidId, { bidId: item.bidId, outcome: applied.outcome, listedCents: applied.listedCents });
    }
  }
  return { currentCents: lead.currentCents, leader, bidCount, rows };
}

/** Rule 18: what a leader's ceiling has answered a call with stays, as long as that leader leads. */
function keptPrice(lead: Lead<BidderKey>, { key, keptCents }: HistoricUndo): Lead<BidderKey> {
  const { leader } = lead;
  if (leader === null || leader.who !== key || leader.ceilingCents < keptCents) return lead;
  return { ...lead, currentCents: Math.max(lead.currentCents, keptCents) };
}

function relift(lead: Lead<BidderKey>, reserveCents: number | null): Lead<BidderKey> {
  if (lead.leader === null) return lead;
  return {
    ...lead,
    currentCents: liftToReserve(lead.currentCents, lead.leader.ceilingCents, reserveCents),
  };
}

function leaderAfter(leader: Leader | null, bid: HistoricBid, applied: AppliedBid<BidderKey>): Leader | null {
  if (applied.outcome === 'outbid') return leader;
  const { ceilingCents } = applied.leader;
  if (applied.outcome === 'max_raised' && leader !== null) return { ...leader, ceilingCents };
  const { key, userId, alias, paddle, bidId } = bid;
  return { key, userId, alias, paddle, ceilingCents, bidId, listedCents: applied.listedCents };
}

/** The rows that read otherwise after a replay than before it; deleted rows are not among them. */
export function changedRows(before: Reapplied, after: Reapplied): ChangedRow[] {
  const changed: ChangedRow[] = [];
  for (const [bidId, row] of after.rows) {
    const old = before.rows.get(bidId);
    if (old?.outcome !== row.outcome || old.listedCents !== row.listedCents) changed.push(row);
  }
  return changed;
}
