import { expect } from 'chai';
import { createClient } from 'redis';
import { whileHolding } from '../../../../adapters/postgres/held-lock.ts';
import { closeFence, openFence, readFence } from '../../../../src/bidding/journal/fence-rows.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('a journal that is rebuilt', () => {
  let service: Service;

  before(async () => {
    service = await startService();
    const auction = await anAuction(service.database);
    await aLot(service.database, { auction_id: auction.id });
    await service.publish();
  });
  after(() => service.close());

  const rebuild = () => rebuildJournal({ ...service.backends, onLotClosed: [] });

  async function loseRedis(): Promise<void> {
    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    await redis.flushAll();
    await redis.close();
    await service.backends.epoch.check();
  }

  it('is opened by nobody until it has its name', async () => {
    const { knex } = service.backends;
    await closeFence(knex, (await readFence(knex)).number);
    const { number } = await readFence(knex);
    await whileHolding(service.databaseUrl, 'rebuild', async () => {
      expect(await openFence(knex, number, ['a run'])).to.equal(false);
    });
    expect(await openFence(knex, number, ['a run'])).to.equal(true);
    expect(await openFence(knex, number, ['another run']), 'it is open').to.equal(false);
  });

  it('is rebuilt once, however many want it at once', async () => {
    await loseRedis();
    const ends = await Promise.allSettled([rebuild(), rebuild()]);
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    expect(refused).to.have.length(1);
    expect(refused[0]).to.contain('has just been rebuilt by another process');
    expect(service.backends.epoch.trouble).to.equal(null);
  });
});
