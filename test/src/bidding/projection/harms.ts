/** What can be done to a lot of a journal so that Postgres refuses one of its entries, or takes it in another form. */
import { createClient } from 'redis';
import { shardKeys, shardOf } from '../../../../adapters/redis/shards.ts';
import { type AuctionHouse, placeBid } from '../../../support/auction-house.ts';
import { randomOf } from '../../../support/bidding-play.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';

/** What is done to a lot so that one of its entries cannot be written. */
export type Harm = (house: AuctionHouse, lot: HarmedLot) => Promise<unknown>;

/** A lot that harm is done to. */
export interface HarmedLot {
  readonly id: number;
  readonly auctionId: number;
}

/** A straight bid. */
export const bidBy = (userId: number, cents: number) => placeBid(userId, cents, null);

/** Puts an entry into the log that no script of ours would. */
async function logByHand(house: AuctionHouse, auctionId: number, entry: string): Promise<void> {
  const client = await createClient({ url: house.redisUrl }).connect();
  await client.xAdd(shardKeys(shardOf(auctionId, null)).log, '*', { e: entry });
  client.destroy();
}

/** An entry that is refused, with what Postgres says of it; `mended`: it goes through once `mend` has been called. */
export interface Refused {
  readonly name: string;
  readonly said: RegExp;
  readonly mended: boolean;
  readonly harm: Harm;
}

export const REFUSED: readonly Refused[] = [
  {
    name: 'a text that Postgres does not hold',
    said: /invalid byte sequence/,
    mended: false,
    harm: async (house, { id }) =>
      house.submit(id, { ...bidBy((await aUser(house.db)).id, 90_000_000), channel: '\u0000' as 'online' }),
  },
  {
    name: 'events that cannot be read back',
    said: /control character/,
    mended: false,
    harm: async (house, { id, auctionId }) => {
      const { sequence, hash } = (await house.journal.load(auctionId, id))!;
      const header = ['l', id, auctionId, sequence + 1, sequence + 1, 'f'.repeat(64), hash, 1];
      await logByHand(house, auctionId, `${JSON.stringify(header)}\n{}\n["\u0000"]`);
    },
  },
  {
    name: 'a number out of range',
    said: /out of range/,
    mended: false,
    harm: (house, { id }) =>
      house.submit(id, {
        type: 'record_sale',
        bidId: `hammer-${Math.random()}`,
        salt: 'salt',
        auctionRuns: true,
        ...{ result: 'sold', hammerCents: 2 ** 70, winner: null, currency: null },
        floor: { platform: 'floor', sequence: 1 },
      }),
  },
  {
    name: 'a value too long for an index',
    said: /index row/,
    mended: false,
    harm: async (house, { id }) => {
      const random = randomOf(id);
      const bidId = Array.from({ length: 4_000 }, () => Math.floor(random() * 2 ** 32).toString(36)).join('');
      return house.submit(id, { ...bidBy((await aUser(house.db)).id, 91_000_000), bidId });
    },
  },
  {
    name: 'an id that is taken',
    said: /duplicate key/,
    mended: false,
    harm: async (house, { id }) => {
      const twin = await aLot(house.db);
      const bidId = `twin-${id}`;
      await house.db.knex('bids').insert({
        ...{ bid_id: bidId, lot_id: twin.id, auction_id: twin.auction_id, sequence: 1, listed: false },
        ...{ ceiling_cents: 1, amount_cents: 1, placed_at: new Date(), outcome: 'outbid', channel: 'online' },
        ...{ bidder_key: 'u:1', alias: 'A', paddle_number: '1', entry_hash: 'f'.repeat(64) },
      });
      return house.submit(id, { ...bidBy((await aUser(house.db)).id, 95_000_000), bidId });
    },
  },
  {
    name: 'a moment that is no date',
    said: /out of range/,
    mended: false,
    harm: async (house, { id, auctionId }) => {
      const { sequence, hash } = (await house.journal.load(auctionId, id))!;
      const header = ['l', id, auctionId, sequence + 1, sequence + 1, 'f'.repeat(64), hash, 9e18];
      await logByHand(house, auctionId, `${JSON.stringify(header)}\n{}\n[]`);
    },
  },
  {
    name: 'a constraint',
    said: /refuses_for_a_test/,
    mended: true,
    harm: async (house, { id }) => house.submit(id, bidBy((await aUser(house.db)).id, 92_000_013)),
  },
  {
    name: 'a trigger',
    said: /not this lot/,
    mended: true,
    harm: (house, { id }) => house.db.knex('refused_lots').insert({ id }),
  },
  {
    name: 'an entry that follows on no other',
    said: /does not follow/,
    mended: false,
    harm: async (house, { id, auctionId }) => {
      const header = ['l', id, auctionId, 500, 500, 'f'.repeat(64), 'e'.repeat(64), 1];
      await logByHand(house, auctionId, `${JSON.stringify(header)}\n{}\n[]`);
    },
  },
];

/** Kinds that are written all the same, in a form that Postgres takes. */
export const WRITTEN: readonly { name: string; harm: Harm }[] = [
  {
    name: 'a NUL in what others have named',
    harm: (house, { id }) => {
      const key = 'x:floor:a\u0000b';
      const bidder = { ...bidBy(1, 1).bidder, key, userId: null, paddle: '9\u00007' };
      return house.submit(id, { ...bidBy(1, 93_000_000), bidder, channel: 'floor' });
    },
  },
  {
    name: 'a consignor that is nobody',
    harm: (house, { id }) =>
      house.submit(id, { type: 'change_terms', salt: 's', consignorUserId: 999_999_999 }),
  },
  {
    name: 'a bidder that is nobody',
    harm: (house, { id }) => house.submit(id, bidBy(999_999_998, 94_000_000)),
  },
];

/** Auctions with lots that are open. */
export async function openLots(house: AuctionHouse, auctions: number, lots: number): Promise<HarmedLot[]> {
  const all: HarmedLot[] = [];
  for (let at = 0; at < auctions; at += 1) {
    const auction = await anAuction(house.db, { soft_close_window_seconds: 0 });
    for (let lot = 0; lot < lots; lot += 1) {
      const { id } = await aLot(house.db, { auction_id: auction.id, starting_bid_cents: 1_000 });
      all.push({ id, auctionId: auction.id });
    }
    await house.publish(auction.id);
  }
  return all;
}

export async function until(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** The lots whose last entry is not in Postgres yet. */
export async function behind(house: AuctionHouse, lots: readonly HarmedLot[]): Promise<number[]> {
  const rows = await house.db.knex('lots').select('id', 'sequence');
  const projected = new Map(rows.map((row) => [row.id, row.sequence]));
  const late: number[] = [];
  for (const { id, auctionId } of lots) {
    const state = await house.journal.load(auctionId, id);
    if (projected.get(id) < state!.sequence) late.push(id);
  }
  return late;
}
