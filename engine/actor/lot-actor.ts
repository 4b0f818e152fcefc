/**
 * The actor of one lot: it loads the lot, decides its whole mailbox as one batch, appends that to the journal, and
 * answers nobody before the journal has it; what was not committed is decided again. The actor owns nothing but speed:
 * the journal's version check is the truth, so any number of processes may host the same lot.
 */
import { type AuctionRecord, lastOutageUs } from '../auction/record.ts';
import type { Digest } from '../digest.ts';
import { formatOf } from '../formats/formats.ts';
import type { Command } from '../lot/commands.ts';
import { NO_SEALS } from '../lot/seals.ts';
import type { LotState } from '../lot/state.ts';
import type { Decimals } from '../money.ts';
import { errorOf } from '../thrown.ts';
import type { AuctionCache } from './auction-cache.ts';
import type { CommandTrace } from './command-trace.ts';
import { Contention } from './contention.ts';
import { openedRecord, replayAnswer } from './idempotency-record.ts';
import { type BatchLimits, InFlightBatches, isUncontended } from './in-flight-batches.ts';
import type { Batch, BatchSource, CommitResult, Journal } from './journal.ts';
import { Loading, loadBidders, loadLot, measureSealed, registerBidders, type SealedLots } from './loading.ts';
import { Mailbox, type MailboxLimits } from './mailbox.ts';
import type { CommandResult, IdempotencyKey, PendingCommand } from './pending-command.ts';
import { type Company, type Prepared, prepareBatch } from './prepare.ts';
import { commandsOf, rejectAll, resolveCommitted, resolveReplays } from './resolving.ts';

const NOTHING_SEALED: SealedLots = { seals: NO_SEALS, openLots: async () => [] };

export interface ActorLimits extends MailboxLimits, BatchLimits {}

export interface ActorParts {
  readonly journal: Journal;
  readonly digest: Digest;
  readonly limits: ActorLimits;
  /** Absent: no bids are sealed. */
  readonly sealed?: SealedLots;
}

export class LotActor implements BatchSource {
  readonly lotId: number;
  readonly auction: AuctionCache;
  /** Of the currency of the lot's amounts. */
  readonly decimals: Decimals;
  readonly #journal: Journal;
  readonly #digest: Digest;
  readonly #sealed: SealedLots;
  readonly #mailbox: Mailbox;
  readonly #inFlight: InFlightBatches;
  readonly #contention = new Contention();
  readonly #loading: Loading;
  /** As the last batch leaves it, though that may still be in flight; null: to be loaded. */
  #state: LotState | null;
  /** What the last batch leaves in the closing index; undefined: not known, as others may have moved the lot. */
  #indexedDueUs: number | null | undefined = undefined;
  #enqueued = false;

  constructor(
    lotId: number,
    auction: AuctionCache,
    state: LotState,
    { journal, digest, limits, sealed = NOTHING_SEALED }: ActorParts,
  ) {
    this.#sealed = sealed;
    this.lotId = lotId;
    this.auction = auction;
    this.#state = state;
    this.decimals = state.decimals;
    this.#journal = journal;
    this.#digest = digest;
    this.#mailbox = new Mailbox(lotId, limits);
    this.#inFlight = new InFlightBatches(limits);
    this.#loading = new Loading(this.#mailbox, () => this.#next());
  }

  get auctionId(): number {
    return this.auction.auctionId;
  }

  /** Nothing waits and nothing is in flight: it may be dropped. */
  get idle(): boolean {
    const busy =
      this.#inFlight.size > 0 || this.#enqueued || this.#contention.refreshing || this.#loading.busy;
    return !busy && this.#mailbox.length === 0;
  }

