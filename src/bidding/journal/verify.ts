/**
 * Re-reads journals and holds them against everything that is derived from them: the snapshot in Redis, and what the
 * projection has written, as far as it has come. Runs alongside a busy service; a projection that lags is no fault.
 */

import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { firstOf, itemAt } from '../../../engine/first-of.ts';
import { decodeEvents, decodeSnapshot, faceOf } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { nodeDigest } from '../../shared/node-crypto.ts';
import { bidRowsOf } from '../projection/bid-rows.ts';
import { leaderKeyOf } from '../projection/live-lot-columns.ts';
import { describeFailure, readFailures, readSetAsideEntries } from '../projection/set-aside.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { ChoiceAudit } from './choice-audit.ts';
import type { EpochKeeper } from './epoch-keeper.ts';
import { GroupAudit } from './group-audit.ts';
import { type JournalGap, readGaps } from './journal-gaps.ts';
import {
  chunksByShard,
  lotsWithJournal,
  lotsWithoutRow,
  requireLot,
  type ShardedLot,
} from './journal-lots.ts';
import { Difference, expectSame, LotAudit } from './lot-audit.ts';
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
  const records = new Map<number, AuctionRecord>();
  const audits = [new GroupAudit(), new ChoiceAudit()];
  let lots = 0;
  let entries = 0;
  const failures = await readFailures(parts.knex, lotId);
  try {
    for (const chunk of chunksByShard(chosen)) {
      // What is derived is read before the journal it is derived from, so that all of it must be found there.
      const groups = { audits, readUs: parts.journal.nowUs() - STALE_US };
      const derived = await Promise.all(chunk.map((lot) => readDerived(parts, lot)));
      const tails = await readShardTail(parts, firstOf(chunk).shard);
      const setAside = await readSetAsideEntries(parts.knex, lotId);
      for (const [index, lot] of chunk.entries()) {
        const record = records.get(lot.auctionId) ?? (await recordOf(parts, lot.auctionId));
        records.set(lot.auctionId, record);
        const beyond = joined(setAside.get(lot.lotId) ?? [], tails.get(lot.lotId) ?? []);
        entries += await verifyLot(parts, lot, record, itemAt(derived, index), beyond, groups);
        lots += 1;
        onProgress(lots, chosen.length);
      }
    }
    for (const audit of audits) audit.check();
    const [first] = failures;
    const unknown = lotId === null ? await lotsWithoutRow(parts.knex) : [];
    if (unknown.length > 0)
      throw new Difference(
        `lots ${unknown.join(', ')} are in the journal, and Postgres does not know them: run \`rostrum journal bridge\``,
      );
    if (first === undefined) return { ok: true, lots, entries };
    return { ok: false, lots, entries, failures: failures.length, difference: describeFailure(first) };
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    const counted = failures.length === 0 ? {} : { failures: failures.length };
    return { ok: false, lots, entries, ...counted, difference: error.message };
  }
}

async function recordOf({ journal, knex }: VerifyParts, auctionId: number): Promise<AuctionRecord> {
  const record = (await journal.loadRecord(auctionId)) ?? (await readAuctionRow(knex, auctionId));
  if (record === null) throw new Difference(`auction ${auctionId} is in neither Redis nor Postgres`);
  return record;
}

/** What is derived from a lot's journal, read before the journal itself: all of it must then be found in it. */
interface Derived {
  readonly gaps: readonly JournalGap[];
  readonly snapshot: LotState | null;
  readonly kept: LotState | null;
  /** Of the lot, and of those that are sold with it. */
  readonly rows: readonly LotColumnsRow[];
  readonly bids: readonly BidColumns[];
}

async function verifyLot(
  parts: VerifyParts,
  lot: ShardedLot,
  record: AuctionRecord,
  derived: Derived,
  beyond: readonly SealedEntry[],
  groups: { readonly audits: readonly (GroupAudit | ChoiceAudit)[]; readonly readUs: number },
): Promise<number> {
  const entries = joined(await readKept(parts.knex, lot, 0), beyond);
  if (entries.length === 0 && derived.snapshot === null && derived.kept === null) return 0;
  const audit = new LotAudit(record, nodeDigest, derived.gaps);
  const sequences = derived.rows.map(({ sequence }) => sequence);
  const compared = new Set([derived.snapshot?.sequence, derived.kept?.sequence, ...sequences]);
  const seen = new Map<number, LotState>();
  for (const { state } of derived.gaps) seen.set(state.sequence, state);
  for (const entry of entries) {
    audit.take(entry);
    for (const one of groups.audits) one.take(entry, audit.state, groups.readUs);
    if (compared.has(entry.sequence)) seen.set(entry.sequence, audit.state);
  }
  const fail = (what: string): never => {
    throw new Difference(`lot ${lot.lotId}: ${what}`);
  };
  compareState('the snapshot in Redis', derived.snapshot, seen, fail);
  compareState('the projected state', derived.kept, seen, fail);
  for (const row of derived.rows) compareRow(row, seen, fail);
  compareBids(derived, entries, fail);
  return entries.length;
}

