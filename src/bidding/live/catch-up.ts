/**
 * What a client has missed, a little at a time: the formatted events after its position, as far as its channel has
 * come. Bids and closes are complete in themselves; only where a snapshot is among what was missed is the lot's
 * history folded from its beginning. However long that is, and however much of it one entry holds, a client costs
 * little memory, and the event loop a few milliseconds at once.
 */

import { LRUCache } from 'lru-cache';
import { evolve, formatOf, memberIds, NO_LOT, shownHead } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { readNextEntries } from '../journal/lot-entries.ts';
import { FewAtOnce } from './few-at-once.ts';
import type { ChannelParts } from './lot-channel.ts';
import {
  closeOf,
  eventsOf,
  formatEvent,
  isAfter,
  messageOf,
  type StreamEvent,
  type StreamMessage,
  type StreamPosition,
  streamEvents,
} from './stream-events.ts';

/** An entry may hold thousands of bids, whose events are longer than what the journal keeps. */
const BOUNDS = { entries: 200, bytes: 256 * 1_024 } as const;
const EVENTS_AT_ONCE = 150;
/** Over all clients of a process. */
const NEXT_READS = new FewAtOnce(3);
type Lately = LRUCache<string, readonly SealedEntry[]>;

/** By database: what was read after a sequence of a lot; so shortly that a journal that was replaced is soon read. */
const LATELY = new WeakMap<object, Lately>();

function latelyOf({ knex }: ChannelParts): Lately {
  const known = LATELY.get(knex);
  if (known !== undefined) return known;
  const made: Lately = new LRUCache({
    maxSize: 4 * 1_024 * 1_024,
    ttl: 1_000,
    sizeCalculation: (entries) =>
      entries.reduce((sum, one) => sum + one.privateText.length + one.publicText.length, 1),
  });
  LATELY.set(knex, made);
  return made;
}

const keyOf = ({ lotId }: LotState, after: number) => `${lotId}|${after}`;

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

  /**
   * The next events, none beyond `head`, and no more than a client's buffer takes; none at all where the entries that
   * were read hold none.
   */
  next(head: LotState): Promise<StreamMessage[]> {
    return NEXT_READS.run(() => this.#next(head));
  }

  async #next(head: LotState): Promise<StreamMessage[]> {
    if (formatOf(head).sealed !== undefined || memberIds(head).length > 1) return this.#present(head);
    const read = await this.#read(head);
    const entries = read.filter(({ firstSequence }) => firstSequence <= head.sequence);
    const before = this.#readTo;
    const events = this.#eventsIn(entries, head);
    if (this.#readTo === before) this.#readTo = head.sequence;
    const left = entries.filter(({ sequence }) => sequence > this.#readTo);
    if (left.length > 0) latelyOf(this.#parts).set(keyOf(head, this.#readTo), left);
    const wanted = new Set(events.filter(({ data }) => data === null).map(({ id }) => id));
    const snapshots = wanted.size === 0 ? new Map<string, unknown>() : await this.#snapshots(head, wanted);
    return events.map((event) => messageOf(event, event.data ?? snapshots.get(event.id)));
  }

  /** Of a lot with sealed bids, or one that is sold with others, what was missed shows in how the lot is now. */
  async #present(head: LotState): Promise<StreamMessage[]> {
    this.#readTo = head.sequence;
    const last = !isOpen(head);
    const id = String(last ? head.sequence : shownHead(head).sequence);
    if (!isAfter(id, this.#position)) return [];
    const text = closeOf(head) ?? formatEvent(id, 'lot.snapshot', await this.#parts.present(head));
    return [{ id, text, last }];
  }

  /** Many who were cut off together resume at the same place, and an entry is long. */
  async #read(head: LotState): Promise<readonly SealedEntry[]> {
    const key = keyOf(head, this.#readTo);
    const lately = latelyOf(this.#parts).get(key);
    if (lately?.some(({ firstSequence }) => firstSequence <= head.sequence)) return lately;
    const read = await readNextEntries(this.#parts, head, this.#readTo, BOUNDS);
    if (read.length > 0) latelyOf(this.#parts).set(key, read);
    return read;
  }

  /** Those after what was read before, until they are enough; an entry may be left in the middle. */
  #eventsIn(entries: readonly SealedEntry[], head: LotState): StreamEvent[] {
    const events: StreamEvent[] = [];
    const after = this.#readTo;
    for (const entry of entries) {
      for (const event of eventsOf(entry)) {
        const isNew = event.sequence > after;
        if (event.sequence > head.sequence || (isNew && events.length >= EVENTS_AT_ONCE)) return events;
        if (isNew) {
          const streamed = streamEvents(event, entry, head, this.#price);
          events.push(...streamed.filter(({ id }) => isAfter(id, this.#position)));
          this.#readTo = event.sequence;
        }
        if ('currentCents' in event) this.#price = event.currentCents;
      }
    }
    return events;
  }

  /** The lot's state after these sequences: folds on to where the events were read. */
  async #snapshots(head: LotState, wanted: ReadonlySet<string>): Promise<Map<string, unknown>> {
    const snapshots = new Map<string, unknown>();
    while (this.#foldedTo < this.#readTo) {
      const entries = await readNextEntries(this.#parts, head, this.#foldedTo, BOUNDS);
      if (entries.length === 0) break;
      for (const event of entries.flatMap(eventsOf)) {
        if (event.sequence <= this.#foldedTo || event.sequence > this.#readTo) continue;
        this.#folded = evolve(this.#folded, event);
        this.#foldedTo = event.sequence;
        const id = String(event.sequence);
        if (wanted.has(id)) snapshots.set(id, await this.#parts.present(this.#folded));
      }
    }
    return snapshots;
  }
}
