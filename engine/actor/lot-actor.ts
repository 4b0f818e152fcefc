/**
 * The actor of one lot: one mailbox, one batch on its way at a time, and nobody is answered before the journal has it. It
 * owns nothing but speed: the journal's version check is the truth, so any number of processes may host the same lot.
 */
import type { AuctionRecord } from '../auction/record.ts';
import type { Digest } from '../digest.ts';
import type { Batch, BatchSource, CommitResult, Journal } from '../journal.ts';
import { LotMissing, Overloaded } from '../journal.ts';
import type { Command } from '../lot/commands.ts';
import type { LotState } from '../lot/state.ts';
import type { Ask, AskKey, Reply } from './ask.ts';
import { bidderKeyOf } from './ask.ts';
import type { AuctionBook } from './auction-book.ts';
import { type Decided, type Prepared, prepareBatch } from './prepare.ts';
import { recall } from './remembered.ts';

export interface ActorLimits {
  /** Questions that may wait at one lot. */
  readonly mailbox: number;
  /** Questions that go into one commit. */
  readonly batch: number;
  /** How often a question is decided again before it is given up. */
  readonly tries: number;
}

/** For so many commits after the last sign of another process here the lot is looked at before a long queue is decided. */
const WARY_COMMITS = 8;
/** Shorter queues are decided again sooner than looked after. */
const LONG_QUEUE = 4;
/** How often it is looked whether the other has had its turn. */
const MOST_LOOKS = 4;

export class LotActor implements BatchSource {
  readonly lotId: number;
  readonly book: AuctionBook;
  readonly #journal: Journal;
  readonly #digest: Digest;
  readonly #limits: ActorLimits;
  #state: LotState | null;
  #mailbox: Ask[] = [];
  #inFlight: Prepared | null = null;
  #enlisted = false;
  #fetching = 0;
  /** Asks that wait for something to be fetched. */
  #setAside = 0;
  /** How many asks go into the next batch: fewer where they took so long to decide that their stamp was too old. */
  #most: number;
  /** Commits until it is believed that no other process hosts this lot. */
  #wary = 0;
  #looking = false;
  /** Nobody knows better than this state, as far as could be seen. */
  #looked = false;

  constructor(
    lotId: number,
    book: AuctionBook,
    state: LotState | null,
    journal: Journal,
    digest: Digest,
    limits: ActorLimits,
  ) {
    this.lotId = lotId;
    this.book = book;
    this.#journal = journal;
    this.#digest = digest;
    this.#limits = limits;
    this.#state = state;
    this.#most = limits.batch;
  }

  get auctionId(): number {
    return this.book.auctionId;
  }

  /** Nothing waits and nothing is on its way: it may be dropped. */
  get idle(): boolean {
    const busy = this.#inFlight !== null || this.#enlisted || this.#looking || this.#fetching > 0;
    return !busy && this.#mailbox.length === 0;
  }

  /** Puts a command in the queue. Rejects with Overloaded when that is full, and with the journal's fault. */
  ask(command: Command, key: AskKey | null): Promise<Reply> {
    return new Promise((resolve, reject) => this.take({ command, key, resolve, reject, tries: 0 }));
  }

  /** The same for whoever waits in a way of their own. */
  take(ask: Ask): void {
    const waiting = this.#mailbox.length + this.#setAside;
    if (waiting >= this.#limits.mailbox) {
      ask.reject(new Overloaded(`lot ${this.lotId} has ${waiting} questions waiting`));
      return;
    }
    this.#mailbox.push(ask);
    this.#pump();
  }

  prepare(nowUs: number): Batch | null {
    this.#enlisted = false;
    const state = this.#state;
    const record = this.book.record;
    if (state === null || record === null) {
      this.#pump();
      return null;
    }
    if (this.#wary > 0 && !this.#looked && this.#mailbox.length >= LONG_QUEUE) {
      void this.#look(state.sequence);
      return null;
    }
    this.#looked = false;
    const asks = this.#mailbox.splice(0, this.#most);
    const stampUs = Math.max(nowUs, state.recordedAtUs);
    const prepared = this.#prepareOrReject(state, asks, record, stampUs);
    if (prepared === null) return null;
    for (const { ask, bug } of prepared.broken) ask.reject(bug);
    for (const ask of prepared.needHistory) ask.resolve({ kind: 'needs_history' });
    if (prepared.unknown.length > 0) this.#fetch(prepared.unknown, () => this.#lookUp(prepared.unknown));
    if (prepared.unregistered.length > 0)
      this.#fetch(prepared.unregistered, () => this.#register(prepared.unregistered));
    if (prepared.batch !== null) this.#inFlight = prepared;
    else this.#pump();
    return prepared.batch;
  }

  /** A bug must reach whoever asked, not the journal: then the state is read anew. */
  #prepareOrReject(state: LotState, asks: Ask[], record: AuctionRecord, stampUs: number): Prepared | null {
    try {
      return prepareBatch(state, asks, this.book, record, stampUs, this.#digest);
    } catch (bug) {
      this.#state = null;
      for (const ask of asks) ask.reject(bug as Error);
      this.#pump();
      return null;
    }
  }

