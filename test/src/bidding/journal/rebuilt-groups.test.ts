/** Lots that close together, after Redis lost its disk: what one of them had done to the end of all is known again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { shardKeys } from '../../../../adapters/redis/shards.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import { readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('a group of lots after the loss of Redis', () => {
  let service: Service;

  beforeEach(async () => {
    service = await startService();
  });

  afterEach(() => service.close());

  const aGroup = async (endsInMs: number) => {
    const end_time = new Date(Date.now() + endsInMs).toISOString();
    const { id: auctionId } = await anAuction(service.database, { end_time });
    const lots = [];
    for (const close_group of ['Estate', 'Estate'])
      lots.push(await aLot(service.database, { auction_id: auctionId, close_group }));
    await service.publish();
    const [first, second] = lots.map(({ id }) => id) as [number, number];
    return { auctionId, first, second, endMs: Date.parse(end_time) };
  };
  const advance = (lotId: number) => service.backends.engine.submit(lotId, { type: 'advance' });
  const stateOf = async (auctionId: number, lotId: number) =>
    (await service.backends.journal.load(auctionId, lotId))!;
  const loseAndRebuild = async (auctionId: number) => {
    await projectAuction(service.database, service.backends.redis, auctionId);
    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    await redis.flushAll();
    await redis.close();
    await service.backends.epoch.check();
    await rebuildJournal({ ...service.backends, onLotClosed: [] });
  };

  it('has the end that a bid had moved, also on the lot that had not taken it over', async () => {
    const { auctionId, first, second } = await aGroup(60_000);
    const token = await service.tokenFor(await aUser(service.database));
    const body = { amount: '100.00' };
    const bid = await service.call('POST', `/api/v1/lots/${first}/bids`, { token, body });
    expect(bid.body.data.lot.extended, bid.text).to.equal(true);
    await loseAndRebuild(auctionId);
    for (const lotId of [second, first]) await advance(lotId);
    const [one, other] = await Promise.all([stateOf(auctionId, first), stateOf(auctionId, second)]);
    expect(one.endsAtUs).to.be.at.least(Date.parse(bid.body.data.lot.end_time) * 1_000);
    expect(other.endsAtUs).to.equal(one.endsAtUs);
    expect(other.extensionCount).to.equal(1);
  });

  it('stays closed: the loss keeps none open once one has closed; its note leaves with its lots', async () => {
    const { auctionId, first, second, endMs } = await aGroup(2_500);
    await sleep(endMs - Date.now() + 100);
    await advance(first);
    expect((await stateOf(auctionId, first)).status).to.equal('unsold');
    expect((await stateOf(auctionId, second)).status).to.equal('active');
    await loseAndRebuild(auctionId);
    await advance(second);
    const state = await stateOf(auctionId, second);
    expect(state.status).to.equal('unsold');
    expect(state.endsAtUs).to.equal(endMs * 1_000);
    const { note } = shardKeys(await readShard(service.database.knex, auctionId));
    const notes = () => service.backends.redis.link.hGet(note, `${auctionId}|Estate`);
    expect(await notes()).to.be.a('string');
    await projectAuction(service.database, service.backends.redis, auctionId);
    await archiveClosedLots(service.backends, 0);
    expect(await notes()).to.equal(null);
  });
});
