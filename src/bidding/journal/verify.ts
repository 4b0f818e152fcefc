/**
 * Re-reads journals and holds them against everything that is derived from them: the snapshot in Redis, and what the
 * projection has written, as far as it has come. Runs alongside a busy service; a projection that lags is no fault.
 */

import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { firstOf, itemAt } from '../../../engine/first-of.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { nodeDigest } from '../../shared/node-crypto.ts';
import { describeFailure, readFailures, readSetAsideEntries } from '../projection/set-aside.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { ChoiceAudit } from './choice-audit.ts';
import { compareDerived, type Derived, readDerived } from './derived.ts';
import type { EpochKeeper } from './epoch-keeper.ts';
import { GroupAudit } from './group-audit.ts';
import {
  chunksByShard,
  lotsWithJournal,
  lotsWithoutRow,
  requireLot,
  type ShardedLot,
} from './journal-lots.ts';
import { Difference, LotAudit } from './lot-audit.ts';
import { type EntrySources, joined, readKept, readShardTail } from './lot-entries.ts';

export interface VerifyParts extends EntrySources {
  readonly journal: Journal;
  /** Says what is wrong with the journal as a whole; left out by callers that know that it is the right one. */
  readonly epoch?: Pick<EpochKeeper, 'check' | 'trouble'>;
}

export interface Verified {
  readonly ok: boolean;
  readonly lots: number;
  readonly entries: number;
  /** How much is set aside because Postgres refused it, where anything is. */
  readonly failures?: number;
  /** The first difference, where there is one; else the first that is set aside. */
  readonly difference?: string;
}

/** By so much a commit may be younger than its entry says. */
const STALE_US = 1_000_000;

/**
 * Verifies one lot (`InputError` where there is none), or all that have a journal. `onProgress` gets lots done and in
 * all.
 */
export async function verifyJournal(
  parts: VerifyParts,
  lotId: number | null,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Verified> {
  await parts.epoch?.check();
  const trouble = parts.epoch?.trouble ?? null;
  if (trouble !== null) return { ok: false, lots: 0, entries: 0, difference: trouble };
  const chosen = await lotsWithJournal(parts.knex, lotId);
  if (lotId !== null && chosen.length === 0) await requireLot(parts.knex, lotId);
  const run: Run = {
    ...{ parts, lotId },
    onLot: (lots) => onProgress(lots, chosen.length),
    records: new Map(),
    audits: [new GroupAudit(), new ChoiceAudit()],
    done: { lots: 0, entries: 0 },
  };
  const failures = await readFailures(parts.knex, lotId);
  try {
    for (const chunk of chunksByShard(chosen)) await verifyChunk(run, chunk);
    for (const audit of run.audits) audit.check();
    if (lotId === null) await requireRows(parts);
    const [first] = failures;
    if (first === undefined) return { ok: true, ...run.done };
    return { ok: false, ...run.done, failures: failures.length, difference: describeFailure(first) };
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    const counted = failures.length === 0 ? {} : { failures: failures.length };
    return { ok: false, ...run.done, ...counted, difference: error.message };
  }
}

/** A verification that is going on. */
interface Run {
  readonly parts: VerifyParts;
  /** The only lot; null: all. */
  readonly lotId: number | null;
  readonly onLot: (lots: number) => void;
  /** What was read of auctions so far. */
  readonly records: Map<number, AuctionRecord>;
  readonly audits: readonly (GroupAudit | ChoiceAudit)[];
  readonly done: { lots: number; entries: number };
}

async function verifyChunk(run: Run, chunk: readonly ShardedLot[]): Promise<void> {
  const { parts, lotId, done } = run;
  // What is derived is read before the journal it is derived from, so that all of it must be found there.
  const readUs = parts.journal.nowUs() - STALE_US;
  const derived = await Promise.all(chunk.map((lot) => readDerived(parts, lot)));
  const tails = await readShardTail(parts, firstOf(chunk).shard);
  const setAside = await readSetAsideEntries(parts.knex, lotId);
  for (const [index, lot] of chunk.entries()) {
    const beyond = joined(setAside.get(lot.lotId) ?? [], tails.get(lot.lotId) ?? []);
    done.entries += await verifyLot(run, lot, itemAt(derived, index), beyond, readUs);
    done.lots += 1;
    run.onLot(done.lots);
  }
}

async function requireRows({ knex }: VerifyParts): Promise<void> {
  const unknown = await lotsWithoutRow(knex);
  if (unknown.length > 0)
    throw new Difference(
      `lots ${unknown.join(', ')} are in the journal, and Postgres does not know them: run \`rostrum journal bridge\``,
    );
}

async function recordOf({ parts, records }: Run, auctionId: number): Promise<AuctionRecord> {
  const { journal, knex } = parts;
  const record =
    records.get(auctionId) ??
    (await journal.loadRecord(auctionId)) ??
    (await readAuctionRow(knex, auctionId));
  if (record === null) throw new Difference(`auction ${auctionId} is in neither Redis nor Postgres`);
  records.set(auctionId, record);
  return record;
}

/** The number of its entries; `readUs` is when what is derived was surely written. */
async function verifyLot(
  run: Run,
  lot: ShardedLot,
  derived: Derived,
  beyond: readonly SealedEntry[],
  readUs: number,
): Promise<number> {
  const record = await recordOf(run, lot.auctionId);
  const entries = joined(await readKept(run.parts.knex, lot, 0), beyond);
  if (entries.length === 0 && derived.snapshot === null && derived.kept === null) return 0;
  const audit = new LotAudit(record, nodeDigest, derived.gaps);
  const sequences = derived.rows.map(({ sequence }) => sequence);
  const compared = new Set([derived.snapshot?.sequence, derived.kept?.sequence, ...sequences]);
  const seen = new Map<number, LotState>();
  for (const { state } of derived.gaps) seen.set(state.sequence, state);
  for (const entry of entries) {
    audit.take(entry);
    for (const one of run.audits) one.take(entry, audit.state, readUs);
    if (compared.has(entry.sequence)) seen.set(entry.sequence, audit.state);
  }
  const fail = (what: string): never => {
    throw new Difference(`lot ${lot.lotId}: ${what}`);
  };
  compareDerived(derived, entries, seen, fail);
  return entries.length;
}
