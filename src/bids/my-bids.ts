/**
 * A user's own bids over all lots, newest first, each with how its lot stands. Like a lot's list it takes in what is not projected
 * yet: the tails of all shards are read before Postgres, and lots that have moved there are judged by their live state.
 */
import type { Knex } from 'knex';
import { LOG_START } from '../../adapters/redis/log.ts';
import { SHARD_COUNT } from '../../adapters/redis/shards.ts';
import type { SealedEntry } from '../../engine/lot/entry.ts';
import { decodeSnapshot } from '../../engine/lot/snapshot.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { type StoredBid, storedBidOf } from './bid-rows.ts';
import { overlayOf } from './lot-tail.ts';
import { STANDING_SQL, type Standing, standingOf } from './my-standing.ts';
import type { NewestParts } from './newest.ts';

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
  readonly status: Standing | null;
  readonly page: number;
  readonly perPage: number;
}

/** One page of a user's bids, `page` from 1; with a status, those on lots where the user stands so, voided ones left out. */
export async function listMyBids(
  parts: NewestParts,
  userId: number,
  query: MyBidsQuery,
): Promise<MyBidsPage> {
  const tail = await readTails(parts);
  const fresh = await readFresh(parts.knex, userId, tail.byLot);
  const live = await readStates(parts, await movedLots(parts.knex, userId, tail.byLot, fresh));
  const matching = (row: StoredBid) => {
    const state = live.states.get(row.lot_id);
    return (
      query.status === null ||
      (!row.voided && state !== undefined && standingOf(state, userId) === query.status)
    );
  };
  const wanted = fresh.filter(matching).sort(newestFirst);
  const kept = await readKept(parts.knex, userId, query, live.states, wanted.length);
  const skip = (query.page - 1) * query.perPage - kept.offset;
  const bids = [...wanted, ...kept.rows].sort(newestFirst).slice(skip, skip + query.perPage);
  const shown = await present(parts, userId, bids, live.states);
  const rows = query.status === null ? shown.rows : shown.rows.filter((row) => row.standing === query.status);
  return { rows, total: kept.total + wanted.length, stale: tail.stale || live.stale || shown.stale };
}

function newestFirst(a: StoredBid, b: StoredBid): number {
  if (a.placed_at !== b.placed_at) return a.placed_at < b.placed_at ? 1 : -1;
  return b.sequence - a.sequence || b.lot_id - a.lot_id;
}

interface Tails {
  readonly byLot: ReadonlyMap<number, readonly SealedEntry[]>;
  readonly stale: boolean;
}

async function readTails({ knex, tail }: NewestParts): Promise<Tails> {
  const positions: { shard: number; stream_id: string }[] = await knex('projection_positions').select(
    'shard',
    'stream_id',
  );
  const from = new Map(positions.map(({ shard, stream_id }) => [shard, stream_id]));
  const byLot = new Map<number, SealedEntry[]>();
  try {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
    const tails = await Promise.all(shards.map((shard) => tail.after(shard, from.get(shard) ?? LOG_START)));
    for (const frame of tails.flat().flatMap((message) => message.frames)) {
      if (frame.kind !== 'entry') continue;
      const entries = byLot.get(frame.entry.lotId);
      if (entries === undefined) byLot.set(frame.entry.lotId, [frame.entry]);
      else entries.push(frame.entry);
    }
    return { byLot, stale: false };
  } catch {
    return { byLot, stale: true };
  }
}

/** The user's listed bids that are not in Postgres. */
async function readFresh(knex: Knex, userId: number, byLot: Tails['byLot']): Promise<StoredBid[]> {
  const mark = `"userId":${userId},`;
  const lots = [...byLot].filter(([, entries]) => entries.some((entry) => entry.privateText.includes(mark)));
  if (lots.length === 0) return [];
  const kept: { lot_id: number; sequence: number }[] = await knex('lot_states')
    .whereRaw('lot_id = any(?::bigint[])', [lots.map(([lotId]) => lotId)])
    .select('lot_id', 'sequence');
  const sequences = new Map(kept.map((row) => [row.lot_id, row.sequence]));
  return lots.flatMap(([lotId, entries]) =>
    overlayOf(entries, sequences.get(lotId) ?? 0)
      .rows.filter((row) => row.user_id === userId && row.listed)
      .map(storedBidOf),
  );
}

