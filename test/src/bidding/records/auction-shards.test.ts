/** The shard of an auction: assigned at its creation, never changed, and known to everything that reads its journal. */
import { expect } from 'chai';
import { shardKeys } from '../../../../adapters/redis/shards.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import {
  changeShardCount,
  readShard,
  readShardCount,
} from '../../../../src/bidding/records/auction-shards.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('the shard of an auction', () => {
  let service: Service;
  let projection: Projection;

  before(async () => {
    service = await startService();
    projection = await projectionOf(service.backends);
  });

  after(async () => {
    await projection.close();
    await service.close();
  });

  it('stays when there are more, and follows from the id for auctions of older releases', async () => {
    const { knex } = service.database;
    const { redis } = service.backends;
    expect(await readShardCount(knex)).to.equal(1);
    const auctions: { id: number; lotId: number; shard: number }[] = [];
    for (const shards of [null, 1, 4, 64, 7]) {
      if (shards === null) await knex('journal_meta').update({ shards });
      else await changeShardCount(knex, shards);
      // An id behind 64, so that the rules differ.
      const id = 1_000 + auctions.length * 71;
      const auction = await anAuction(service.database, { id });
      const lot = await aLot(service.database, { auction_id: id });
      expect(auction.shard).to.equal(shards === null ? null : id % shards);
      auctions.push({ id, lotId: lot.id, shard: id % (shards ?? 64) });
    }
    await service.publish();
    const user = await aUser(service.database);
    const token = await service.tokenFor(user);
    for (const { id, lotId, shard } of auctions) {
      expect(await readShard(knex, id)).to.equal(shard);
      const placed = await service.call('POST', `/api/v1/lots/${lotId}/bids`, {
        token,
        body: { amount: '500.00' },
      });
      expect(placed.status).to.equal(201);
      expect(await redis.link.hGet(shardKeys(shard).ver, String(lotId))).to.equal('3');
      const listed = await service.get(`/api/v1/lots/${lotId}/bids`);
      expect(listed.body.data.map((row: { amount: string }) => row.amount)).to.deep.equal(['500.00']);
    }
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true, lots: auctions.length });
    for (let tries = 0; (await projection.lag()).entries > 0; tries += 1) {
      expect(tries).to.be.below(200);
      await new Promise((done) => setTimeout(done, 20));
    }
    expect((await knex('bids').select('lot_id')).map((row) => row.lot_id)).to.have.members(
      auctions.map(({ lotId }) => lotId),
    );
    await knex('lot_states').update({ finished_at: knex.raw("now() - interval '2 days'") });
    expect(await archiveClosedLots({ knex, redis })).to.equal(auctions.length);
    for (const { shard, lotId } of auctions)
      expect(await redis.link.hGet(shardKeys(shard).lot, String(lotId))).to.equal(null);
  });

  it('is one of 1 to 64', async () => {
    for (const wrong of [0, 65, 1.5, Number.NaN]) {
      const said = await changeShardCount(service.database.knex, wrong).then(
        String,
        (error: Error) => error.message,
      );
      expect(said).to.equal('shards: must be a whole number from 1 to 64');
    }
  });
});
