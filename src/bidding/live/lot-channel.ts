/**
 * One lot's live channel in one process: receives the lot's entries, folds and prints each once, and hands the printed
 * events to all clients here. A client joins at a sequence and misses nothing after it; gaps in what is received are
 * filled from the journal before anything continues.
 */

import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { evolveFace, isFinal, memberIds, shownHead, withEntry } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type EntrySources, readEntriesAfter } from '../journal/lot-entries.ts';
import type { LotFeed } from './lot-feed.ts';
import { eventsOf, formatEvent, messageOf, type StreamMessage, shownEvents } from './stream-events.ts';

export interface ChannelParts extends EntrySources {
  readonly feed: LotFeed;
  /** A lot's state: from the journal, or as it was when it left it. Throws `NoJournalYet`. */
  readonly readState: (auctionId: number, lotId: number) => Promise<LotState>;
  /** The lot in full at a state. */
  readonly present: (state: LotState) => Promise<unknown>;
}

/** A lot that nobody has published, or whose journal is about to be opened: nothing has moved. */
export class NoJournalYet extends JournalUnavailable {}

const RETRY_MS = 1_000;

export type Client = (message: StreamMessage) => void;

export class LotChannel {
  readonly #parts: ChannelParts;
  readonly #clients = new Set<Client>();
  #state: LotState;
  #work: Promise<void> = Promise.resolve();
  #stop: () => void = () => {};
  #isClosed = false;
  #retry: NodeJS.Timeout | null = null;

  private constructor(parts: ChannelParts, state: LotState) {
    this.#parts = parts;
    this.#state = state;
  }

  /** Opens a channel. Throws when the journal cannot be read. */
  static async open(parts: ChannelParts, auctionId: number, lotId: number): Promise<LotChannel> {
    return LotChannel.#open(parts, auctionId, lotId, lotId);
  }

  static async #open(
    parts: ChannelParts,
    auctionId: number,
    lotId: number,
    journalId: number,
  ): Promise<LotChannel> {
    let deliver: (entry: SealedEntry) => void = () => {};
    const early: SealedEntry[] = [];
    const stop = await parts.feed.listen(auctionId, journalId, (entry) => deliver(entry));
    deliver = (entry) => void early.push(entry);
    try {
      const state = await parts.readState(auctionId, lotId);
      const hostId = firstOf(memberIds(state));
      if (hostId !== journalId) {
        stop();
        return await LotChannel.#open(parts, auctionId, lotId, hostId);
      }
      const channel = new LotChannel(parts, state);
      channel.#stop = stop;
      deliver = (entry) => channel.#enqueue(entry);
      for (const entry of early) channel.#enqueue(entry);
      return channel;
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Adds a client: it gets every event after `state`, which is read in the same breath. */
  join(client: Client): LotState {
    this.#clients.add(client);
    return this.#state;
  }

  /** The channel's position: what it sends its clients comes after this. */
  get state(): LotState {
    return this.#state;
  }

  leave(client: Client): void {
    this.#clients.delete(client);
  }

  /** Compares with the journal, which may have been replaced: sends what it has more, or starts over. */
  lookAgain(): void {
    this.#do(async () => {
      const { sequence, hash } = await this.#readState();
      if (sequence > this.#state.sequence) await this.#fill();
      else if (sequence < this.#state.sequence || hash !== this.#state.hash) await this.#startOver();
    });
  }

  close(): void {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#stop();
    this.#clients.clear();
  }

  #enqueue(entry: SealedEntry): void {
    this.#do(() => this.#take(entry));
  }

  /** One after the other; while the journal cannot be read, it is compared again and again. */
  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => {
      if (this.#isClosed) return;
      this.#retry ??= setTimeout(() => {
        this.#retry = null;
        this.lookAgain();
      }, RETRY_MS).unref();
    });
  }

  async #take(entry: SealedEntry): Promise<void> {
    const { sequence, hash, recordedAtUs } = this.#state;
    if (entry.sequence <= sequence) {
      // Heard twice; a later one was given the same sequence, since the journal has lost what was sent under it.
      if (entry.recordedAtUs > recordedAtUs) await this.#startOver();
      return;
    }
    return entry.previousHash === hash ? this.#apply(entry) : this.#fill();
  }

  /** Sends what the journal has after what was sent. */
  async #fill(): Promise<void> {
    const { sequence, hash } = this.#state;
    const missed = await readEntriesAfter(this.#parts, this.#state, sequence);
    if (missed[0]?.previousHash !== hash) return this.#startOver();
    for (const one of missed) await this.#apply(one);
  }

  /** Sends all clients the lot's present state: what they were last sent is no longer in the journal. */
  async #startOver(): Promise<void> {
    const state = await this.#readState();
    const id = String(shownHead(state).sequence);
    const text = formatEvent(id, 'lot.snapshot', await this.#parts.present(state));
    this.#state = state;
    for (const client of this.#clients) client({ id, text, last: isFinished(state), startsOver: true });
  }

  #readState(): Promise<LotState> {
    return this.#parts.readState(this.#state.auctionId, this.#state.lotId);
  }

  async #apply(entry: SealedEntry): Promise<void> {
    let state = this.#state;
    const messages: StreamMessage[] = [];
    for (const event of eventsOf(entry)) {
      const before = state.currentCents;
      state = evolveFace(state, event);
      for (const streamed of shownEvents(event, entry, state, before)) {
        const data = streamed.data ?? (await this.#parts.present(state));
        messages.push(messageOf(streamed, data));
      }
    }
    this.#state = withEntry(state, entry);
    for (const message of messages) for (const client of this.#clients) client(message);
  }
}

/** Whether more can come: a closed or withdrawn lot has said its last. */
export function isFinished(state: LotState): boolean {
  return isFinal(state);
}
