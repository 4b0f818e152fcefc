/**
 * A user's own bids over all lots, newest first, each with the state of its lot. Like a lot's list it takes in what is
 * not projected yet: the tails of all shards are read before Postgres, and lots that have moved there are judged by
 * their live state.
 */

import type { Knex } from 'knex';
import { userKey } from '../../../engine/auction/record.ts';
import { entryOf, firstOf } from '../../../engine/first-of.ts';
import { decodeSnapshot } from '../../../engine/formats/formats.ts';
import { NO_SEALS } from '../../../engine/lot/seals.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import type { BidChange } from '../projection/pending-writes.ts';
import { readOutcomes, type SaleOutcome } from '../records/sale-outcomes.ts';
import { FIRST_LOT_SQL, ofFirstLot, type StoredBid, storedBidOf } from './bid-views.ts';
import { overlayOf } from './lot-tail.ts';
import { STANDING_SQL, type Standing, standingOf } from './my-standing.ts';
import type { NewestParts } from './newest.ts';
import { ownSealedRow, readSealedStates } from './own-sealed-bid.ts';
import { readTails, type Tails } from './shard-tails.ts';

export interface MyBid {
  readonly bid: StoredBid;
  readonly standing: Standing;
  readonly lot: { readonly title: string; readonly slug: string };
  readonly state: LotState;
}

export interface MyBidsPage {
  readonly rows: readonly MyBid[];
  readonly total: number;
  readonly stale: boolean;
}

export interface MyBidsQuery {
  readonly status: Standing | 'sealed' | null;
  readonly page: number;
  readonly perPage: number;
}

/**
 * One page of a user's bids, `page` from 1; with a status, those on lots where the user has that standing, voided ones
 * left out.
 */
