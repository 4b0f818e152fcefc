/**
 * Paddles that the clerk hands out at the door: a number with whoever holds it, known to the auction before it is
 * called. A call with a number that nobody has is refused, so that no bid of the floor is anybody's.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { invalidTransition, notFound, Refusal } from '../../shared/refusal.ts';
import { isLive } from '../../shared/statuses/auction-statuses.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { ensureRecord } from '../records/publishing.ts';
import { floorKey } from '../simulcast/floor-bidders.ts';

/** The house's own floor, alongside the platforms: no platform can be called so. */
export const HOUSE_FLOOR = '.floor';

export interface PaddleParts {
  readonly knex: Knex;
  readonly engine: Pick<Engine, 'ensureBidders' | 'findPaddle'>;
  readonly journal: Journal;
}

export interface NewPaddle {
  /** Null: the lowest number that is free. */
  readonly paddle: string | null;
  readonly name: string;
  readonly contact: string | null;
}

export interface FloorPaddle {
  readonly paddle: string;
  readonly name: string;
  readonly contact: string | null;
  readonly handed_out_at: string;
}

const COLUMNS = ['paddle', 'name', 'contact', 'handed_out_at'];
const MAX_NUMBER = 999_999;

/**
 * Hands a paddle out in a published auction. Throws 404 where it is gone, 409 `paddle_taken` where somebody has the
 * number, 409 `invalid_transition` for an auction that is not published or over, and the journal's faults.
 */
export async function handOutPaddle(
  { knex, engine, journal }: PaddleParts,
  auctionId: number,
  { paddle, name, contact }: NewPaddle,
  byUserId: number,
): Promise<FloorPaddle> {
  return knex.transaction(async (trx) => {
    // One after the other: numbers are given once.
    await trx('auctions').where('id', auctionId).forUpdate().first('id');
    const auction = await readAuctionRow(trx, auctionId);
    if (auction === null) throw notFound('There is no such auction.');
    if (!isLive(auction.status)) {
      const message = `The auction is ${auction.status}: paddles are handed out once it is published.`;
      throw invalidTransition(message);
    }
    await ensureRecord({ knex: trx, journal }, auction);
    const number = paddle ?? (await freeNumber(trx, engine, auctionId));
    const key = floorKey(HOUSE_FLOOR, number);
    const holder = await engine.findPaddle(auctionId, number);
    if (holder !== null && holder !== key) throw new Refusal('paddle_taken');
    const rows: FloorPaddle[] = await trx('floor_paddles')
      .insert({ auction_id: auctionId, paddle: number, name, contact, handed_out_by: byUserId })
      .onConflict(['auction_id', 'paddle'])
      .ignore()
      .returning(COLUMNS);
    if (rows.length === 0) throw new Refusal('paddle_taken');
    const bidder = { key, userId: null, verified: true, suspended: false, teamIds: [], paddle: number };
    await engine.ensureBidders(auctionId, [bidder]);
    // Somebody who registered at this moment may have been given the number.
    if ((await engine.findPaddle(auctionId, number)) !== key) throw new Refusal('paddle_taken');
    return firstOf(rows);
  });
}

async function freeNumber(trx: Knex, engine: PaddleParts['engine'], auctionId: number): Promise<string> {
  const last = await trx('floor_paddles')
    .where('auction_id', auctionId)
    // SQL: numbers, not texts, are compared.
    .first<{ highest: number | null }>(trx.raw('max(paddle::bigint) AS highest'));
  for (let number = Number(last.highest ?? 0) + 1; number <= MAX_NUMBER; number += 1) {
    if ((await engine.findPaddle(auctionId, String(number))) === null) return String(number);
  }
  throw new Refusal('paddle_taken');
}

/** Who was handed out these paddles of an auction, by number. */
export async function holdersOf(
  knex: Knex,
  auctionId: number,
  paddles: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const rows = await knex('floor_paddles')
    .where('auction_id', auctionId)
    .whereIn('paddle', paddles)
    .select<Pick<FloorPaddle, 'paddle' | 'name'>[]>('paddle', 'name');
  return Object.fromEntries(rows.map(({ paddle, name }) => [paddle, name]));
}

/** A page of the paddles that were handed out in an auction, the newest first. */
export async function readPaddles(
  knex: Knex,
  auctionId: number,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ rows: FloorPaddle[]; total: number }> {
  const own = () => knex('floor_paddles').where('auction_id', auctionId);
  const counted: { total: string }[] = await own().count('* as total');
  const rows: FloorPaddle[] = await own()
    .orderBy('id', 'desc')
    .offset((page - 1) * perPage)
    .limit(perPage)
    .select(COLUMNS);
  return { rows, total: Number(firstOf(counted).total) };
}
