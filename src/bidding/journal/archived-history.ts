/**
 * A lot's history: its bids in order, from which voids are calculated, and the last state of a closed lot that has
 * left Redis.
 */
import type { Database } from '../../../adapters/postgres/database.ts';
import type { BidderKey } from '../../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../../engine/digest.ts';
import type { BidHistory } from '../../../engine/lot/bid-history.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { decodeEvents } from '../../../engine/lot/event-codec.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import { evolve, NO_LOT, withEntry } from '../../../engine/lot/evolve.ts';
import { decodeSnapshot } from '../../../engine/lot/snapshot.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type EntrySources, readEntriesAfter } from './lot-entries.ts';

/** Everything that affects a lot's standing, up to its newest acknowledged event. */
export async function readHistory(
  sources: EntrySources,
  lotIds: { readonly auctionId: number; readonly lotId: number },
): Promise<BidHistory> {
  const items: BidHistory['items'][number][] = [];
  let sequence = 0;
  for (const entry of await readEntriesAfter(sources, lotIds, 0)) {
    for (const event of decodeEvents(entry.privateText)) {
      const item = historicItem(event);
      if (item !== null) items.push(item);
    }
    sequence = entry.sequence;
  }
  return { sequence, items };
}

/** What an event adds to the history; null if it affects no standing. */
export function historicItem(event: LotEvent): BidHistory['items'][number] | null {
  switch (event.type) {
    case 'lot_scheduled':
    case 'terms_changed': {
      const { startingBidCents, reserveCents } = event;
      return { kind: 'terms', startingBidCents, reserveCents };
    }
    case 'bid_placed': {
      const { bidId, straightCents, ceilingCents } = event;
      return { kind: 'bid', bidId, ...event.bidder, straightCents, ceilingCents };
    }
    case 'bid_voided':
      return { kind: 'void', bidId: event.bidId };
    default:
      return null;
  }
}

/** A lot before its first entry. */
export const UNKNOWN_LOT: LotState = { ...NO_LOT, hash: GENESIS_HASH };

/** The lot's newest state: `state` and everything in the entries that came after it. */
export function foldTail(state: LotState, entries: readonly SealedEntry[]): LotState {
  let newest = state;
  for (const entry of entries) {
    if (entry.sequence <= newest.sequence) continue;
    for (const event of decodeEvents(entry.privateText)) newest = evolve(newest, event);
    newest = withEntry(newest, entry);
  }
  return newest;
}

/** The highest amount that somebody has bid in this history or left as a ceiling, voided bids left out; null: none. */
export function highestBid({ items }: BidHistory, key: BidderKey): number | null {
  const voided = new Set(items.flatMap((item) => (item.kind === 'void' ? [item.bidId] : [])));
  let highest: number | null = null;
  for (const item of items) {
    if (item.kind !== 'bid' || item.key !== key || voided.has(item.bidId)) continue;
    highest = Math.max(highest ?? 0, item.straightCents ?? 0, item.ceilingCents);
  }
  return highest;
}

/** The last state of a lot that the projection has seen; null when it has seen none. */
export async function readArchivedState(
  { knex }: Pick<Database, 'knex'>,
  lotId: number,
): Promise<LotState | null> {
  const row = await knex('lot_states')
    .where('lot_id', lotId)
    .first<{ snapshot: string } | undefined>('snapshot');
  return row === undefined ? null : decodeSnapshot(row.snapshot);
}