export async function listMyBids(
  parts: NewestParts,
  userId: number,
  query: MyBidsQuery,
): Promise<MyBidsPage> {
  const tail = await readTails(parts);
  const { status } = query;
  if (status === 'sealed') return listSealed(parts, userId, query, tail);
  const sealed = status === null ? await readSealed(parts, userId, tail) : [];
  return parts.knex.transaction(
    async (trx) => {
      const inTransaction = { ...parts, knex: trx };
      const moved = await readMoved(trx, userId, tail.byLot);
      const live = await readStates(inTransaction, userId, moved.lots);
      const listed = moved.fresh.filter((row) => isWanted(row, status, userId, live));
      const fresh = [...listed, ...sealed].sort(newestFirst);
      const news = { freshCount: fresh.length, changes: moved.changes };
      const kept = await readKept(trx, userId, { ...query, status }, live, news);
      const skip = (query.page - 1) * query.perPage - kept.offset;
      const bids = [...fresh, ...kept.rows].sort(newestFirst).slice(skip, skip + query.perPage);
      const shown = await present(inTransaction, userId, bids, live);
      const rows = shown.rows.filter((row) => status === null || row.standing === status);
      return { rows, total: kept.total + fresh.length, stale: tail.stale || live.stale || shown.stale };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** The user's bids that are sealed now; none where the journal cannot be read. */
async function readSealed(
  { knex, journal, seals = NO_SEALS }: NewestParts,
  userId: number,
  { byLot }: Tails,
): Promise<StoredBid[]> {
  const mark = JSON.stringify(userKey(userId));
  const fresh = new Map<number, number>();
  for (const [lotId, entries] of byLot)
    if (entries.some(({ privateText }) => privateText.includes(mark)))
      fresh.set(lotId, firstOf(entries).auctionId);
  const states = await readSealedStates(knex, journal, userId, fresh).catch(() => []);
  return states.flatMap((state) => ownSealedRow(state, userId, seals) ?? []);
}

async function listSealed(
  parts: NewestParts,
  userId: number,
  { page, perPage }: MyBidsQuery,
  tail: Tails,
): Promise<MyBidsPage> {
  const all = (await readSealed(parts, userId, tail)).sort(newestFirst);
  const bids = all.slice((page - 1) * perPage, page * perPage);
  const nothing = { states: new Map(), outcomes: new Map(), stale: false };
  const { rows, stale } = await present(parts, userId, bids, nothing);
  return { rows, total: all.length, stale: tail.stale || stale };
}

function isWanted(
  row: StoredBid,
  status: Standing | null,
  userId: number,
  { states, outcomes }: States,
): boolean {
  if (status === null) return true;
  const state = states.get(row.lot_id);
  const outcome = outcomes.get(row.lot_id) ?? null;
  return !row.voided && state !== undefined && standingOf(state, userId, outcome) === status;
}

function newestFirst(a: StoredBid, b: StoredBid): number {
  if (a.placed_at !== b.placed_at) return a.placed_at < b.placed_at ? 1 : -1;
  return b.sequence - a.sequence || b.lot_id - a.lot_id;
}

interface Moved {
  /** The lots with news in the tails on which the user has bid, with their auctions: their columns may be behind. */
  readonly lots: ReadonlyMap<number, number>;
  /** The user's listed bids that are not in Postgres. */
  readonly fresh: readonly StoredBid[];
  /** What the tails change about bids that are. */
  readonly changes: ReadonlyMap<string, BidChange>;
}

async function readMoved(trx: Knex, userId: number, byLot: Tails['byLot']): Promise<Moved> {
  const lots = new Map<number, number>();
  if (byLot.size === 0) return { lots, fresh: [], changes: new Map() };
  const mark = JSON.stringify(userKey(userId));
  // SQL: the state of each lot with a field of its snapshot, in one statement.
  const { rows } = await trx.raw<{ rows: MovedRow[] }>(
    `SELECT lot_id, sequence,
            EXISTS (SELECT 1 FROM bids b WHERE b.lot_id = s.lot_id AND b.user_id = :userId) AS mine,
            ARRAY(SELECT l.id FROM lots l WHERE l.host_id = s.lot_id) AS members
     FROM lot_states s WHERE lot_id = ANY(CAST(:lotIds AS bigint[]))`,
    { lotIds: [...byLot.keys()], userId },
  );
  const kept = new Map(rows.map((row) => [row.lot_id, row]));
  const fresh: StoredBid[] = [];
  const changes = new Map<string, BidChange>();
  for (const [lotId, entries] of byLot) {
    const row = kept.get(lotId);
    if (!row?.mine && !entries.some((entry) => entry.privateText.includes(mark))) continue;
    for (const id of [lotId, ...(row?.members ?? [])]) lots.set(id, firstOf(entries).auctionId);
    const overlay = overlayOf(entries, row?.sequence ?? 0);
    fresh.push(
      ...overlay.rows
        .filter((bid) => bid.user_id === userId && bid.listed)
        .map(storedBidOf)
        .map(ofFirstLot),
    );
    for (const [bidId, change] of overlay.changes) changes.set(bidId, change);
  }
  return { lots, fresh, changes };
}

interface MovedRow {
  readonly lot_id: number;
  readonly sequence: number;
  readonly mine: boolean;
  /** The lots that are sold with it. */
  readonly members: readonly number[];
}

interface States {
  readonly states: Map<number, LotState>;
  /** What became of the sales for the user. */
  readonly outcomes: ReadonlyMap<number, SaleOutcome>;
  readonly stale: boolean;
}

/** Live states; those that the journal does not have, or cannot give, as they were projected. */
async function readStates(
  { knex, journal }: NewestParts,
  userId: number,
  lots: ReadonlyMap<number, number>,
): Promise<States> {
  const states = new Map<number, LotState>();
  const outcomes = await readOutcomes(knex, userId, [...lots.keys()]);
  let stale = false;
  await Promise.all(
    [...lots].map(async ([lotId, auctionId]) => {
      const state = await journal.load(auctionId, lotId).catch(() => {
        stale = true;
        return null;
      });
      if (state !== null) states.set(lotId, state);
    }),
  );
  const missing = [...lots.keys()].filter((lotId) => !states.has(lotId));
  if (missing.length === 0) return { states, outcomes, stale };
  const rows: { lot_id: number; snapshot: string }[] = await knex('lot_states')
    .whereRaw('lot_id = any(?::bigint[])', [missing])
    .select('lot_id', 'snapshot');
  for (const row of rows) states.set(row.lot_id, decodeSnapshot(row.snapshot));
  return { states, outcomes, stale };
}

interface KeptBids {
  readonly rows: StoredBid[];
  readonly total: number;
  /** How many of the user's projected bids come before the first of `rows`. */
  readonly offset: number;
}

/** Enough projected bids for the page, wherever the fresh ones fall among them. */
async function readKept(
  trx: Knex,
  userId: number,
  { status, page, perPage }: MyBidsQuery & { readonly status: Standing | null },
  live: States,
  { freshCount, changes }: Pick<Moved, 'changes'> & { readonly freshCount: number },
): Promise<KeptBids> {
  const skip = (page - 1) * perPage;
  const offset = Math.max(0, skip - freshCount);
  const moved = [...live.states.keys()];
  const match = moved.filter(
    (lotId) => standingOf(entryOf(live.states, lotId), userId, live.outcomes.get(lotId) ?? null) === status,
  );
  const all = [...changes.values()];
  const idsOf = (test: (change: BidChange) => boolean) => all.filter(test).map((change) => change.bid_id);
  const shown = idsOf(({ outcome }) => outcome !== undefined && outcome !== 'max_raised');
  const hidden = idsOf(({ outcome }) => outcome === 'max_raised');
  const voided = idsOf((change) => change.voided === true);
  const listed =
    all.length === 0 ? 'b.listed' : '(b.listed OR b.bid_id = ANY(:shown)) AND NOT b.bid_id = ANY(:hidden)';
  const standing =
    status === null
      ? ''
      : `AND NOT b.voided AND NOT b.bid_id = ANY(:voided) AND CASE
           WHEN l.id = ANY(CAST(:moved AS bigint[])) THEN l.id = ANY(CAST(:match AS bigint[]))
           ELSE ${STANDING_SQL[status]} END`;
  const from = `FROM bids b JOIN lots l ON l.id = ${FIRST_LOT_SQL} WHERE b.user_id = :userId AND ${listed} ${standing}`;
  const bindings = { userId, moved, match, shown, hidden, voided, offset, count: skip + perPage - offset };
  // SQL: the count and the page share their conditions, which differ by what the journal has moved.
  const counted = await trx.raw<{ rows: { total: number }[] }>(`SELECT count(*) AS total ${from}`, bindings);
  const found = await trx.raw<{ rows: StoredBid[] }>(
    `SELECT b.* ${from} ORDER BY b.placed_at DESC, b.sequence DESC, b.lot_id DESC OFFSET :offset LIMIT :count`,
    bindings,
  );
  const kept = found.rows.map(ofFirstLot);
  for (const row of kept) Object.assign(row, changes.get(row.bid_id));
  return { rows: kept, total: firstOf(counted.rows).total, offset };
}

async function present(
  parts: NewestParts,
  userId: number,
  bids: readonly StoredBid[],
  known: States,
): Promise<{ rows: MyBid[]; stale: boolean }> {
  const unread = new Map(bids.map((bid) => [bid.lot_id, bid.auction_id]));
  for (const lotId of known.states.keys()) unread.delete(lotId);
  const { states, outcomes: further, stale } = await readStates(parts, userId, unread);
  for (const [lotId, state] of known.states) states.set(lotId, state);
  const outcomes = new Map([...further, ...known.outcomes]);
  const lots: { id: number; title: string; slug: string }[] = await parts
    .knex('lots')
    .whereRaw('id = any(?::bigint[])', [bids.map((bid) => bid.lot_id)])
    .select('id', 'title', 'slug');
  const titles = new Map(lots.map((lot) => [lot.id, lot]));
  const rows = bids.flatMap((bid) => {
    const state = states.get(bid.lot_id);
    const lot = titles.get(bid.lot_id);
    if (state === undefined || lot === undefined) return [];
    return [{ bid, standing: standingOf(state, userId, outcomes.get(bid.lot_id) ?? null), lot, state }];
  });
  return { rows, stale };
}
