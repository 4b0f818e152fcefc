/**
 * What a client has missed, a few entries at a time: the formatted events after its position, as far as its channel has
 * come. Bids and closes are complete in themselves; only where a snapshot is among what was missed is the lot's
 * history folded from its beginning. However long the history is, at most two reads of it are in memory.
 */

import { evolve, NO_LOT } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { readNextEntries } from '../journal/lot-entries.ts';
import type { ChannelParts } from './lot-channel.ts';
import {
  eventsOf,
  isAfter,
  messageOf,
  type StreamEvent,
  type StreamMessage,
  type StreamPosition,
  streamEvents,
} from './stream-events.ts';

const ENTRIES_AT_ONCE = 200;

export class CatchUp {
  readonly #parts: ChannelParts;
  readonly #position: StreamPosition;
  #readTo: number;
  #price: number | null = null;
  #folded: LotState = NO_LOT;
  #foldedTo = 0;

  constructor(parts: ChannelParts, position: StreamPosition) {
    this.#parts = parts;
    this.#position = position;
    // The entry that the position is in may hold more than the client has received.
    this.#readTo = Math.max(0, position.sequence - 1);
  }

  /** Whether everything up to this state was read. */
  hasReached(head: LotState): boolean {
    return this.#readTo >= head.sequence;
  }

  /** The next events, none beyond `head`; none at all where the entries that were read hold none. */
  async next(head: LotState): Promise<StreamMessage[]> {
    const read = await readNextEntries(this.#parts, head, this.#readTo, ENTRIES_AT_ONCE);
    const entries = read.filter(({ sequence }) => sequence <= head.sequence);
    this.#readTo = entries.at(-1)?.sequence ?? head.sequence;
    const events = this.#eventsIn(entries, head).filter(({ id }) => isAfter(id, this.#position));
    const wanted = new Set(events.filter(({ data }) => data === null).map(({ id }) => id));
    const snapshots = wanted.size === 0 ? new Map<string, unknown>() : await this.#snapshots(head, wanted);
    return events.map((event) => messageOf(event, event.data ?? snapshots.get(event.id)));
  }

  #eventsIn(entries: readonly SealedEntry[], head: LotState): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const entry of entries) {
      for (const event of eventsOf(entry)) {
        events.push(...streamEvents(event, entry, head, this.#price));
        if ('currentCents' in event) this.#price = event.currentCents;
      }
    }
    return events;
  }

  /** The lot's state after these sequences: folds on to where the events were read. */
  async #snapshots(head: LotState, wanted: ReadonlySet<string>): Promise<Map<string, unknown>> {
    const snapshots = new Map<string, unknown>();
    while (this.#foldedTo < this.#readTo) {
      const read = await readNextEntries(this.#parts, head, this.#foldedTo, ENTRIES_AT_ONCE);
      const entries = read.filter(({ sequence }) => sequence <= this.#readTo);
      for (const event of entries.flatMap(eventsOf)) {
        this.#folded = evolve(this.#folded, event);
        const id = String(event.sequence);
        if (wanted.has(id)) snapshots.set(id, await this.#parts.present(this.#folded));
      }
      this.#foldedTo = entries.at(-1)?.sequence ?? this.#readTo;
    }
    return snapshots;
  }
}