async function readDerived(
  { knex, journal }: VerifyParts,
  { lotId, auctionId }: ShardedLot,
): Promise<Derived> {
  const snapshot = await journal.load(auctionId, lotId);
  return knex.transaction(
    async (trx) => {
      const state = await trx('lot_states')
        .where('lot_id', lotId)
        .first<{ snapshot: string } | undefined>('snapshot');
      const rows = await trx('lots')
        .where('id', lotId)
        .orWhere('host_id', lotId)
        .select<LotColumnsRow[]>(LOT_COLUMNS);
      const bids = await trx('bids')
        .where('lot_id', lotId)
        .orderBy('sequence')
        .select<BidColumns[]>(BID_COLUMNS);
      const kept = state === undefined ? null : decodeSnapshot(state.snapshot);
      return { gaps: await readGaps(trx, lotId), snapshot, kept, rows, bids };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

function compareState(
  what: string,
  state: LotState | null,
  seen: ReadonlyMap<number, LotState>,
  fail: (what: string) => never,
): void {
  if (state === null) return;
  const replayed = seen.get(state.sequence);
  if (replayed === undefined)
    fail(`${what} stands at sequence ${state.sequence}, which its journal does not have`);
  expectSame(what, replayed && faceOf(replayed, state.lotId), faceOf(state, state.lotId), fail);
}

interface LotColumnsRow {
  readonly id: number;
  readonly sequence: number;
  readonly status: string;
  readonly current_bid_cents: number;
  readonly bid_count: number;
  readonly leader_key: string | null;
  readonly hammer_price_cents: number | null;
  readonly head_hash: string | null;
}

const LOT_COLUMNS = [
  'id',
  'sequence',
  'status',
  'current_bid_cents',
  'bid_count',
  'leader_key',
  'hammer_price_cents',
  'head_hash',
];

function compareRow(
  row: LotColumnsRow,
  seen: ReadonlyMap<number, LotState>,
  fail: (what: string) => never,
): void {
  if (row.sequence === 0) return;
  const found = seen.get(row.sequence);
  if (found === undefined) {
    fail(`Postgres has it at sequence ${row.sequence}, which its journal does not have`);
    return;
  }
  const state = faceOf(found, row.id);
  const wanted: LotColumnsRow = {
    id: row.id,
    sequence: state.sequence,
    status: state.status,
    current_bid_cents: state.currentCents,
    bid_count: state.bidCount,
    leader_key: leaderKeyOf(state),
    hammer_price_cents: state.hammerCents,
    head_hash: state.hash,
  };
  expectSame('its row in Postgres', wanted, row, fail);
}

interface BidColumns {
  readonly bid_id: string;
  readonly sequence: number;
  readonly user_id: number | null;
  readonly ceiling_cents: number;
  readonly amount_cents: number;
  readonly outcome: string;
  readonly voided: boolean;
  readonly entry_hash: string;
}

const BID_COLUMNS = [
  'bid_id',
  'sequence',
  'user_id',
  'ceiling_cents',
  'amount_cents',
  'outcome',
  'voided',
  'entry_hash',
];

/** The rows that the journal comes to, up to the projected sequence, against those that are there. */
function compareBids(
  { rows, bids }: Derived,
  entries: readonly SealedEntry[],
  fail: (what: string) => never,
): void {
  const wanted = new Map<string, BidColumns>();
  const projected = Math.max(0, ...rows.map(({ sequence }) => sequence));
  for (const entry of entries) {
    if (entry.sequence > projected) break;
    for (const event of decodeEvents(entry.privateText)) expectRow(wanted, event, entry);
  }
  if (wanted.size !== bids.length) fail(`Postgres has ${bids.length} of its ${wanted.size} bids`);
  for (const bid of bids)
    expectSame(`bid ${bid.bid_id} in Postgres`, wanted.get(bid.bid_id) ?? null, bid, fail);
}

function expectRow(rows: Map<string, BidColumns>, event: LotEvent, entry: SealedEntry): void {
  for (const row of bidRowsOf(event, entry)) {
    const { bid_id, sequence, user_id, ceiling_cents, amount_cents, outcome, voided, entry_hash } = row;
    rows.set(bid_id, {
      ...{ bid_id, sequence, user_id, ceiling_cents, amount_cents, outcome, voided, entry_hash },
    });
  }
  if (event.type !== 'bid_voided') return;
  const change = (bidId: string, columns: Partial<BidColumns>) => {
    const known = rows.get(bidId);
    if (known !== undefined) rows.set(bidId, { ...known, ...columns });
  };
  change(event.bidId, { voided: true });
  for (const { bidId, outcome, listedCents } of event.changedRows)
    change(bidId, { outcome, amount_cents: listedCents });
}
