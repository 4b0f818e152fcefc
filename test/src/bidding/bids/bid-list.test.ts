/**
 * Lists of bids: right from the very next request on, whatever the projection does; and the same list before and
 * after it.
 */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openLink } from '../../../../adapters/redis/link.ts';
import { LogTail } from '../../../../adapters/redis/log-tail.ts';
import { canonicalJson } from '../../../../engine/canonical.ts';
import { listBids } from '../../../../src/bidding/bids/bid-list.ts';
import type { BidView } from '../../../../src/bidding/bids/bid-views.ts';
import { readJournalPage } from '../../../../src/bidding/bids/journal-pages.ts';
import { listMyBids } from '../../../../src/bidding/bids/my-bids.ts';
import type { NewestParts } from '../../../../src/bidding/bids/newest.ts';
import { type Projection, startProjection } from '../../../../src/bidding/projection/projection.ts';
import { readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { closeAll, playAuction, voidBid } from '../../../support/bidding-play.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { ShardProjector } from '../../../support/shard-projector.ts';
import { slowness } from '../../../support/slowness.ts';

describe('lists of bids', () => {
  let server: FreshRedis;
  let house: AuctionHouse;
  let parts: NewestParts;

  before(async () => {
    server = await freshRedis();
    house = await openHouse(server.redisUrl);
    parts = { knex: house.db.knex, journal: house.journal, tail: new LogTail(house.redis) };
  });

  after(async () => {
    await house.close();
    await server.close();
  });

  async function project(auctionId: number, messages = Number.POSITIVE_INFINITY): Promise<void> {
    const projector = new ShardProjector(await readShard(house.db.knex, auctionId), {
      database: house.db,
      redis: house.redis,
      onLotClosed: [],
      segmentChars: 1,
    });
    for (let done = 0; done < messages; done += 1) if ((await projector.step()).messages === 0) return;
  }

  interface LotIds {
    readonly lotId: number;
    readonly auctionId: number;
  }

  async function everyPage(
    lotIds: LotIds,
    perPage: number,
    viewer: number | null = null,
  ): Promise<BidView[]> {
    const all: BidView[] = [];
    for (let page = 1; ; page += 1) {
      const { rows, total, stale } = await listBids(parts, lotIds, { page, perPage }, viewer);
      expect(stale).to.equal(false);
      all.push(...rows);
      if (page * perPage >= total) {
        expect(all).to.have.length(total);
        return all;
      }
      expect(rows).to.have.length(perPage);
    }
  }

  it('is the same before, during and after its projection', async () => {
    for (const seed of [1, 2, 4]) {
      const { auctionId, lotIds, userIds } = await playAuction(house, {
        rounds: 70,
        seed,
        lots: 3,
        close: seed === 4,
      });
      const seen: string[] = [];
      for (const messages of [0, 25, 30, Number.POSITIVE_INFINITY]) {
        await project(auctionId, messages);
        const lists = [];
        for (const lotId of lotIds) {
          lists.push(
            await everyPage({ lotId, auctionId }, 7, userIds[0]),
            await journalOf({ lotId, auctionId }, 5),
          );
        }
        for (const userId of userIds.slice(0, 2)) lists.push(await mine(userId));
        seen.push(JSON.stringify(lists, null, 1));
      }
      for (const [stage, text] of seen.entries()) {
        expect(text, `seed ${seed}, stage ${stage}`).to.equal(seen.at(-1));
      }
    }
  });

  async function journalOf(lotIds: LotIds, perPage: number): Promise<string[]> {
    const all: string[] = [];
    for (let page = 1; ; page += 1) {
      const { entries, total } = await readJournalPage(parts, lotIds, { page, perPage });
      all.push(...entries);
      if (page * perPage >= total) {
        expect(all).to.have.length(total);
        return all;
      }
    }
  }

  async function mine(userId: number) {
    const lists = [];
    for (const status of [null, 'leading', 'lost'] as const) {
      const all = [];
      for (let page = 1; ; page += 1) {
        const { rows, total } = await listMyBids(parts, userId, { status, page, perPage: 12 });
        all.push(...rows.map(({ bid, standing }) => [bid.bid_id, standing, bid.amount_cents, bid.voided]));
        if (page * 12 >= total) break;
      }
      lists.push([status, all]);
    }
    return lists;
  }

  it('has one leading row, the leader’s newest, and marks what was voided', async () => {
    const auction = await anAuction(house.db);
    const lot = await aLot(house.db, { auction_id: auction.id });
    const [ann, bob] = [await aUser(house.db), await aUser(house.db)];
    await house.publish(auction.id);
    const lotIds = { lotId: lot.id, auctionId: auction.id };
    const first = await house.bid(lot.id, ann.id, 10_000);
    const second = await house.bid(lot.id, bob.id, 20_000, 50_000);
    const raise = await house.bid(lot.id, bob.id, null, 80_000);
    const rows = await everyPage(lotIds, 10, bob.id);
    expect(rows.map((row) => [row.id, row.status, row.is_mine, row.max_amount])).to.deep.equal([
      [second.bidId, 'leading', true, '800.00'],
      [first.bidId, 'outbid', false, undefined],
    ]);
    await project(auction.id, 2);
    await voidBid(house, lotIds, second.bidId);
    const after = await everyPage(lotIds, 10, ann.id);
    // Without the bid that it raised, the raise is a bid of its own.
    expect(after.map((row) => [row.id, row.status, row.amount])).to.deep.equal([
      [raise.bidId, 'leading', '110.00'],
      [second.bidId, 'voided', '200.00'],
      [first.bidId, 'outbid', '100.00'],
    ]);
    await closeAll(house, auction.id, [lot.id]);
    expect((await everyPage(lotIds, 10)).filter((row) => row.status === 'won')).to.have.length(1);
  });

  it('shows a bid to the very next request on another process, projected or not', async () => {
    const redis = await openLink(server.redisUrl);
    const journal = house.journal;
    const other = { knex: house.db.knex, journal, tail: new LogTail(redis) };
    const auction = await anAuction(house.db);
    const lot = await aLot(house.db, { auction_id: auction.id, starting_bid_cents: 100 });
    const users = [await aUser(house.db), await aUser(house.db)];
    await house.publish(auction.id);
    const lotIds = { lotId: lot.id, auctionId: auction.id };
    let projection: Projection | null = null;
    for (let round = 1; round <= 80; round += 1) {
      if (round === 30)
        projection = await startProjection({ database: house.db, ...house, scripts: REDIS_SCRIPTS });
      const user = users[round % 2]!;
      const bid = await house.bid(lot.id, user.id, round * 250_000);
      const list = await listBids(other, lotIds, { page: 1, perPage: 2 }, null);
      expect(list.rows[0]).to.deep.include({ id: bid.bidId, status: 'leading', sequence: bid.sequence });
      expect(list.total).to.equal(round);
      const own = await listMyBids(other, user.id, { status: 'leading', page: 1, perPage: 1 });
      expect(own.rows[0]?.bid.bid_id).to.equal(bid.bidId);
    }
    await projection?.close();
    redis.link.destroy();
  });

  it('serves entries that anyone can check', async () => {
    const { auctionId, lotIds } = await playAuction(house, { rounds: 20, seed: 9 });
    await project(auctionId, 8);
    let previous = '0'.repeat(64);
    for (const text of await journalOf({ lotId: lotIds[0]!, auctionId }, 4)) {
      const { hash, ...entry } = JSON.parse(text) as { hash: string; previous_hash: string };
      expect(entry.previous_hash).to.equal(previous);
      expect(
        createHash('sha256')
          .update(previous + canonicalJson(entry))
          .digest('hex'),
      ).to.equal(hash);
      expect(text).to.equal(canonicalJson({ ...entry, hash }));
      expect(text).not.to.match(/u:\d|user/i);
      previous = hash;
    }
  });

  it('pages over 100,000 bids', async () => {
    const auction = await anAuction(house.db);
    const lot = await aLot(house.db, { auction_id: auction.id });
    const user = await aUser(house.db);
    await house.publish(auction.id);
    await house.bid(lot.id, user.id, 10_000);
    await project(auction.id);
    const lotIds = { lotId: lot.id, auctionId: auction.id };
    const state = (await house.journal.load(auction.id, lot.id))!;
    await house.db.knex.raw(
      `INSERT INTO bids (bid_id, lot_id, auction_id, sequence, user_id, ceiling_cents, amount_cents, placed_at, listed,
         outcome, channel, bidder_key, alias, paddle_number, entry_hash)
       SELECT 'many-' || n, :lot, :auction, n + 10, :user, n, n, now(), true, 'outbid', 'online', 'u:1', 'a', '1', 'h'
       FROM generate_series(1, 99999) n`,
      { lot: lot.id, auction: auction.id, user: user.id },
    );
    const { journal } = house;
    const many = {
      ...parts,
      journal: {
        load: async () => ({ ...state, bidCount: 100_000, sequence: 200_000 }),
        loadRecord: journal.loadRecord.bind(journal),
        loadNote: journal.loadNote.bind(journal),
      },
    };
    const times: number[] = [];
    for (const page of [1, 500, 1_000, 3_333, 4_999, 5_000]) {
      const started = performance.now();
      const { rows, total } = await listBids(many, lotIds, { page, perPage: 20 }, user.id);
      times.push(performance.now() - started);
      expect(total).to.equal(100_000);
      const expected = Array.from({ length: 20 }, (_, at) => 99_999 - (page - 1) * 20 - at).filter(
        (n) => n > 0,
      );
      expect(rows.slice(0, expected.length).map((row) => row.id)).to.deep.equal(
        expected.map((n) => `many-${n}`),
      );
    }
    const [, , typicalMs] = times.slice(1).sort((a, b) => a - b);
    expect(typicalMs, times.join(' ')).to.be.below(1_000 * slowness());
  });

  it('continues from Postgres alone, and says so, when Redis is unavailable', async () => {
    const played = await playAuction(house, { rounds: 10, seed: 5 });
    const { auctionId } = played;
    await project(auctionId);
    const lotIds = { lotId: played.lotIds[0]!, auctionId };
    const before = await listBids(parts, lotIds, { page: 1, perPage: 5 }, null);
    await server.kill();
    const unavailable = await listBids(parts, lotIds, { page: 1, perPage: 5 }, null);
    expect(unavailable).to.deep.equal({ ...before, stale: true });
    expect((await readJournalPage(parts, lotIds, { page: 1, perPage: 5 })).stale).to.equal(true);
    expect((await listMyBids(parts, 1, { status: null, page: 1, perPage: 5 })).stale).to.equal(true);
    await server.restart();
  });
});
