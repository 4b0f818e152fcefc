/**
 * The journal in memory: the reference with which the contract tests compare every other one, and what the simulation
 * runs on. It makes its checks in the order in which the engine's port names them, with plain maps and no shortcuts.
 */

import type {
  AuctionEvent,
  Batch,
  BatchSource,
  BidderInAuction,
  CommitResult,
  Journal,
  NewBidder,
} from '../../engine/actor/journal.ts';
import { LotMissing } from '../../engine/actor/journal.ts';
import {
  type AuctionRecord,
  type Bidder,
  type BidderKey,
  lastOutageUs,
  OUTAGE_US,
  type Outage,
} from '../../engine/auction/record.ts';
import type { SealedEntry } from '../../engine/lot/entry.ts';
import type { LotState } from '../../engine/lot/state.ts';

export type MemoryFrame =
  | { readonly kind: 'entry'; readonly entry: SealedEntry }
  | { readonly kind: 'auction'; readonly auctionId: number; readonly event: AuctionEvent };

/** What several journals (one for each simulated process) share: the store itself. */
export class MemoryStore {
  readonly lots = new Map<number, LotState>();
  readonly records = new Map<number, AuctionRecord>();
  readonly bidders = new Map<string, Bidder>();
  readonly paddles = new Map<string, BidderKey>();
  readonly exposure = new Map<string, number>();
  readonly keys = new Map<string, string>();
  /** By auction and group. */
  readonly notes = new Map<string, string>();
  readonly due = new Map<number, number>();
  readonly log: MemoryFrame[] = [];
  readonly lastPaddle = new Map<number, number>();
  /** The last sign of life: a heartbeat or an entry. Null: nobody keeps a heartbeat. */
  aliveUs: number | null = null;
  readonly outages: Outage[] = [];
}

export interface MemoryJournalOptions {
  /** The server's clock, in microseconds. */
  readonly serverUs: () => number;
  /** The time that the actors get; never more than the server's. */
  readonly lowerBoundUs?: () => number;
  /** Runs a commit later; the default is the next microtask. */
  readonly defer?: (work: () => void) => void;
  readonly oldestStampUs?: number;
}

export class MemoryJournal implements Journal {
  readonly #store: MemoryStore;
  readonly #options: MemoryJournalOptions;

  constructor(store: MemoryStore, options: MemoryJournalOptions) {
    this.#store = store;
    this.#options = options;
  }

  nowUs(): number {
    return (this.#options.lowerBoundUs ?? this.#options.serverUs)();
  }

  lastOutageUs(): number {
    return lastOutageUs(this.#store);
  }

  enqueue(source: BatchSource): void {
    const defer = this.#options.defer ?? queueMicrotask;
    defer(() => {
      const batch = source.prepare(this.nowUs());
      if (batch === null) return;
      defer(() => source.settle(batch, this.commit(batch)));
    });
  }

  /** Keeps the heartbeat, from the first one on. The first caller after a silence records it as an outage. */
  beat(): void {
    this.#store.aliveUs ??= this.#options.serverUs();
    this.#noteLife();
  }

  #noteLife(): void {
    const store = this.#store;
    if (store.aliveUs === null) return;
    const nowUs = this.#options.serverUs();
    if (nowUs - store.aliveUs > OUTAGE_US) store.outages.push({ fromUs: store.aliveUs, toUs: nowUs });
    store.aliveUs = Math.max(store.aliveUs, nowUs);
  }

  /** Checks and applies one lot's batch, at once and whole. */
  commit(batch: Batch): CommitResult {
    this.#noteLife();
    const refusal = this.#check(batch);
    if (refusal !== null) return refusal;
    const store = this.#store;
    for (const { field, value } of batch.keys) if (value !== null) store.keys.set(field, value);
    for (const { key, deltaCents } of batch.exposure) {
      const field = `${batch.auctionId}|${key}`;
      const cents = (store.exposure.get(field) ?? 0) + deltaCents;
      if (cents === 0) store.exposure.delete(field);
      else store.exposure.set(field, cents);
    }
    this.#keepNote(batch);
    if (batch.entry !== null) {
      store.lots.set(batch.lotId, batch.next);
      store.log.push({ kind: 'entry', entry: batch.entry });
      if (batch.dueUs === null) store.due.delete(batch.lotId);
      else if (batch.dueUs !== 'unchanged') store.due.set(batch.lotId, batch.dueUs);
    }
    return { kind: 'committed' };
  }

  #keepNote({ auctionId, note }: Batch): void {
    if (note === undefined || note.next === null) return;
    this.#store.notes.set(`${auctionId}|${note.group}`, note.next);
    for (const lotId of note.lotIds) {
      if (note.wakes || this.#store.due.has(lotId)) this.#store.due.set(lotId, this.#options.serverUs());
    }
  }

  #check(batch: Batch): CommitResult | null {
    return (
      this.#checkVersion(batch) ??
      this.#checkRecord(batch) ??
      this.#checkClock(batch) ??
      this.#replayed(batch) ??
      this.#checkLimits(batch)
    );
  }

