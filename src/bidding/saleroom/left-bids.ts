/**
 * Bids that were left with the house before the sale: absentee bids, a paddle's maximum for a lot, and telephone
 * bids, a number to phone when the lot comes. The seller's desk enters them; the clerk's console plays them. Maxima are
 * read by the selling team alone.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { type Decimals, decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { NO_AMOUNT_OF } from '../../shared/money-text.ts';
import { invalid, invalidTransition, notFound, Refusal } from '../../shared/refusal.ts';
import { isLive } from '../../shared/statuses/auction-statuses.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';

export interface LeftBidParts {
  readonly knex: Knex;
  readonly engine: Pick<Engine, 'findPaddle'>;
}

export interface NewLeftBid {
  readonly lot_id: number;
  readonly paddle: string;
  readonly channel: 'absentee' | 'phone';
  readonly max_amount?: string | number | null;
  readonly phone?: string | null;
  readonly language?: string | null;
  readonly clerk?: string | null;
}

/** As the API and the desk show it. */
export interface LeftBid {
  readonly id: number;
  readonly lot_id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly paddle: string;
  readonly channel: 'absentee' | 'phone';
  readonly max_amount: string | null;
  readonly phone: string | null;
  readonly language: string | null;
  readonly clerk: string | null;
  readonly left_at: string;
}

interface LeftBidRow extends Omit<LeftBid, 'max_amount'> {
  readonly max_cents: number | null;
}

const MAX_OF_AUCTION = 10_000;

interface Auction {
  readonly status: string;
  readonly type: string;
  readonly currency: string;
}

/**
 * Enters bids in the order given, all or none. Throws 422 under `bids.<index>`, 409 for an auction without a saleroom,
 * one that is not published or over, and the journal's faults.
 */
export async function leaveBids(
  { knex, engine }: LeftBidParts,
  auctionId: number,
  bids: readonly NewLeftBid[],
  byUserId: number,
): Promise<LeftBid[]> {
  return knex.transaction(async (trx) => {
    // One list after the other: of equal maxima the one that was left first is played.
    const auction = await trx('auctions')
      .where('id', auctionId)
      .forUpdate()
      .first<Auction>('status', 'type', 'currency');
    requireSaleroom(auction);
    const decimals = decimalsOf(auction.currency);
    await checkBids({ knex: trx, engine }, auctionId, bids, decimals);
    const ids: number[] = [];
    for (const bid of bids) ids.push(await insertBid(trx, auctionId, bid, decimals, byUserId));
    refuse(
      ids.map((id) => (id === 0 ? ['paddle', 'This paddle has already left a bid for the lot.'] : null)),
    );
    const rows = await rowsOf(trx, auctionId).whereIn('b.id', ids).orderBy('b.id');
    return rows.map((row) => shown(row, decimals));
  });
}

function requireSaleroom({ status, type }: Auction): void {
  if (type !== 'simulcast') throw new Refusal('not_simulcast');
  if (isLive(status)) return;
  const message = `The auction is ${status}: bids are left once it is published, and until it is over.`;
  throw invalidTransition(message);
}

type Wrong = readonly [field: string, sentence: string] | null;

