/**
 * A lot's history: its bids in order, from which voids are calculated, and the last state of a closed lot that has
 * left Redis.
 */
import type { Database } from '../../../adapters/postgres/database.ts';
import type { BidderKey } from '../../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../../engine/digest.ts';
import {
  decodeEvents,
  decodeSnapshot,
  evolve,
  formatOf,
  NO_LOT,
  withEntry,
} from '../../../engine/formats/formats.ts';
import type { BidHistory } from '../../../engine/lot/bid-history.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type EntrySources, readEntriesAfter } from './lot-entries.ts';

/** Everything that has happened to a lot, up to its newest acknowledged event. */
export async function readHistory(
  sources: EntrySources,
  lotIds: { readonly auctionId: number; readonly lotId: number },
): Promise<BidHistory> {
  const events: LotEvent[] = [];
  let sequence = 0;
  for (const entry of await readEntriesAfter(sources, lotIds, 0)) {
    events.push(...decodeEvents(entry.privateText));
    sequence = entry.sequence;
  }
  return { sequence, events };
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

/** The highest amount that somebody has bid on a lot or left as a ceiling, voided bids left out; null: none. */
export async function readHighestBid(
  sources: EntrySources,
  lotIds: { readonly auctionId: number; readonly lotId: number },
  key: BidderKey,
): Promise<number | null> {
  const history = await readHistory(sources, lotIds);
  const [first] = history.events;
  return first === undefined ? null : formatOf(evolve(NO_LOT, first)).highestBid(history, key);
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
