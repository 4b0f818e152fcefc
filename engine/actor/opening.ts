/**
 * Putting a lot into the journal: its first entry, or, after the journal lost its disk, the entry that takes up where
 * the kept history ends, or, of a lot that has left after its close, the entry of what became of it since. Safe to
 * repeat: a lot that is already there stays as it is.
 */
import { choiceGroupOf } from '../auction/choice-groups.ts';
import { closeGroupOf } from '../auction/close-groups.ts';
import { type AuctionRecord, type Bidder, lastOutageUs } from '../auction/record.ts';
import { deferred } from '../deferred.ts';
import { type Digest, GENESIS_HASH } from '../digest.ts';
import { evolve, formatOf, formatOfAuction, NO_LOT } from '../formats/formats.ts';
import { sealEntry } from '../formats/sealing.ts';
import type { Resell } from '../lot/commands.ts';
import type { LotEvent, NewEvent } from '../lot/events.ts';
import { NO_SEALS, type Seals } from '../lot/seals.ts';
import type { ShownFields } from '../lot/shown-fields.ts';
import type { LotState, LotTerms } from '../lot/state.ts';
import type { LotUnits } from '../lot/units.ts';
import { decimalsOf } from '../money.ts';
import type { AuctionCache, EngineParts } from './auction-cache.ts';
import {
  type Batch,
  type BatchSource,
  type CommitResult,
  type Journal,
  JournalUnavailable,
} from './journal.ts';
import { judgedBy, noteCheck } from './prepare.ts';

export interface LotToOpen extends Omit<LotTerms, 'units'> {
  /** Absent: nothing is said of any, and amounts are for the lot. */
  readonly units?: LotUnits;
  readonly lotId: number;
  readonly lotNumber: number;
  readonly salt: string;
  /** What the auction's format was set to for it. */
  readonly settings?: ShownFields;
}

/** A lot whose bids are to be sealed cannot come into the journal: the key is missing. */
class SealingUnavailable extends JournalUnavailable {}

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
  readonly #seals: Seals;
  readonly #lives: number;

  /**
   * Takes a new lot's terms, the last kept state of one that is to return, or one that is sold after it left. `lives`:
   * how often the journal began anew, with this time.
   */
  constructor(
    lot: LotToOpen | LotState | LotToResell,
    auction: AuctionCache,
    { journal, digest, seals = NO_SEALS }: Pick<EngineParts, 'journal' | 'digest' | 'seals'>,
    lives = 1,
  ) {
    this.#seals = seals;
    this.#lot = lot;
    this.#auction = auction;
    this.#journal = journal;
    this.#digest = digest;
    this.#lives = lives;
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
    if ('sequence' in lot) return this.#returning(lot, record, nowUs);
    // No outage of before a lot came into the journal has cost anybody a chance.
    const start = { ...NO_LOT, hash: GENESIS_HASH, recordedAtUs: nowUs };
    const event = scheduled(lot, record, this.#seals);
    if (event === null) {
      this.#done.reject(new SealingUnavailable('there is no key to seal bids with'));
      return null;
    }
    return this.#batch(start, fold(start, event, record, nowUs), record, nowUs);
  }

  /** A lot that returns brings the note of its group back, where it has followed the group furthest. */
  #returning(lot: LotState, record: AuctionRecord, nowUs: number): Batch | null {
    const format = formatOf(lot);
    const group = format.grouped?.groupOf(lot, record) ?? null;
    const note = group === null ? '' : this.#auction.note(group.name);
    if (group !== null && note === undefined) {
      this.#auction.loadNote(group.name).then(() => this.#journal.enqueue(this), this.#done.reject);
      return null;
    }
    const company = group === null || note === undefined ? undefined : { group, note };
    const judged = judgedBy(format, record, company);
    const folded = fold(lot, recovered(lot, this.#lives), judged, nowUs);
    const batch = this.#batch(lot, folded, record, nowUs);
    if (company === undefined) return batch;
    const after = { next: batch.next, events: [] };
    return { ...batch, note: noteCheck(format, company, after, judged, nowUs) };
  }

  #batch(start: LotState, { events, state }: Folded, record: AuctionRecord, nowUs: number): Batch {
    const format = formatOf(state);
    const entry = sealEntry(start, events, state, nowUs, this.#digest);
    const next = format.withEntry(state, entry);
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
      dueUs: format.dueUs(next, record),
      keys: [],
      limits: [],
      exposure: format.exposureChanges(format.unscheduled, state),
    };
  }

  settle(batch: Batch, result: CommitResult): void {
    switch (result.kind) {
      case 'committed':
        if (batch.note?.next != null) this.#auction.setNote(batch.note.group, batch.note.next);
        this.#done.resolve(batch.next);
        break;
      case 'conflict':
        this.#done.resolve(result.state);
        break;
      case 'failed':
        this.#done.reject(result.fault);
        break;
      case 'note_changed':
        if (batch.note !== undefined) this.#auction.setNote(batch.note.group, result.note);
        this.#retry();
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

/** Null: its bids are to be sealed, and there is no key for that. */
function scheduled(lot: LotToOpen, record: AuctionRecord, seals: Seals): NewEvent | null {
  const decimals = decimalsOf(record.currency);
  const lotKey = formatOfAuction(record).sealed === undefined ? undefined : seals.newLotKey();
  if (lotKey === null) return null;
  const group = closeGroupOf(record.closeGroups, lot.lotId);
  const choiceGroup = choiceGroupOf(record.choiceGroups, lot.lotId);
  return {
    type: 'lot_scheduled',
    ...lot,
    auctionId: record.auctionId,
    ...formatOfAuction(record).firstTimes(lot, record),
    pausesApplied: 0,
    ...(record.format === undefined ? {} : { format: record.format }),
    ...(decimals === 2 ? {} : { decimals }),
    ...(lotKey === undefined ? {} : { lotKey }),
    ...(group === null ? {} : { closeGroup: group.name }),
    ...(choiceGroup === null ? {} : { choiceGroup: choiceGroup.name }),
  };
}

/** Sequences that may have been given out and lost in one life of a journal are passed over. */
const LOST_SEQUENCES = 1_000_000;

function recovered(lot: LotState, lives: number): NewEvent & { readonly skip: number } {
  return { type: 'lot_recovered', lastKeptSequence: lot.sequence, skip: lives * LOST_SEQUENCES };
}

interface Folded {
  readonly events: readonly LotEvent[];
  readonly state: LotState;
}

function resold({ left, command, bidder }: LotToResell, record: AuctionRecord, nowUs: number): Folded {
  const decision = formatOf(left).decide(left, command, { record, bidder, exposureCents: 0, nowUs });
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
  for (const next of formatOf(state).catchUp(state, record, nowUs)) {
    const sequenced: LotEvent = { ...next, sequence: state.sequence + 1 };
    events.push(sequenced);
    state = evolve(state, sequenced);
  }
  return { events, state };
}