  get pipelined(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Submits a command. Rejects with `Overloaded` where too many wait, and with the journal's fault. */
  submit(
    command: Command,
    key: IdempotencyKey | null,
    trace: CommandTrace | null = null,
  ): Promise<CommandResult> {
    return new Promise((resolve, reject) =>
      this.receive({ command, key, resolve, reject, trace, arrival: 0, attempts: 0 }),
    );
  }

  /** The same for callers that wait in their own way. */
  receive(pending: PendingCommand): void {
    this.#mailbox.add(pending);
    this.#next();
  }

  /** The journal is ready for a batch: load, decide, append. */
  prepare(nowUs: number): Batch | null {
    this.#enqueued = false;
    const batch = this.#prepare(nowUs);
    this.#next();
    return batch;
  }

  #prepare(nowUs: number): Batch | null {
    const [state, { record }] = [this.#state, this.auction];
    if (state === null || record === null) return null;
    if (this.#contention.shouldRefresh(this.#mailbox.length)) {
      void this.#refresh(state.sequence);
      return null;
    }
    const group = formatOf(state).grouped?.groupOf(state, record) ?? null;
    const note = group === null ? undefined : this.auction.note(group.name);
    if (group !== null && note === undefined) {
      this.#loading.during(this.#mailbox.take(), this.auction.loadNote(group.name));
      return null;
    }
    const company = group === null || note === undefined ? null : { company: { group, note } };
    const { length } = this.#mailbox;
    const commands = this.#mailbox.take(this.#inFlight.nextLength(length, this.#contention.contended));
    const prepared = this.#decide(state, commands, record, nowUs, company);
    if (prepared === null) return null;
    for (const { pending, bug } of prepared.broken) pending.reject(bug);
    for (const pending of prepared.needHistory) pending.resolve({ kind: 'needs_history' });
    this.#loadMissing(prepared, state);
    const { batch } = prepared;
    if (batch !== null) this.#append(prepared, batch);
    return batch;
  }

  /** What commands wait for that could not be decided without it. */
  #loadMissing({ unknown, unregistered, unmeasured }: Prepared, state: LotState): void {
    const again = (key: IdempotencyKey) => this.#answerAgain(key, state);
    if (unknown.length > 0) this.#loading.during(unknown, loadBidders(this.auction, unknown));
    if (unregistered.length > 0)
      this.#loading.during(unregistered, registerBidders(this.auction, unregistered, again));
    if (unmeasured.length > 0)
      this.#loading.during(unmeasured, measureSealed(this.auction, this.#journal, this.#sealed, unmeasured));
  }

  /** What a command is answered whose key was used before; null: it was not. */
  async #answerAgain(key: IdempotencyKey, state: LotState): Promise<CommandResult | null> {
    const kept = await this.#journal.findRecord(this.auctionId, key.field);
    return kept === null ? null : replayAnswer(key, openedRecord(kept, state, this.#sealed.seals));
  }

  /** A bug must reach the sender of the command, not the journal: then the lot is loaded again. */
  #decide(
    state: LotState,
    commands: PendingCommand[],
    record: AuctionRecord,
    nowUs: number,
    company: { readonly company: Company } | null,
  ): Prepared | null {
    const stampUs = Math.max(nowUs, state.recordedAtUs, lastOutageUs(record));
    const expectedPreviousHash = this.#inFlight.newestHash;
    const { seals } = this.#sealed;
    // Others of its group may have moved it.
    const indexedDueUs = company === null ? this.#indexedDueUs : undefined;
    const before = { digest: this.#digest, expectedPreviousHash, indexedDueUs, seals, ...company };
    try {
      return prepareBatch(state, commands, this.auction, stampUs, before);
    } catch (bug) {
      this.#state = null;
      for (const pending of commands) pending.reject(errorOf(bug));
      return null;
    }
  }

  #append(prepared: Prepared, batch: Batch): void {
    this.#inFlight.add(prepared);
    this.#state = prepared.next;
    this.#indexedDueUs = prepared.indexedDueUs;
    for (const { key, deltaCents } of batch.exposure) this.auction.addExposure(key, deltaCents);
    if (batch.note?.next != null) this.auction.setNote(batch.note.group, batch.note.next);
  }

