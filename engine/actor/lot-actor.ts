/**
 * The actor of one lot: one mailbox, and nobody is answered before the journal has it. Where many wait, a second batch is decided on what
 * the one on its way will leave, and stands only if that does. The actor owns nothing but speed: the journal's version check is the
 * truth, so any number of processes may host the same lot.
 */
import type { AuctionRecord } from '../auction/record.ts';
import type { Digest } from '../digest.ts';
import type { Command } from '../lot/commands.ts';
import type { LotState } from '../lot/state.ts';
import type { AuctionCache } from './auction-cache.ts';
import { refreshUntilMoved } from './contention.ts';
import { InFlightBatches } from './in-flight-batches.ts';
import type { Batch, BatchSource, CommitResult, Journal } from './journal.ts';
import { LotMissing, Overloaded } from './journal.ts';
import { lookUpBidders, registerBidders } from './loading.ts';
import type { CommandResult, IdempotencyKey, PendingCommand } from './pending-command.ts';
import { type Decided, type Prepared, prepareBatch } from './prepare.ts';
import { rejectAll, resolveCommitted, resolveReplays } from './resolving.ts';

export interface ActorLimits {
  /** Questions that may wait at one lot. */
  readonly mailbox: number;
  /** Questions that go into one commit. */
  readonly batch: number;
  /** So many questions are worth a second commit beside the one on its way. */
  readonly pipelineFrom: number;
  /** How often a question is decided again before it is given up. */
  readonly attempts: number;
}

/** For so many commits after the last sign of another process here the lot is looked at before a long queue is decided. */
const WARY_COMMITS = 8;
/** Shorter queues are decided again sooner than looked after. */
const LONG_QUEUE = 4;
/** Results of batches that nobody was faster than, and whose stamp was fresh enough, whatever else there was to say. */
const UNMOVED: ReadonlySet<CommitResult['kind']> = new Set(['committed', 'keys_known', 'exposure']);

