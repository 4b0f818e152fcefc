/**
 * What the journal knows of a lot's bids beyond Postgres: the rows that are not projected yet, and what voids among
 * them change about rows that are. Readers lay it over what they read from Postgres, by sequence.
 */

import { decodeEvents } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { type BidVoided, isListed } from '../../../engine/lot/events.ts';
import { bidRowsOf } from '../projection/bid-rows.ts';
import type { BidChange, BidRow } from '../projection/pending-writes.ts';

export interface TailOverlay {
  /** Bids that are not in Postgres, oldest first. */
  readonly rows: readonly BidRow[];
  /** Changes of bids that are, by bid. */
  readonly changes: ReadonlyMap<string, BidChange>;
}

export const NO_OVERLAY: TailOverlay = { rows: [], changes: new Map() };

/** What the entries say of bids after `projectedSequence`. */
export function overlayOf(entries: readonly SealedEntry[], projectedSequence: number): TailOverlay {
  const rows = new Map<string, BidRow>();
  const changes = new Map<string, BidChange>();
  for (const entry of entries) {
    if (entry.sequence <= projectedSequence) continue;
    for (const event of decodeEvents(entry.privateText)) {
      for (const row of bidRowsOf(event, entry)) rows.set(row.bid_id, row);
      if (event.type === 'bid_voided') applyVoid(rows, changes, event);
    }
  }
  return { rows: [...rows.values()], changes };
}

function applyVoid(rows: Map<string, BidRow>, changes: Map<string, BidChange>, event: BidVoided): void {
  const change = (one: BidChange) => {
    const row = rows.get(one.bid_id);
    if (row === undefined) changes.set(one.bid_id, { ...changes.get(one.bid_id), ...one });
    else {
      Object.assign(row, one);
      row.listed = isListed(row.outcome);
    }
  };
  change({ bid_id: event.bidId, voided: true });
  for (const { bidId, outcome, listedCents } of event.changedRows) {
    change({ bid_id: bidId, outcome, amount_cents: listedCents });
  }
}
