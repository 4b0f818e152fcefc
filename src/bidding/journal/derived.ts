/** What is derived from a lot's journal, in Redis and in Postgres: read, and held against the journal. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { decodeEvents, decodeSnapshot, faceOf } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { bidRowsOf } from '../projection/bid-rows.ts';
import { leaderKeyOf } from '../projection/live-lot-columns.ts';
import { type JournalGap, readGaps } from './journal-gaps.ts';
import type { ShardedLot } from './journal-lots.ts';
import { expectSame } from './lot-audit.ts';

/** What is derived from a lot's journal, read before the journal itself: all of it must then be found in it. */
export interface Derived {
  readonly gaps: readonly JournalGap[];
  readonly snapshot: LotState | null;
  readonly kept: LotState | null;
  /** Of the lot, and of those that are sold with it. */
  readonly rows: readonly LotColumnsRow[];
  readonly bids: readonly BidColumns[];
}

/** Reads it, Postgres' part at one moment. */
export async function readDerived(
  { knex, journal }: { readonly knex: Knex; readonly journal: Journal },
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

/** Holds it against the entries, and against the states that they lead to, by their sequences; `fail` throws. */
export function compareDerived(
  derived: Derived,
  entries: readonly SealedEntry[],
  seen: ReadonlyMap<number, LotState>,
  fail: (what: string) => never,
): void {
  compareState('the snapshot in Redis', derived.snapshot, seen, fail);
  compareState('the projected state', derived.kept, seen, fail);
  for (const row of derived.rows) compareRow(row, seen, fail);
  compareBids(derived, entries, fail);
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
