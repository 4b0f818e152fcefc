/**
 * What the journal's contract suite plays with: a store under test, processes on it, auctions and lots in it. Every
 * auction and lot has an id of its own, so that all tests can share one store.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_LIMITS, Engine, type EngineLimits } from '../../engine/actor/engine.ts';
import type { AuctionEvent, Batch, CommitResult, Journal } from '../../engine/actor/journal.ts';
import type { LotToOpen } from '../../engine/actor/opening.ts';
import type { CommandResult, IdempotencyKey } from '../../engine/actor/pending-command.ts';
import type { AuctionRecord } from '../../engine/auction/record.ts';
import { userKey } from '../../engine/auction/record.ts';
import { present } from '../../engine/first-of.ts';
import type { AcceptedBid, Refused } from '../../engine/lot/answers.ts';
import type { Command } from '../../engine/lot/commands.ts';
import type { SealedEntry } from '../../engine/lot/entry.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { nodeRandomness } from '../../src/shared/node-crypto.ts';
import { aRecord, HOUR_US, sha256 } from '../support/engine-terms.ts';

export type LogFrame =
  | { readonly kind: 'entry'; readonly entry: SealedEntry }
  | { readonly kind: 'auction'; readonly auctionId: number; readonly event: AuctionEvent };

/** A store under test. */
export interface JournalStore {
  /** A further process' way into it; how old a stamp may be is for the tests that take their time. */
  journal(options?: { readonly oldestStampUs?: number; readonly timeoutMs?: number }): Promise<Journal>;
  /** Everything that the log holds of an auction, oldest first. */
  frames(auctionId: number): Promise<LogFrame[]>;
  /** The store's own clock. */
  clockUs(): Promise<number>;
  /** Which lots of an auction are due by then, as the closing index has it. */
  dueLots(auctionId: number, byUs: number): Promise<number[]>;
  /** Makes it look as if nothing had been heard of an auction's shard for so long. */
  silence(auctionId: number, us: number): Promise<void>;
  close(): Promise<void>;
}

let ids = 1_000 + (process.pid % 1_000) * 100;
export const nextId = (): number => ++ids;

/** One process: an engine on a journal of its own. */
export interface Process {
  readonly journal: Journal;
  readonly engine: Engine;
}

export class Market {
  readonly #store: JournalStore;
  readonly #lots = new Map<number, { auctionId: number; toOpen: LotToOpen }>();
  readonly #left = new Map<number, LotState>();

  constructor(store: JournalStore) {
    this.#store = store;
  }

  async process(limits: Partial<EngineLimits> = {}): Promise<Process> {
    const journal = await this.#store.journal();
    return { journal, engine: this.engineOn(journal, limits) };
  }

  engineOn(journal: Journal, limits: Partial<EngineLimits> = {}): Engine {
    const find = async (lotId: number) => {
      const left = this.#left.get(lotId);
      if (left !== undefined) return { auctionId: left.auctionId, toOpen: null, archived: left };
      const lot = this.#lots.get(lotId);
      return lot === undefined ? null : { ...lot, archived: null };
    };
    const parts = { journal, digest: sha256, random: nodeRandomness };
    return new Engine(parts, { find }, { ...DEFAULT_LIMITS, ...limits });
  }

  /** An auction that began an hour ago and ends in an hour, in the journal. */
  async auction(journal: Journal, parts: Partial<AuctionRecord> = {}): Promise<AuctionRecord> {
    const nowUs = await this.#store.clockUs();
    const times = { startsAtUs: nowUs - HOUR_US, endsAtUs: nowUs + HOUR_US };
    const record = aRecord({ auctionId: nextId(), ...times, ...parts, version: 1 });
    if (!(await journal.saveRecord(record))) throw new Error(`auction ${record.auctionId} is there already`);
    return record;
  }

  /** Changes an auction's record as a seller's request does. */
  async change(journal: Journal, auctionId: number, parts: Partial<AuctionRecord>): Promise<AuctionRecord> {
    const present = await journal.loadRecord(auctionId);
    const record = { ...present!, ...parts, version: present!.version + 1 };
    if (!(await journal.saveRecord(record))) throw new Error('somebody else changed the record');
    return record;
  }