  #checkVersion(batch: Batch): CommitResult | null {
    const present = this.#store.lots.get(batch.lotId);
    const strange = batch.expectedPreviousHash !== null && present?.hash !== batch.expectedPreviousHash;
    if ((present?.sequence ?? 0) !== batch.expectedSequence || strange) {
      if (present !== undefined) return { kind: 'conflict', state: present };
      return { kind: 'failed', fault: new LotMissing(batch.lotId) };
    }
    return null;
  }

  #checkRecord(batch: Batch): CommitResult | null {
    const store = this.#store;
    if ((store.records.get(batch.auctionId)?.version ?? 0) !== batch.recordVersion)
      return { kind: 'record_changed' };
    if (lastOutageUs(store) !== batch.lastOutageUs) return { kind: 'record_changed' };
    const note = store.notes.get(`${batch.auctionId}|${batch.note?.group}`) ?? '';
    if (batch.note !== undefined && note !== batch.note.expected) return { kind: 'note_changed', note };
    return null;
  }

  #checkClock(batch: Batch): CommitResult | null {
    const nowUs = this.#options.serverUs();
    const oldestUs = nowUs - (this.#options.oldestStampUs ?? 250_000);
    if (batch.stampUs > nowUs || batch.stampUs < oldestUs) return { kind: 'clock' };
    if (batch.validUntilUs !== null && nowUs >= batch.validUntilUs) return { kind: 'clock' };
    return null;
  }

  /** The answers that were already given under the batch's keys. */
  #replayed(batch: Batch): CommitResult | null {
    const records = new Map<string, string>();
    for (const { field } of batch.keys) {
      const record = this.#store.keys.get(field);
      if (record !== undefined) records.set(field, record);
    }
    if (records.size > 0) return { kind: 'replayed', records };
    return null;
  }

  #checkLimits(batch: Batch): CommitResult | null {
    const wrong = new Map<BidderKey, number>();
    for (const { key, limitCents, assumedCents, increaseCents, refused } of batch.limits) {
      const actual = this.#store.exposure.get(`${batch.auctionId}|${key}`) ?? 0;
      const breaks = increaseCents > 0 && actual + increaseCents > limitCents;
      if (breaks || (refused && actual < assumedCents)) wrong.set(key, actual);
    }
    return wrong.size > 0 ? { kind: 'exposure', actual: wrong } : null;
  }

  async load(_auctionId: number, lotId: number): Promise<LotState | null> {
    return this.#store.lots.get(lotId) ?? null;
  }

  async loadRecord(auctionId: number): Promise<AuctionRecord | null> {
    const record = this.#store.records.get(auctionId);
    const outages = [...this.#store.outages];
    return record === undefined ? null : outages.length === 0 ? record : { ...record, outages };
  }

  async loadNote(auctionId: number, group: string): Promise<string> {
    return this.#store.notes.get(`${auctionId}|${group}`) ?? '';
  }

  async loadBidders(auctionId: number, keys: readonly BidderKey[]): Promise<Map<BidderKey, BidderInAuction>> {
    const found = new Map<BidderKey, BidderInAuction>();
    for (const key of keys) {
      const field = `${auctionId}|${key}`;
      const bidder = this.#store.bidders.get(field) ?? null;
      found.set(key, { bidder, exposureCents: this.#store.exposure.get(field) ?? 0 });
    }
    return found;
  }

  async findRecord(_auctionId: number, field: string): Promise<string | null> {
    return this.#store.keys.get(field) ?? null;
  }

  async findPaddle(auctionId: number, paddle: string): Promise<BidderKey | null> {
    return this.#store.paddles.get(`${auctionId}|${paddle}`) ?? null;
  }

  async saveRecord(record: AuctionRecord, unmoved?: ReadonlyMap<number, number>): Promise<boolean> {
    const present = this.#store.records.get(record.auctionId);
    if ((present?.version ?? 0) !== record.version - 1) return false;
    if (present !== undefined) {
      this.#noteLife();
      if (lastOutageUs(this.#store) !== lastOutageUs(record)) return false;
    }
    for (const [lotId, sequence] of unmoved ?? []) {
      if ((this.#store.lots.get(lotId)?.sequence ?? 0) !== sequence) return false;
    }
    const { outages: _silences, ...stored } = record;
    this.#store.records.set(record.auctionId, stored);
    const event: AuctionEvent = { type: 'auction_recorded', record: stored };
    this.#store.log.push({ kind: 'auction', auctionId: record.auctionId, event });
    return true;
  }

  async register(auctionId: number, bidders: readonly NewBidder[]): Promise<Bidder[]> {
    return bidders.map((wanted) => {
      const old = this.#store.bidders.get(`${auctionId}|${wanted.key}`);
      if (
        old !== undefined &&
        old.status !== 'deposit_due' &&
        (old.status !== 'approved' || old.paddle !== null)
      )
        return old;
      const limitCents = old?.limitCents ?? null;
      const { conditionsVersion } = old ?? {};
      const accepted = conditionsVersion === undefined ? {} : { conditionsVersion };
      return this.#keep(auctionId, { ...wanted, status: 'approved', limitCents, ...accepted }, null);
    });
  }

  async saveBidder(auctionId: number, bidder: Bidder, reason: string | null): Promise<Bidder> {
    const record = this.#store.records.get(auctionId);
    if (record !== undefined) this.#store.records.set(auctionId, { ...record, version: record.version + 1 });
    return this.#keep(auctionId, bidder, reason);
  }

  #keep(auctionId: number, wanted: Bidder, reason: string | null): Bidder {
    const field = `${auctionId}|${wanted.key}`;
    const old = this.#store.bidders.get(field);
    let paddle = old?.paddle ?? wanted.paddle;
    if (paddle === null && wanted.status === 'approved') paddle = this.#freePaddle(auctionId);
    const bidder: Bidder = { ...wanted, alias: old?.alias ?? wanted.alias, paddle };
    this.#store.bidders.set(field, bidder);
    const paddleKey = `${auctionId}|${paddle}`;
    if (paddle !== null && !this.#store.paddles.has(paddleKey))
      this.#store.paddles.set(paddleKey, wanted.key);
    this.#store.log.push({ kind: 'auction', auctionId, event: { type: 'bidder_saved', bidder, reason } });
    return bidder;
  }

  #freePaddle(auctionId: number): string {
    let number = this.#store.lastPaddle.get(auctionId) ?? 1_000;
    do number += 1;
    while (this.#store.paddles.has(`${auctionId}|${number}`));
    this.#store.lastPaddle.set(auctionId, number);
    return String(number);
  }
}