export class LotActor implements BatchSource {
  readonly lotId: number;
  readonly auction: AuctionCache;
  readonly #journal: Journal;
  readonly #digest: Digest;
  readonly #limits: ActorLimits;
  /** As the last batch leaves it, though that may still be on its way; null: to be read anew. */
  #state: LotState | null;
  #mailbox: PendingCommand[] = [];
  readonly #flights = new InFlightBatches();
  /** A batch did not come to stand while another was on its way that rests on it. */
  #astray = false;
  /** Asks to decide again, once nothing is on its way any more. */
  #held: PendingCommand[] = [];
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
    book: AuctionCache,
    state: LotState | null,
    journal: Journal,
    digest: Digest,
    limits: ActorLimits,
  ) {
    this.lotId = lotId;
    this.auction = book;
    this.#journal = journal;
    this.#digest = digest;
    this.#limits = limits;
    this.#state = state;
    this.#most = limits.batch;
  }

  get auctionId(): number {
    return this.auction.auctionId;
  }

  /** Nothing waits and nothing is on its way: it may be dropped. */
  get idle(): boolean {
    const busy = this.#flights.size > 0 || this.#enlisted || this.#looking || this.#fetching > 0;
    return !busy && this.#mailbox.length === 0;
  }

  get pipelined(): boolean {
    return this.#flights.size > 0;
  }

  /** Puts a command in the queue. Rejects with Overloaded when that is full, and with the journal's fault. */
  ask(command: Command, key: IdempotencyKey | null): Promise<CommandResult> {
    return new Promise((resolve, reject) => this.take({ command, key, resolve, reject, attempts: 0 }));
  }

  /** The same for whoever waits in a way of their own. */
  take(ask: PendingCommand): void {
    const waiting = this.#mailbox.length + this.#setAside + this.#held.length;
    if (waiting >= this.#limits.mailbox) {
      ask.reject(new Overloaded(`lot ${this.lotId} has ${waiting} questions waiting`));
      return;
    }
    this.#mailbox.push(ask);
    this.#pump();
  }

  prepare(nowUs: number): Batch | null {
    this.#enlisted = false;
    const [state, { record }] = [this.#state, this.auction];
    if (state === null || record === null) {
      this.#pump();
      return null;
    }
    if (this.#wary > 0 && !this.#looked && this.#mailbox.length >= LONG_QUEUE) {
      void this.#look(state.sequence);
      return null;
    }
    this.#looked = false;
    const asks = this.#mailbox.splice(0, this.#share());
    const stampUs = Math.max(nowUs, state.recordedAtUs);
    const prepared = this.#decide(state, asks, record, stampUs);
    if (prepared === null) return null;
    for (const { pending, bug } of prepared.broken) pending.reject(bug);
    for (const ask of prepared.needHistory) ask.resolve({ kind: 'needs_history' });
    if (prepared.unknown.length > 0)
      this.#fetch(prepared.unknown, () => lookUpBidders(this.auction, prepared.unknown));
    if (prepared.unregistered.length > 0)
      this.#fetch(prepared.unregistered, () => registerBidders(this.auction, prepared.unregistered));
    if (prepared.batch !== null) this.#send(prepared, prepared.batch);
    this.#pump();
    return prepared.batch;
  }

  /** How many asks go into the next batch: of many, half, so that the other half can follow at once. */
  #share(): number {
    const waiting = this.#mailbox.length;
    const alone = this.#wary > 0 || this.#flights.size > 0 || waiting < 2 * this.#limits.pipelineFrom;
    return alone ? this.#most : Math.min(this.#most, Math.ceil(waiting / 2));
  }

  #send(prepared: Prepared, batch: Batch): void {
    this.#flights.add(prepared);
    this.#state = prepared.next;
    for (const { key, deltaCents } of batch.exposure) this.auction.addExposure(key, deltaCents);
  }

  /** A bug must reach whoever asked, not the journal: then the state is read anew. */
  #decide(state: LotState, asks: PendingCommand[], record: AuctionRecord, nowUs: number): Prepared | null {
    try {
      const follows = this.#flights.newestHash;
      return prepareBatch(state, asks, this.auction, record, nowUs, this.#digest, follows);
    } catch (bug) {
      this.#state = null;
      for (const ask of asks) ask.reject(bug as Error);
      this.#pump();
      return null;
    }
  }

  settle(batch: Batch, result: CommitResult): void {
    this.#flights.note(batch, result);
    for (let one = this.#flights.takeLanded(); one !== null; one = this.#flights.takeLanded()) {
      if (UNMOVED.has(one.result.kind)) {
        this.#most = Math.min(this.#limits.batch, this.#most * 2);
        this.#wary = Math.max(0, this.#wary - 1);
      }
      if (one.result.kind === 'committed') this.#commit(one.prepared);
      else this.#comeBack(one.prepared, one.result);
    }
    if (this.#flights.size === 0) {
      this.#astray = false;
      if (this.#held.length > 0) this.#mailbox = [...this.#held.splice(0), ...this.#mailbox];
    }
    this.#pump();
  }

  #commit(prepared: Prepared): void {
    // After one that did not come to stand: it rested on nothing of that, or that stands after all.
    if (this.#astray) this.#state = prepared.next;
    resolveCommitted(prepared.decided);
  }

  #comeBack(prepared: Prepared, result: Exclude<CommitResult, { kind: 'committed' }>): void {
    for (const { key, deltaCents } of prepared.batch!.exposure) this.auction.addExposure(key, -deltaCents);
    if (!this.#astray && this.#state !== null) this.#state = prepared.start;
    const astray = this.#astray;
    this.#astray = true;
    switch (result.kind) {
      case 'conflict':
        // Of two that were sent one after the other, the later may have come first and been told of an older state.
        if (!astray || (this.#state?.sequence ?? 0) < result.state.sequence) this.#foundMoved(result.state);
        this.#again(prepared.decided);
        break;
      case 'record_changed':
        this.auction.invalidate();
        this.#again(prepared.decided);
        break;
      case 'clock':
        this.#most = Math.max(1, prepared.decided.length >> 1);
        this.#again(prepared.decided);
        break;
      case 'keys_known':
        this.#again(resolveReplays(prepared.decided, result.known));
        break;
      case 'exposure':
        for (const [key, cents] of result.actual) this.auction.setExposure(key, cents);
        this.#again(prepared.decided);
        break;
      case 'failed':
        this.#state = null;
        rejectAll(prepared.decided, result.fault);
        break;
    }
  }

  #again(decided: readonly Decided[]): void {
    this.#held.push(...this.#tried(decided.flatMap(({ pending: ask, followers }) => [ask, ...followers])));
  }

  /** Counts another try of each; who has had too many is told so, and left out. */
  #tried(asks: readonly PendingCommand[]): PendingCommand[] {
    return asks.filter((ask) => {
      ask.attempts += 1;
      if (ask.attempts <= this.#limits.attempts) return true;
      const why = `lot ${this.lotId} is fought over: decided ${ask.attempts} times without a commit`;
      ask.reject(new Overloaded(why));
      return false;
    });
  }

  /** Enlists for the next commit, or fetches first what is missing. */
  #pump(): void {
    if (this.#enlisted || this.#looking || this.#mailbox.length === 0) return;
    if (this.#flights.size > 0 && !this.#mayGoAhead()) return;
    if (this.#state !== null && this.auction.record !== null) {
      this.#enlisted = true;
      this.#journal.enqueue(this);
    } else if (this.#fetching === 0) {
      const waiting = this.#mailbox.splice(0);
      this.#fetch(waiting, () => this.#reload());
    }
  }

  /** Whether a second batch may be decided on what the first will leave, and is worth it. */
  #mayGoAhead(): boolean {
    const { size, oldestLength } = this.#flights;
    if (size > 1 || this.#astray || this.#wary > 0 || this.#state === null || this.auction.record === null)
      return false;
    return this.#mailbox.length >= Math.max(this.#limits.pipelineFrom, oldestLength / 2);
  }

  /** Looks how the lot stands before a long queue is decided on it. */
  async #look(sequence: number): Promise<void> {
    this.#looking = true;
    const seen = await refreshUntilMoved(this.#journal, this.auctionId, this.lotId, sequence);
    if (seen === 'gone') this.#state = null;
    else if (seen !== 'same') this.#foundMoved(seen);
    [this.#looking, this.#looked] = [false, true];
    this.#pump();
  }

  #foundMoved(state: LotState): void {
    this.#state = state;
    this.#wary = WARY_COMMITS;
    this.#looked = true;
  }

  /** Sets asks aside until `work` is done; its failure is theirs. */
  #fetch(asks: readonly PendingCommand[], work: () => Promise<void>): void {
    this.#fetching += 1;
    this.#setAside += asks.length;
    work()
      .then(
        () => {
          this.#mailbox = [...this.#tried(asks), ...this.#mailbox];
        },
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
    if (this.auction.record === null) await this.auction.load();
  }
}