/** Throws 422 for what is wrong, under the place of each bid in the list. */
function refuse(wrong: readonly Wrong[]): void {
  const errors: Record<string, string[]> = {};
  for (const [index, one] of wrong.entries()) if (one !== null) errors[`bids.${index}.${one[0]}`] = [one[1]];
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

async function checkBids(
  { knex, engine }: LeftBidParts,
  auctionId: number,
  bids: readonly NewLeftBid[],
  decimals: Decimals,
): Promise<void> {
  const [count] = await knex('left_bids')
    .where('auction_id', auctionId)
    .count<{ count: string }[]>('* as count');
  if (Number(count?.count) + bids.length > MAX_OF_AUCTION)
    throw invalid({ bids: [`An auction has at most ${MAX_OF_AUCTION} bids that were left.`] });
  const lots: { id: number; status: string }[] = await knex('lots')
    .where('auction_id', auctionId)
    .whereIn('id', [...new Set(bids.map((bid) => bid.lot_id))])
    .select('id', 'status');
  const open = new Set(lots.flatMap(({ id, status }) => (isOpenLot(status) ? [id] : [])));
  const paddles = [...new Set(bids.map(({ paddle }) => paddle))];
  const known = await Promise.all(paddles.map((one) => wrongPaddle({ knex, engine }, auctionId, one)));
  const sentences = new Map(paddles.map((one, index) => [one, itemAt(known, index)]));
  refuse(bids.map((bid) => wrongIn(bid, { open, decimals, paddle: sentences.get(bid.paddle) ?? null })));
}

interface Known {
  readonly open: ReadonlySet<number>;
  readonly decimals: Decimals;
  readonly paddle: string | null;
}

function wrongIn(bid: NewLeftBid, { open, decimals, paddle }: Known): Wrong {
  if (paddle !== null) return ['paddle', paddle];
  if (!open.has(bid.lot_id)) return ['lot_id', 'There is no such lot that is still open.'];
  if (bid.channel === 'phone') {
    if (bid.max_amount != null) return ['max_amount', 'A telephone bid has no maximum.'];
    return bid.phone == null ? ['phone', 'A telephone bid must have a number to phone.'] : null;
  }
  if (bid.max_amount == null) return ['max_amount', 'An absentee bid must have a maximum.'];
  const cents = parseCents(bid.max_amount, decimals);
  if (cents === null) return ['max_amount', `The maximum ${NO_AMOUNT_OF[decimals]}.`];
  if (cents === 0) return ['max_amount', 'The maximum must be above 0.'];
  return bid.phone == null ? null : ['phone', 'An absentee bid has no number to phone.'];
}

/** What is wrong with a paddle that is to be called; null: nothing. */
async function wrongPaddle(
  { knex, engine }: LeftBidParts,
  auctionId: number,
  paddle: string,
): Promise<string | null> {
  const key = await engine.findPaddle(auctionId, paddle);
  if (key === null) return 'Nobody has this paddle: hand it out first, with a name.';
  if (!key.startsWith('u:')) return null;
  const registered = await knex('registrations')
    .where({ auction_id: auctionId, user_id: Number(key.slice(2)), floor_paddle: true })
    .first('id');
  if (registered !== undefined) return null;
  return 'The bidder with this paddle has not agreed to bids from the saleroom.';
}

/** Returns its id; 0: this paddle has left one already. */
async function insertBid(
  trx: Knex,
  auctionId: number,
  bid: NewLeftBid,
  decimals: Decimals,
  byUserId: number,
): Promise<number> {
  const { lot_id, paddle, channel, max_amount, phone = null, language = null, clerk = null } = bid;
  const max_cents = max_amount == null ? null : parseCents(max_amount, decimals);
  const rows: { id: number }[] = await trx('left_bids')
    .insert({
      ...{ auction_id: auctionId, lot_id, paddle, channel, max_cents, phone, language, clerk },
      left_by: byUserId,
    })
    .onConflict(['lot_id', 'paddle'])
    .ignore()
    .returning('id');
  return rows[0]?.id ?? 0;
}

function rowsOf(knex: Knex, auctionId: number) {
  return knex('left_bids as b')
    .join('lots as l', 'l.id', 'b.lot_id')
    .where('b.auction_id', auctionId)
    .select<LeftBidRow[]>('b.id', 'b.lot_id', 'l.lot_number', 'l.catalog_number', 'b.paddle', 'b.channel')
    .select('b.max_cents', 'b.phone', 'b.language', 'b.clerk', 'b.left_at');
}

function shown({ max_cents: cents, ...row }: LeftBidRow, decimals: Decimals): LeftBid {
  return { ...row, max_amount: cents === null ? null : formatCents(cents, decimals) };
}

/** Some of the bids that were left in an auction, by lot and then as they were left. */
export async function readLeftBids(
  knex: Knex,
  auctionId: number,
  {
    page,
    perPage,
    lotId,
  }: { readonly page: number; readonly perPage: number; readonly lotId: number | null },
): Promise<{ rows: LeftBid[]; total: number }> {
  const { currency } = await knex('auctions').where('id', auctionId).first<{ currency: string }>('currency');
  const rows = rowsOf(knex, auctionId)
    .orderBy('l.lot_number')
    .orderBy('b.id')
    .offset((page - 1) * perPage)
    .limit(perPage);
  const counted = knex('left_bids').where('auction_id', auctionId).count<{ total: string }[]>('* as total');
  if (lotId !== null) {
    rows.where('b.lot_id', lotId);
    counted.where('lot_id', lotId);
  }
  const [found, [count]] = await Promise.all([rows, counted]);
  return { rows: found.map((row) => shown(row, decimalsOf(currency))), total: Number(count?.total) };
}

/** Those for these lots, as they were left. */
export async function readBook(
  knex: Knex,
  auctionId: number,
  lotIds: readonly number[],
): Promise<readonly (LeftBidRow & { readonly lot_id: number })[]> {
  return rowsOf(knex, auctionId)
    .whereIn('b.lot_id', [...lotIds])
    .orderBy('b.id');
}

/** Throws 404 for one that the auction does not have. */
export async function removeLeftBid(knex: Knex, auctionId: number, id: number): Promise<void> {
  const count = await knex('left_bids').where({ auction_id: auctionId, id }).delete();
  if (count === 0) throw notFound('There is no such bid.');
}
