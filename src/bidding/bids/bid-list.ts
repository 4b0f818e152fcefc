/**
 * A lot's bids, newest first, as they are at one sequence: rows that are projected from Postgres, the newest from the
 * journal's log, who leads from the lot's state. Whatever was acknowledged before the call is in the answer, on every
 * process. Of lots that are offered together each has the bids on all, since the bidding last began anew.
 */
import type { Knex } from 'knex';
import { entryOf, firstOf } from '../../../engine/first-of.ts';
import { biddingSince, decodeSnapshot, isSealed, memberIds } from '../../../engine/formats/formats.ts';
import { NO_SEALS } from '../../../engine/lot/seals.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import type { BidRow } from '../projection/pending-writes.ts';
import { type BidView, presentBid, type StoredBid, storedBidOf } from './bid-views.ts';
import { NO_OVERLAY, overlayOf, type TailOverlay } from './lot-tail.ts';
import { type LotIds, type NewestParts, readBeyond, readCarrier } from './newest.ts';
import { ownSealedView } from './own-sealed-bid.ts';

export interface BidPage {
  readonly rows: readonly BidView[];
  /** Rows over all pages. */
  readonly total: number;
  /** The journal could not be read: what was not projected yet may be missing. */
  readonly stale: boolean;
}

interface Paging {
  readonly page: number;
  readonly perPage: number;
}

/** Pages up to here are read in one statement, counted from the newest row. */
const QUICK_ROWS = 500;

