/**
 * What a client that comes back has missed: the printed events after its position, up to the sequence that its channel will go
 * on from. Bids and closes tell all about themselves; only where a snapshot is among what was missed is the lot's history
 * folded from its beginning.
 */
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { evolve, NO_LOT } from '../../../engine/lot/evolve.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { readEntriesAfter } from '../journal/lot-entries.ts';
import type { ChannelParts, Printed } from './lot-channel.ts';
import {
  eventsOf,
  isAfter,
  printEvent,
  type StreamEvent,
  type StreamPosition,
  streamEvents,
} from './stream-events.ts';

/** Events after `position` and up to `head`'s sequence, oldest first. */
export async function missedEvents(
  parts: ChannelParts,
  head: LotState,
  position: StreamPosition,
): Promise<Printed[]> {
  const entries = await readEntriesAfter(parts, head, Math.max(0, position.sequence - 1));
  const told = tell(entries, head).filter(
    ({ id }) => isAfter(id, position) && Number.parseInt(id, 10) <= head.sequence,
  );
  const wanted = told.filter(({ data }) => data === null).map(({ id }) => id);
  const snapshots = wanted.length === 0 ? new Map<string, unknown>() : await snapshotsAt(parts, head, wanted);
  return told.map(({ id, event, data, last }) => ({
    id,
    text: printEvent(id, event, data ?? snapshots.get(id)),
    last,
  }));
}

function tell(entries: readonly SealedEntry[], head: LotState): StreamEvent[] {
  const told: StreamEvent[] = [];
  let price: number | null = null;
  for (const entry of entries) {
    for (const event of eventsOf(entry)) {
      told.push(...streamEvents(event, entry, head.lotId, head.endsAtUs, price));
      if ('currentCents' in event) price = event.currentCents;
    }
  }
  return told;
}

async function snapshotsAt(
  parts: ChannelParts,
  head: LotState,
  ids: readonly string[],
): Promise<Map<string, unknown>> {
  const sequences = new Set(ids);
  const snapshots = new Map<string, unknown>();
  let state = NO_LOT;
  for (const entry of await readEntriesAfter(parts, head, 0)) {
    for (const event of eventsOf(entry)) {
      state = evolve(state, event);
      if (sequences.has(String(event.sequence)))
        snapshots.set(String(event.sequence), await parts.present(state));
    }
  }
  return snapshots;
}