  settle(result: CommitResult): void {
    const prepared = this.#inFlight;
    if (prepared === null) return;
    this.#inFlight = null;
    switch (result.kind) {
      case 'committed':
        this.#commit(prepared);
        break;
      case 'conflict':
        this.#foundMoved(result.state);
        this.#again(prepared.decided);
        break;
      case 'record_changed':
        this.book.forget();
        this.#again(prepared.decided);
        break;
      case 'clock':
        this.#most = Math.max(1, prepared.decided.length >> 1);
        this.#again(prepared.decided);
        break;
      case 'keys_known':
        this.#answerKnown(prepared.decided, result.known);
        break;
      case 'exposure':
        for (const [key, cents] of result.actual) this.book.setExposure(key, cents);
        this.#again(prepared.decided);
        break;
      case 'failed':
        this.#fail(prepared.decided, result.fault);
        break;
    }
    this.#pump();
  }

  #commit(prepared: Prepared): void {
    this.#state = prepared.next;
    this.#wary = Math.max(0, this.#wary - 1);
    this.#most = Math.min(this.#limits.batch, this.#most * 2);
    for (const { key, deltaCents } of prepared.batch!.exposure) this.book.moveExposure(key, deltaCents);
    for (const { ask, answer, followers } of prepared.decided) {
      ask.resolve({ kind: 'answer', answer, replayed: false });
      for (const follower of followers) {
        const same = follower.key!.fingerprint === ask.key!.fingerprint;
        follower.resolve(same ? { kind: 'answer', answer, replayed: true } : { kind: 'key_reused' });
      }
    }
  }

  #answerKnown(decided: readonly Decided[], known: ReadonlyMap<string, string>): void {
    const others: Decided[] = [];
    for (const one of decided) {
      const kept = one.ask.key === null ? undefined : known.get(one.ask.key.field);
      if (kept === undefined) others.push(one);
      else for (const ask of [one.ask, ...one.followers]) ask.resolve(recall(ask.key!, kept));
    }
    this.#again(others);
  }

  #again(decided: readonly Decided[]): void {
    this.#putBack(decided.flatMap(({ ask, followers }) => [ask, ...followers]));
  }

  #putBack(asks: readonly Ask[]): void {
    const again: Ask[] = [];
    for (const ask of asks) {
      ask.tries += 1;
      if (ask.tries <= this.#limits.tries) again.push(ask);
      else
        ask.reject(
          new Overloaded(`lot ${this.lotId} is fought over: decided ${ask.tries} times without a commit`),
        );
    }
    this.#mailbox = [...again, ...this.#mailbox];
  }

  #fail(decided: readonly Decided[], fault: Error): void {
    this.#state = null;
    for (const { ask, followers } of decided) {
      for (const waiting of [ask, ...followers]) waiting.reject(fault);
    }
  }

  /** Enlists for the next commit, or fetches first what is missing. */
  #pump(): void {
    if (this.#inFlight !== null || this.#enlisted || this.#looking || this.#mailbox.length === 0) return;
    if (this.#state !== null && this.book.record !== null) {
      this.#enlisted = true;
      this.#journal.enlist(this);
    } else if (this.#fetching === 0) {
      const waiting = this.#mailbox.splice(0);
      this.#fetch(waiting, () => this.#reload());
    }
  }

  /**
   * Where two processes fight over a lot, whoever has just committed lets the other go first: what the one decides meanwhile would be
   * thrown away whole. Ends when the lot has moved, or after a few looks.
   */
  async #look(sequence: number): Promise<void> {
    this.#looking = true;
    try {
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        const state = await this.#journal.load(this.auctionId, this.lotId);
        if (state?.sequence === sequence) continue;
        if (state === null) this.#state = null;
        else this.#foundMoved(state);
        break;
      }
    } catch {
      // Whoever asks is told by the commit that comes next.
    }
    [this.#looking, this.#looked] = [false, true];
    this.#pump();
  }

  #foundMoved(state: LotState): void {
    this.#state = state;
    this.#wary = WARY_COMMITS;
    this.#looked = true;
  }

  /** Sets asks aside until `work` is done; its failure is theirs. */
  #fetch(asks: readonly Ask[], work: () => Promise<void>): void {
    this.#fetching += 1;
    this.#setAside += asks.length;
    work()
      .then(
        () => this.#putBack(asks),
        (fault: Error) => {
          for (const ask of asks) ask.reject(fault);
        },
      )
      .finally(() => {
        this.#fetching -= 1;
        this.#setAside -= asks.length;
        this.#pump();
      });
  }

  async #reload(): Promise<void> {
    if (this.#state === null) {
      const state = await this.#journal.load(this.auctionId, this.lotId);
      if (state === null) throw new LotMissing(this.lotId);
      this.#state = state;
    }
    if (this.book.record === null) await this.book.load();
  }

  #lookUp(asks: readonly Ask[]): Promise<void> {
    const keys = new Set<string>();
    for (const { command } of asks) keys.add(bidderKeyOf(command)!);
    return this.book.loadBidders([...keys]);
  }

  #register(asks: readonly Ask[]): Promise<void> {
    const bidders = new Map<string, { key: string; userId: number | null; paddle: string | null }>();
    for (const { command } of asks) {
      if (command.type !== 'place_bid' && command.type !== 'buy_now') continue;
      const { key, userId, paddle } = command.bidder;
      bidders.set(key, { key, userId, paddle: paddle ?? null });
    }
    return this.book.register([...bidders.values()]);
  }
}
