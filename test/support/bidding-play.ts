/**
 * Plays an auction for tests that need a journal with a bit of everything in it: bids that lead and are outbid,
 * raises, voids, changed terms, a pause, lots that are sold, passed, unsold and withdrawn. The same seed plays the
 * same auction.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../../engine/actor/journal.ts';
import { readHistory } from '../../src/bidding/journal/archived-history.ts';
import { type AuctionHouse, placeBid } from './auction-house.ts';
import { aLot, anAuction, aUser } from './builders.ts';

export interface Play {
  readonly auctionId: number;
  readonly lotIds: readonly number[];
  readonly userIds: readonly number[];
  /** Bids that were taken, raises too, in the order of their answers. */
  readonly bidIds: readonly string[];
}

export interface PlayOptions {
  readonly lots?: number;
  readonly rounds?: number;
  readonly seed?: number;
  /** Bids that go out together, and so into one commit. */
  readonly atOnce?: number;
  /** Ends every lot when the rounds are over. */
  readonly close?: boolean;
  /** Called as soon as the auction is in the journal. */
  readonly onPublished?: (auctionId: number) => void;
}

export async function playAuction(house: AuctionHouse, options: PlayOptions = {}): Promise<Play> {
  const { lots = 3, rounds = 40, seed = 1, atOnce = 1, close = false } = options;
  const random = randomOf(seed);
  const auction = await anAuction(house.db, { soft_close_window_seconds: 0, buyer_premium_bps: 1_250 });
  const lotIds: number[] = [];
  for (let at = 0; at < lots; at += 1) {
    const reserve = at % 3 === 1 ? { reserve_price_cents: 99_000_000 } : {};
    lotIds.push((await aLot(house.db, { auction_id: auction.id, starting_bid_cents: 1_000, ...reserve })).id);
  }
  const users = await Promise.all(Array.from({ length: 5 }, () => aUser(house.db)));
  const userIds = users.map((user) => user.id);
  await house.publish(auction.id);
  options.onPublished?.(auction.id);
  const bidIds: string[] = [];
  // The last lot gets no bids: it ends unsold.
  const withBids = lotIds.slice(0, Math.max(1, lots - 1));
  for (let round = 0; round < rounds; round += 1) {
    const results = await Promise.all(
      Array.from({ length: atOnce }, () => {
        const lotId = pick(random, withBids);
        const cents = 1_000 * (round + 1) + Math.floor(random() * 20) * 500;
        const ceiling = random() < 0.5 ? cents + Math.floor(random() * 10) * 1_000 : null;
        const proxyOnly = ceiling !== null && random() < 0.5;
        return house.submit(lotId, placeBid(pick(random, userIds), proxyOnly ? null : cents, ceiling));
      }),
    );
    for (const result of results) {
      if (result.kind === 'answer' && result.answer.kind === 'bid') bidIds.push(result.answer.bidId);
    }
    if (round % 11 === 10) await voidSome(house, auction.id, pick(random, withBids), random);
  }
  if (close) await closeAll(house, auction.id, lotIds);
  return { auctionId: auction.id, lotIds, userIds, bidIds };
}

/** Takes one of a lot's bids out; without effect where it is out already. */
export async function voidSome(
  house: AuctionHouse,
  auctionId: number,
  lotId: number,
  random: () => number,
): Promise<void> {
  const history = await readHistory({ knex: house.db.knex, redis: house.redis }, { auctionId, lotId });
  const bids = history.events.flatMap((event) => (event.type === 'bid_placed' ? [event.bidId] : []));
  if (bids.length > 0) await voidBid(house, { auctionId, lotId }, pick(random, bids));
}

/** Takes a bid out of a lot. */
export async function voidBid(
  house: AuctionHouse,
  lotIds: { readonly auctionId: number; readonly lotId: number },
  bidId: string,
): Promise<void> {
  const history = await readHistory({ knex: house.db.knex, redis: house.redis }, lotIds);
  await house.submit(lotIds.lotId, { type: 'void_bid', bidId, reason: 'a test', history });
}

/** Moves the auction's end to now and closes what is due. */
export async function closeAll(
  house: Pick<AuctionHouse, 'submit'> & { readonly journal: Journal },
  auctionId: number,
  lotIds: readonly number[],
): Promise<void> {
  const record = (await house.journal.loadRecord(auctionId))!;
  const endsAtUs = Math.floor(house.journal.nowUs()) + 50_000;
  if (!(await house.journal.saveRecord({ ...record, endsAtUs, version: record.version + 1 }))) {
    throw new Error('the record has changed meanwhile');
  }
  await sleep(80);
  for (const lotId of lotIds) {
    for (;;) {
      const result = await house.submit(lotId, { type: 'advance' });
      if (result.kind !== 'answer' || result.answer.kind !== 'done' || result.answer.status !== 'active')
        break;
      await sleep(20);
    }
  }
}

export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