  /** The journal has an answer to a batch. */
  settle(batch: Batch, result: CommitResult): void {
    this.#inFlight.note(batch, result);
    for (let one = this.#inFlight.takeSettled(); one !== null; one = this.#inFlight.takeSettled()) {
      if (isUncontended(one.result)) this.#contention.sawNobody();
      if (one.result.kind === 'committed') this.#committed(one.prepared);
      else this.#rollBack(one.prepared, one.result);
    }
    if (this.#inFlight.size === 0) {
      this.#inFlight.rollingBack = false;
      this.#mailbox.requeueRetries();
    }
    this.#next();
  }

  #committed(prepared: Prepared): void {
    // After one that was not committed: it rested on nothing of that, or that is committed after all.
    if (this.#inFlight.rollingBack) this.#state = prepared.next;
    resolveCommitted(prepared.decided);
  }

  #rollBack({ batch, start, decided }: Prepared, result: Exclude<CommitResult, { kind: 'committed' }>): void {
    for (const { pending } of decided) pending.trace?.settled(result.kind);
    this.#forgetIndexed();
    if (batch !== null) this.#takeBack(batch);
    const { rollingBack } = this.#inFlight;
    if (!rollingBack && this.#state !== null) this.#state = start;
    this.#inFlight.rollingBack = true;
    switch (result.kind) {
      case 'conflict':
        // Of two that were sent one after the other, the later may have come first and been given an older state.
        if (!rollingBack || (this.#state?.sequence ?? 0) < result.state.sequence)
          this.#overtaken(result.state);
        break;
      case 'record_changed':
        this.auction.invalidate();
        break;
      case 'note_changed':
        if (batch?.note !== undefined) this.auction.setNote(batch.note.group, result.note);
        break;
      case 'exposure':
        for (const [key, cents] of result.actual) this.auction.setExposure(key, cents);
        break;
      case 'failed':
        this.#state = null;
        rejectAll(decided, result.fault);
        return;
    }
    const opened = (kept: string) => openedRecord(kept, start, this.#sealed.seals);
    this.#mailbox.retry(
      result.kind === 'replayed' ? resolveReplays(decided, result.records, opened) : commandsOf(decided),
    );
  }

  /** What the auction's cache has of a batch that was not committed. */
  #takeBack({ exposure, note }: Batch): void {
    for (const { key, deltaCents } of exposure) this.auction.addExposure(key, -deltaCents);
    if (note?.next != null) this.auction.setNote(note.group, undefined);
  }

  #overtaken(state: LotState): void {
    this.#state = state;
    this.#forgetIndexed();
    this.#contention.sawOther();
  }

  /** Others may have moved the lot in the closing index. */
  #forgetIndexed(): void {
    this.#indexedDueUs = undefined;
  }

  async #refresh(sequence: number): Promise<void> {
    const newer = await this.#contention.refresh(this.#journal, this.auctionId, this.lotId, sequence);
    if (newer === null) this.#state = null;
    else if (newer !== undefined) this.#overtaken(newer);
    this.#next();
  }

  /** Enters the journal's next commit where something waits, or loads first what is missing. */
  #next(): void {
    if (this.#enqueued || this.#contention.refreshing || this.#mailbox.length === 0) return;
    const loaded = this.#state !== null && this.auction.record !== null;
    if (this.#inFlight.size > 0) {
      const pipeline =
        loaded && !this.#contention.contended && this.#inFlight.mayPipeline(this.#mailbox.length);
      if (!pipeline) return;
    }
    if (loaded) {
      this.#enqueued = true;
      this.#journal.enqueue(this);
    } else if (!this.#loading.busy) this.#loading.during(this.#mailbox.take(), this.#load());
  }

  async #load(): Promise<void> {
    this.#state ??= await loadLot(this.#journal, this.auctionId, this.lotId);
    if (this.auction.record === null) await this.auction.load();
  }
}