  /** A lot from $100.00, known to the catalog; it comes into the journal with the first question. */
  lot(record: AuctionRecord, parts: Partial<LotToOpen> = {}): number {
    const lotId = nextId();
    const terms = { startingBidCents: 10_000, reserveCents: null, buyNowCents: null, consignorUserId: null };
    const toOpen = { lotId, lotNumber: 1, salt: `salt-of-${lotId}`, ...terms, ...parts };
    this.#lots.set(lotId, { auctionId: record.auctionId, toOpen });
    return lotId;
  }

  /** Another lot, that has left the journal after it was sold as this one stands. */
  left(state: LotState): number {
    const lotId = nextId();
    this.#left.set(lotId, { ...state, lotId, status: 'sold' });
    return lotId;
  }

  toOpen(lotId: number): LotToOpen {
    return this.#lots.get(lotId)!.toOpen;
  }

  /** The lot's entries in the log, oldest first. */
  async entries(auctionId: number, lotId: number): Promise<SealedEntry[]> {
    const frames = await this.#store.frames(auctionId);
    return frames.flatMap((frame) =>
      frame.kind === 'entry' && frame.entry.lotId === lotId ? [frame.entry] : [],
    );
  }
}

/** Asks, and wants an answer (no matter which). */
export async function answerOf(
  engine: Engine,
  lotId: number,
  command: Command,
  key: IdempotencyKey | null = null,
) {
  const result = await engine.submit(lotId, command, key);
  if (result.kind !== 'answer') throw new Error(`not an answer but ${result.kind}`);
  return result;
}

export async function taken(
  engine: Engine,
  lotId: number,
  command: Command,
  key: IdempotencyKey | null = null,
): Promise<AcceptedBid> {
  const { answer } = await answerOf(engine, lotId, command, key);
  if (answer.kind !== 'bid') throw new Error(`not taken: ${JSON.stringify(answer)}`);
  return answer;
}

export async function refusedWith(
  engine: Engine,
  lotId: number,
  command: Command,
  key: IdempotencyKey | null = null,
): Promise<Refused['code']> {
  const { answer } = await answerOf(engine, lotId, command, key);
  if (answer.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(answer)}`);
  return answer.code;
}

/** What a reply comes to in one word: an outcome, a refusal's code, or the kind of reply. */
export function wordOf(result: CommandResult): string {
  if (result.kind !== 'answer') return result.kind;
  const { answer } = result;
  return answer.kind === 'bid' ? answer.outcome : answer.kind === 'refused' ? answer.code : answer.status;
}

/** The key of a user's request on a lot. */
export function keyOf(lotId: number, userId: number, key: string, fingerprint = 'f'): IdempotencyKey {
  return { field: `${userKey(userId)}|${lotId}|${key}`, fingerprint };
}

/**
 * Commits a batch built by hand. If the machine stalled so long that the journal recorded an outage, the batch is
 * rebuilt with it, as an actor would.
 */
export async function commit(
  journal: Journal,
  auctionId: number,
  make: (nowUs: number) => Batch,
): Promise<CommitResult> {
  const lastOutageUs = journal.lastOutageUs(auctionId);
  const result = await commitOnce(journal, auctionId, (nowUs) => ({
    ...make(Math.max(nowUs, lastOutageUs)),
    lastOutageUs,
  }));
  if (result.kind !== 'record_changed') return result;
  // An outage that another process noticed is known with the next heartbeat.
  const knowsMore = () => journal.lastOutageUs(auctionId) !== lastOutageUs;
  for (let waits = 0; waits < 10 && !knowsMore(); waits += 1) await sleep(60);
  return knowsMore() ? commit(journal, auctionId, make) : result;
}

function commitOnce(
  journal: Journal,
  auctionId: number,
  make: (nowUs: number) => Batch,
): Promise<CommitResult> {
  return new Promise((resolve) =>
    journal.enqueue({
      auctionId,
      pipelined: false,
      prepare: make,
      settle: (_batch, result) => resolve(result),
    }),
  );
}

/** A market and two processes on it, new for each test. */
export interface TwoProcesses {
  readonly market: Market;
  readonly one: Process;
  readonly other: Process;
}

/** Gives each test of the suite two processes on one store; they are there once the test runs. */
export function twoProcesses(store: () => JournalStore): TwoProcesses {
  const at: { market?: Market; one?: Process; other?: Process } = {};
  beforeEach(async () => {
    at.market = new Market(store());
    at.one = await at.market.process();
    at.other = await at.market.process();
  });
  return {
    get market() {
      return present(at.market);
    },
    get one() {
      return present(at.one);
    },
    get other() {
      return present(at.other);
    },
  };
}
