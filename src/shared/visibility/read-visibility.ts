/**
 * Asks Postgres whether somebody may see a lot: for everything that belongs to a lot and does not read its row anyway.
 */
import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import { seesAuctionSql, seesLotSql } from './visibility-sql.ts';

export type LotVisibility = 'visible' | 'hidden' | 'missing';

/** The caller, as far as it matters. */
export type Viewer = { readonly userId: number } | null;

const SEEN = `SELECT l.auction_id, ${seesLotSql('$2::bigint')}
  FROM lots l JOIN auctions a ON a.id = l.auction_id WHERE l.id = $1::bigint`;

/** The auction of a lot that this viewer may see, or null. */
export async function findVisibleLot(knex: Knex, lotId: number, viewer: Viewer): Promise<number | null> {
  const row = await readSeen(knex, lotId, viewer);
  return row?.[1] === true ? row[0] : null;
}

const SEEN_AUCTION = `SELECT a.id FROM auctions a WHERE a.id = $1::bigint AND ${seesAuctionSql('$2::bigint')}`;

/** Whether there is such an auction that this viewer may see. */
export async function findVisibleAuction(knex: Knex, auctionId: number, viewer: Viewer): Promise<boolean> {
  const values = [auctionId, viewer?.userId ?? null];
  return (await runPrepared<[number]>(knex, { text: SEEN_AUCTION, values })).length > 0;
}

/** Whether there is such a lot and this viewer may know of it. */
export async function readLotVisibility(knex: Knex, lotId: number, viewer: Viewer): Promise<LotVisibility> {
  const row = await readSeen(knex, lotId, viewer);
  if (row === undefined) return 'missing';
  return row[1] ? 'visible' : 'hidden';
}

async function readSeen(knex: Knex, lotId: number, viewer: Viewer) {
  const values = [lotId, viewer?.userId ?? null];
  return (await runPrepared<[number, boolean]>(knex, { text: SEEN, values }))[0];
}