/** The lots with news in the tail on which the user has bid: their columns in Postgres may be behind. */
async function movedLots(
  knex: Knex,
  userId: number,
  byLot: Tails['byLot'],
  fresh: readonly StoredBid[],
): Promise<Map<number, number>> {
  const moved = new Map(fresh.map((row) => [row.lot_id, row.auction_id]));
  if (byLot.size === 0) return moved;
  const { rows } = await knex.raw<{ rows: { lot_id: number; auction_id: number }[] }>(
    `SELECT id AS lot_id, auction_id FROM lots
     WHERE id = ANY(CAST(:lotIds AS bigint[]))
       AND EXISTS (SELECT 1 FROM bids b WHERE b.lot_id = lots.id AND b.user_id = :userId)`,
    { lotIds: [...byLot.keys()], userId },
  );
  for (const row of rows) moved.set(row.lot_id, row.auction_id);
  return moved;
}

interface States {
  readonly states: Map<number, LotState>;
  readonly stale: boolean;
}

/** Live states; those that the journal does not have, or cannot give, as they were projected. */
async function readStates(
  { knex, journal }: NewestParts,
  lots: ReadonlyMap<number, number>,
): Promise<States> {
  const states = new Map<number, LotState>();
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
  if (missing.length === 0) return { states, stale };
  const rows: { lot_id: number; snapshot: string }[] = await knex('lot_states')
    .whereRaw('lot_id = any(?::bigint[])', [missing])
    .select('lot_id', 'snapshot');
  for (const row of rows) states.set(row.lot_id, decodeSnapshot(row.snapshot));
  return { states, stale };
}

interface KeptBids {
  readonly rows: StoredBid[];
  readonly total: number;
  /** How many of the user's projected bids come before the first of `rows`. */
  readonly offset: number;
}

/** Enough projected bids for the page, wherever the fresh ones fall among them. */
async function readKept(
  knex: Knex,
  userId: number,
  { status, page, perPage }: MyBidsQuery,
  live: ReadonlyMap<number, LotState>,
  freshCount: number,
): Promise<KeptBids> {
  const skip = (page - 1) * perPage;
  const offset = Math.max(0, skip - freshCount);
  const moved = [...live.keys()];
  const match = moved.filter((lotId) => standingOf(live.get(lotId)!, userId) === status);
  const standing =
    status === null
      ? ''
      : `AND NOT b.voided AND CASE
      WHEN l.id = ANY(CAST(:moved AS bigint[])) THEN l.id = ANY(CAST(:match AS bigint[])) ELSE ${STANDING_SQL[status]} END`;
  const from = `FROM bids b JOIN lots l ON l.id = b.lot_id WHERE b.user_id = :userId AND b.listed ${standing}`;
  const bindings = { userId, moved, match, offset, count: skip + perPage - offset };
  const [counted, found] = await Promise.all([
    knex.raw<{ rows: { total: number }[] }>(`SELECT count(*) AS total ${from}`, bindings),
    knex.raw<{ rows: StoredBid[] }>(
      `SELECT b.* ${from} ORDER BY b.placed_at DESC, b.sequence DESC, b.lot_id DESC OFFSET :offset LIMIT :count`,
      bindings,
    ),
  ]);
  return { rows: found.rows, total: counted.rows[0]!.total, offset };
}

async function present(
  parts: NewestParts,
  userId: number,
  bids: readonly StoredBid[],
  known: ReadonlyMap<number, LotState>,
): Promise<{ rows: MyBid[]; stale: boolean }> {
  const places = new Map(bids.map((bid) => [bid.lot_id, bid.auction_id]));
  for (const lotId of known.keys()) places.delete(lotId);
  const { states, stale } = await readStates(parts, places);
  for (const [lotId, state] of known) states.set(lotId, state);
  const lots: { id: number; title: string; slug: string }[] = await parts
    .knex('lots')
    .whereRaw('id = any(?::bigint[])', [bids.map((bid) => bid.lot_id)])
    .select('id', 'title', 'slug');
  const titles = new Map(lots.map((lot) => [lot.id, lot]));
  const rows = bids.flatMap((bid) => {
    const state = states.get(bid.lot_id);
    const lot = titles.get(bid.lot_id);
    if (state === undefined || lot === undefined) return [];
    return [{ bid, standing: standingOf(state, userId), lot, state }];
  });
  return { rows, stale };
}
