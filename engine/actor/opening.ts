/**
 * Putting a lot into the journal: its first entry, or, after the journal lost its disk, the entry that takes up where
 * the kept history ends, or, of a lot that has left after its close, the entry of what became of it since. Safe to
 * repeat: a lot that is already there stays as it is.
 */
import { type AuctionRecord, type Bidder, lastOutageUs, scheduledEndUs } from '../auction/record.ts';
import { deferred } from '../deferred.ts';
import { type Digest, GENESIS_HASH } from '../digest.ts';
import { catchUp, nextDueUs } from '../lot/closing.ts';
import type { Resell } from '../lot/commands.ts';
import { decide } from '../lot/decide.ts';
import { sealEntry } from '../lot/entry.ts';
import type { LotEvent, NewEvent } from '../lot/events.ts';
import { evolve, NO_LOT, withEntry } from '../lot/evolve.ts';
import { isOpen, type LotState, type LotTerms } from '../lot/state.ts';
import type { AuctionCache } from './auction-cache.ts';
import type { Batch, BatchSource, CommitResult, Journal } from './journal.ts';

export interface LotToOpen extends LotTerms {
  readonly lotId: number;
  readonly lotNumber: number;
  readonly salt: string;
}

/** A lot that has left the journal, and how it is sold after all. */
export interface LotToResell {
  readonly left: LotState;
  readonly command: Resell;
  /** The buyer, as the auction knows them. */
  readonly bidder: Bidder;
}

/** One lot on its way into the journal; `done` settles when the journal has it. */
export class Opening implements BatchSource {
  readonly pipelined = false;
  readonly #done = deferred<LotState>();
  readonly #lot: LotToOpen | LotState | LotToResell;
  readonly #auction: AuctionCache;
  readonly #journal: Journal;
  readonly #digest: Digest;

  /** Takes a new lot's terms, the last kept state of one that is to return, or one that is sold after it left. */
  constructor(
    lot: LotToOpen | LotState | LotToResell,
    auction: AuctionCache,
    journal: Journal,
    digest: Digest,
  ) {
    this.#lot = lot;
    this.#auction = auction;
    this.#journal = journal;
    this.#digest = digest;
  }

  get done(): Promise<LotState> {
    return this.#done.promise;
  }

  get auctionId(): number {
    return this.#auction.auctionId;
  }

  prepare(clockUs: number): Batch | null {
    const record = this.#auction.record;
    if (record === null) {
      this.#retry();
      return null;
    }
    const nowUs = Math.max(clockUs, lastOutageUs(record));
    const lot = this.#lot;
    if ('left' in lot) return this.#batch(lot.left, resold(lot, record, nowUs), record, nowUs);
    // No outage of before a lot came into the journal has cost anybody a chance.
    const start = 'sequence' in lot ? lot : { ...NO_LOT, hash: GENESIS_HASH, recordedAtUs: nowUs };
    const first = 'sequence' in lot ? recovered(lot) : scheduled(lot, record);
    return this.#batch(start, fold(start, first, record, nowUs), record, nowUs);
  }

  #batch(start: LotState, { events, state }: Folded, record: AuctionRecord, nowUs: number): Batch {
    const entry = sealEntry(start, events, state, nowUs, this.#digest);
    const next = withEntry(state, entry);
    return {
      lotId: state.lotId,
      auctionId: record.auctionId,
      expectedSequence: 0,
      expectedPreviousHash: null,
      recordVersion: record.version,
      lastOutageUs: lastOutageUs(record),
      stampUs: nowUs,
      validUntilUs: null,
      entry,
      next,
      dueUs: nextDueUs(next, record),
      keys: [],
      limits: [],
      exposure:
        state.leader === null || !isOpen(state)
          ? []
          : [{ key: state.leader.key, deltaCents: state.leader.ceilingCents }],
    };
  }

  settle(batch: Batch, result: CommitResult): void {
    switch (result.kind) {
      case 'committed':
        this.#done.resolve(batch.next);
        break;
      case 'conflict':
        this.#done.resolve(result.state);
        break;
      case 'failed':
        this.#done.reject(result.fault);
        break;
      case 'record_changed':
        this.#auction.invalidate();
        this.#retry();
        break;
      default:
        this.#retry();
    }
  }

  #retry(): void {
    this.#auction.load().then(() => this.#journal.enqueue(this), this.#done.reject);
  }
}

function scheduled(lot: LotToOpen, record: AuctionRecord): NewEvent {
  return {
    type: 'lot_scheduled',
    ...lot,
    auctionId: record.auctionId,
    startsAtUs: record.startsAtUs,
    endsAtUs: scheduledEndUs(record, lot.lotNumber),
    pausesApplied: 0,
  };
}

/** Sequences that may have been given out and lost are passed over: the new one lies far above. */
const LOST_SEQUENCES = 1_000_000;

function recovered(lot: LotState): NewEvent & { readonly skip: number } {
  return { type: 'lot_recovered', lastKeptSequence: lot.sequence, skip: LOST_SEQUENCES };
}

interface Folded {
  readonly events: readonly LotEvent[];
  readonly state: LotState;
}

function resold({ left, command, bidder }: LotToResell, record: AuctionRecord, nowUs: number): Folded {
  const decision = decide(left, command, { record, bidder, exposureCents: 0, nowUs });
  return 'need' in decision ? { events: [], state: left } : { events: decision.events, state: decision.next };
}

function fold(
  start: LotState,
  first: NewEvent & { readonly skip?: number },
  record: AuctionRecord,
  nowUs: number,
): Folded {
  const { skip = 0, ...event } = first;
  const opened: LotEvent = { ...event, sequence: start.sequence + skip + 1 };
  const events = [opened];
  let state = evolve(start, opened);
  for (const next of catchUp(state, record, nowUs)) {
    const sequenced: LotEvent = { ...next, sequence: state.sequence + 1 };
    events.push(sequenced);
    state = evolve(state, sequenced);
  }
  return { events, state };
}
