/** What the projection makes of a journal: rows, columns, moves of the auction and facts, each once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { shardOf } from '../../../../adapters/redis/shards.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { ShardProjector } from '../../../support/shard-projector.ts';

describe('the projection', () => {
  let server: FreshRedis;
  let house: AuctionHouse;

  before(async () => {
    server = await freshRedis();
    house = await openHouse(server.redisUrl);
  });

  after(async () => {
    await house.close();
    await server.close();
  });

  async function project(auctionId: number): Promise<void> {
    const parts = { database: house.db, redis: house.redis, onLotClosed: [] };
    const projector = new ShardProjector(shardOf(auctionId, null), parts);
    while ((await projector.step()).messages > 0);
  }

  it('writes entries, bids, the lot and facts', async () => {
    const auction = await anAuction(house.db);
    const lot = await aLot(house.db, { auction_id: auction.id, reserve_price_cents: 20_000 });
    const [ann, bob] = [await aUser(house.db), await aUser(house.db)];
    await house.publish(auction.id);
    const first = await house.bid(lot.id, ann.id, 10_000);
    const second = await house.bid(lot.id, bob.id, null, 15_000);
    await project(auction.id);
    const row = await house.db.knex('lots').where('id', lot.id).first();
    expect(row).to.include({
      status: 'active',
      journal_opened: true,
      current_bid_cents: 11_000,
      bid_count: 2,
      minimum_next_bid_cents: 12_000,
      reserve_met: false,
      leader_user_id: bob.id,
      leader_key: `u:${bob.id}`,
      sequence: second.sequence,
      head_hash: second.hash,
    });
    const bids = await house.db.knex('bids').where('lot_id', lot.id).orderBy('sequence');
    expect(bids.map((bid) => [bid.user_id, bid.amount_cents, bid.outcome, bid.listed])).to.deep.equal([
      [ann.id, 10_000, 'leading_reserve_not_met', true],
      [bob.id, 11_000, 'leading_reserve_not_met', true],
    ]);
    const [fact, ...others] = await house.db.knex('events').where('lot_id', lot.id).orderBy('id');
    expect(others).to.deep.equal([]);
    expect([fact.type, fact.team_id, fact.data]).to.deep.equal([
      'lot.bid_placed',
      auction.team_id,
      {
        lot_number: lot.lot_number,
        first: second.sequence - 1,
        last: second.sequence,
        leaders: [ann.id, bob.id],
      },
    ]);
    expect(JSON.parse(fact.bids)).to.deep.equal([
      [first.bidId, second.sequence - 1, 10_000, 10_000, 'online'],
      [second.bidId, second.sequence, 11_000, 11_000, 'online'],
    ]);
    const registered = await house.db.knex('registrations').where('auction_id', auction.id).orderBy('id');
    expect(registered.map((one) => [one.user_id, one.status, one.paddle_number])).to.deep.equal([
      [ann.id, 'approved', '1001'],
      [bob.id, 'approved', '1002'],
    ]);
  });

  it('ends the auction with its last lot, and reports both once', async () => {
    const soon = new Date(Date.now() + 1_500).toISOString();
    const auction = await anAuction(house.db, {
      end_time: soon,
      buyer_premium_bps: 1_000,
      soft_close_window_seconds: 0,
    });
    const [sold, empty] = [
      await aLot(house.db, { auction_id: auction.id }),
      await aLot(house.db, { auction_id: auction.id }),
    ];
    const ann = await aUser(house.db);
    await house.publish(auction.id);
    await house.bid(sold.id, ann.id, 10_005);
    await sleep(Math.max(0, Date.parse(soon) + 50 - Date.now()));
    await house.submit(sold.id, { type: 'advance' });
    await project(auction.id);
    expect(await statusOf(auction.id)).to.equal('active');
    await house.submit(empty.id, { type: 'advance' });
    await project(auction.id);
    await project(auction.id);
    expect(await statusOf(auction.id)).to.equal('ended');
    const rows = await house.db.knex('lots').where('auction_id', auction.id).orderBy('id');
    expect(rows.map((row) => [row.status, row.hammer_price_cents, row.winner_user_id])).to.deep.equal([
      ['sold', 10_005, ann.id],
      ['unsold', null, null],
    ]);
    const events = await house.db.knex('events').where('auction_id', auction.id).orderBy('id');
    expect(events.map((event) => event.type)).to.deep.equal([
      'lot.bid_placed',
      'lot.sold',
      'lot.passed',
      'auction.ended',
    ]);
    expect(events[1].data).to.deep.include({ hammer_price: '100.05', premium: '10.01', total: '110.06' });
    expect(events[2].data).to.deep.include({ status: 'unsold' });
  });

  it('has nothing compressed by the method that costs more than the bid', async () => {
    const { rows } = await house.db.knex.raw(
      `SELECT attname FROM pg_attribute WHERE attstorage <> 'e' AND attcompression <> 'l'
         AND (attrelid, attname) IN (('journal_entries'::regclass, 'public_text'),
           ('journal_entries'::regclass, 'private_text'), ('events'::regclass, 'bids'),
           ('idempotency_records'::regclass, 'records'))`,
    );
    expect(rows).to.deep.equal([]);
  });

  async function statusOf(auctionId: number): Promise<string> {
    return (await house.db.knex('auctions').where('id', auctionId).first('status')).status;
  }
});