/** One page of a lot's bids for a viewer, `page` from 1. */
export async function listBids(
  parts: NewestParts,
  named: LotIds,
  paging: Paging,
  viewerUserId: number | null,
): Promise<BidPage> {
  const { carrier: lotIds, live } = await readCarrier(parts, named);
  // Before they are opened everybody sees their own alone.
  if (live.state !== null && isSealed(live.state)) {
    const own = ownSealedView(live.state, viewerUserId, parts.seals ?? NO_SEALS);
    const rows = own === null || paging.page > 1 ? [] : [own];
    return { rows, total: own === null ? 0 : 1, stale: live.stale };
  }
  const present = (rows: readonly StoredBid[], state: LotState) =>
    rows.map((row) => presentBid(row, state, viewerUserId));
  if (paging.page * paging.perPage <= QUICK_ROWS) {
    const quick = await readQuick(parts.knex, lotIds.lotId, live.state, paging);
    if (quick !== null)
      return { rows: present(quick.rows, quick.state), total: quick.total, stale: live.stale };
  }
  const newest = live.state === null ? { ...live, entries: [] } : await readBeyond(parts, lotIds, live.state);
  return parts.knex.transaction(
    async (trx) => {
      const kept = await readKept(trx, lotIds.lotId);
      const keptSequence = kept?.sequence ?? 0;
      const isAhead = newest.state !== null && newest.state.sequence > keptSequence;
      const state = isAhead ? newest.state : kept === undefined ? null : decodeSnapshot(kept.snapshot);
      if (state === null) return { rows: [], total: 0, stale: newest.stale };
      const overlay = isAhead ? overlayOf(newest.entries, keptSequence) : NO_OVERLAY;
      const found = await readPage(trx, state, overlay, paging);
      return { rows: present(found.rows, state), total: found.total, stale: newest.stale };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/**
 * A page as Postgres has it, with the state that it belongs to: one statement, so one moment. Null for a lot without
 * a journal, where Postgres is behind the live state, or where the state does not count the rows.
 */
async function readQuick(
  knex: Knex,
  lotId: number,
  live: LotState | null,
  { page, perPage }: Paging,
): Promise<{ rows: StoredBid[]; total: number; state: LotState } | null> {
  const since = live === null ? 0 : biddingSince(live);
  // SQL: a hot read: the state and its page in one statement.
  const { rows } = await knex.raw<{ rows: (StoredBid & Kept)[] }>(
    `SELECT s.snapshot, (SELECT count(*) FROM bids v WHERE ${ofState('v')} AND v.voided
      AND v.listed AND v.sequence > :since) AS kept_voided,
            b.*
     FROM lot_states s LEFT JOIN LATERAL (
       SELECT ${ROW_COLUMNS} FROM bids b WHERE ${ofState('b')} AND b.listed AND b.sequence > :since
       ORDER BY b.sequence DESC OFFSET :offset LIMIT :perPage) b ON true
     WHERE s.lot_id = :lotId ORDER BY b.sequence DESC`,
    { lotId, since, offset: (page - 1) * perPage, perPage },
  );
  const [first] = rows;
  if (first === undefined) return null;
  const state = decodeSnapshot(first.snapshot);
  if (state.sequence < (live?.sequence ?? 0) || biddingSince(state) !== since || isTogether(state))
    return null;
  const total = state.bidCount + first.kept_voided;
  return { rows: first.bid_id === null ? [] : rows, total, state };
}

const ROW_COLUMNS = `b.bid_id, b.lot_id, b.auction_id, b.lot_ids, b.sequence, b.user_id, b.ceiling_cents, b.amount_cents,
  b.placed_at,
  b.voided, b.outcome, b.channel, b.alias, b.paddle_number, b.entry_hash`;

/** Bids on the lot of a state `s`: of lots that are sold together, those of the sale that name it. */
function ofState(bids: string): string {
  return `${bids}.lot_id = coalesce(s.host_id, s.lot_id)
    AND (${bids}.lot_ids IS NULL OR ${bids}.lot_ids @> to_jsonb(s.lot_id))`;
}

interface Kept {
  readonly snapshot: string;
  /** Voided rows that are listed. */
  readonly kept_voided: number;
}

async function readKept(trx: Knex, lotId: number) {
  return trx('lot_states')
    .where('lot_id', lotId)
    .first<{ sequence: number; snapshot: string } | undefined>('sequence', 'snapshot');
}

/** Of lots that are sold together the state counts what stands: bids that fell with a withdrawn lot are listed too. */
function isTogether(state: LotState): boolean {
  return memberIds(state).length > 1;
}

/** How many rows of Postgres are listed, of those that the state does not count: the voided ones, or all. */
async function countKept(trx: Knex, state: LotState, since: number): Promise<number> {
  // SQL: the lot that hosts the journal is the state's.
  const { rows } = await trx.raw<{ rows: { kept: number }[] }>(
    `SELECT count(*) AS kept FROM lot_states s JOIN bids b ON ${ofState('b')}
     WHERE s.lot_id = ? AND b.listed AND b.sequence > ? ${isTogether(state) ? '' : 'AND b.voided'}`,
    [state.lotId, since],
  );
  return rows[0]?.kept ?? 0;
}

/** Whether a bid is for the lot, alone or with others. */
function names({ lot_ids: lotIds }: Pick<BidRow, 'lot_ids'>, lotId: number): boolean {
  return !Array.isArray(lotIds) || lotIds.includes(lotId);
}

/** How the overlay changes which rows of Postgres are listed. */
interface Relisted {
  readonly hidden: number[];
  readonly shown: number[];
  /** By how much the number of voided rows in the list grows. */
  readonly voided: number;
}

async function readPage(
  trx: Knex,
  state: LotState,
  overlay: TailOverlay,
  { page, perPage }: Paging,
): Promise<{ rows: StoredBid[]; total: number }> {
  const since = biddingSince(state);
  const isIn = (row: BidRow) => row.listed && row.sequence > since && names(row, state.lotId);
  const fresh = overlay.rows.filter(isIn).map(storedBidOf);
  fresh.reverse();
  const counted = await countKept(trx, state, since);
  const relisted = await readRelisted(trx, overlay, since);
  const freshVoided = fresh.filter((row) => row.voided).length;
  const total = isTogether(state)
    ? counted + fresh.length
    : state.bidCount + counted + relisted.voided + freshVoided;
  const skip = (page - 1) * perPage;
  const first = fresh.slice(skip, skip + perPage);
  const offset = Math.max(0, skip - fresh.length);
  const keptTotal = total - fresh.length;
  const count = Math.min(perPage - first.length, keptTotal - offset);
  if (count <= 0) return { rows: first, total };
  const kept = await readRows(trx, state, { offset, count, keptTotal }, relisted);
  for (const row of kept) Object.assign(row, overlay.changes.get(row.bid_id));
  return { rows: [...first, ...kept], total };
}

async function readRelisted(trx: Knex, { changes }: TailOverlay, since: number): Promise<Relisted> {
  if (changes.size === 0) return { hidden: [], shown: [], voided: 0 };
  const rows: { bid_id: string; sequence: number; voided: boolean; listed: boolean }[] = await trx('bids')
    .whereRaw('bid_id = any(?)', [[...changes.keys()]])
    .andWhere('sequence', '>', since)
    .select('bid_id', 'sequence', 'voided', 'listed');
  const hidden: number[] = [];
  const shown: number[] = [];
  let voided = 0;
  for (const row of rows) {
    const change = entryOf(changes, row.bid_id);
    const listed = change.outcome === undefined ? row.listed : change.outcome !== 'max_raised';
    if (row.listed && !listed) hidden.push(row.sequence);
    if (!row.listed && listed) shown.push(row.sequence);
    voided += Number(listed && (change.voided ?? row.voided)) - Number(row.listed && row.voided);
  }
  return { hidden, shown, voided };
}

/** Counts from whichever end of the list is nearer. */
async function readRows(
  trx: Knex,
  state: LotState,
  {
    offset,
    count,
    keptTotal,
  }: { readonly offset: number; readonly count: number; readonly keptTotal: number },
  { hidden, shown }: Relisted,
): Promise<StoredBid[]> {
  const fromEnd = keptTotal - offset - count;
  const backwards = fromEnd < offset;
  const isListed =
    hidden.length + shown.length === 0
      ? 'listed'
      : '(listed OR sequence = ANY(CAST(:shown AS bigint[]))) AND NOT sequence = ANY(CAST(:hidden AS bigint[]))';
  const members = memberIds(state);
  const named = members.length > 1 ? 'lot_ids @> to_jsonb(CAST(:lotId AS bigint))' : 'true';
  // Lateral, so that even a planner without statistics reads the page once and each of its rows by the index.
  // SQL: lateral, which no builder says.
  const { rows } = await trx.raw<{ rows: StoredBid[] }>(
    `SELECT ${ROW_COLUMNS}
     FROM (SELECT sequence FROM bids WHERE lot_id = :journalId AND sequence > :since AND ${named} AND ${isListed}
           ORDER BY sequence ${backwards ? 'ASC' : 'DESC'} OFFSET :offset LIMIT :count) page
     JOIN LATERAL (SELECT * FROM bids WHERE lot_id = :journalId AND sequence = page.sequence LIMIT 1) b ON true
     ORDER BY b.sequence DESC`,
    {
      lotId: state.lotId,
      journalId: firstOf(members),
      since: biddingSince(state),
      offset: backwards ? fromEnd : offset,
      count,
      shown,
      hidden,
    },
  );
  return rows;
}
