/** Ids of simulcast events stay taken over a journal that was rebuilt on an empty Redis. */
import { expect } from 'chai';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { startProjection } from '../../../../src/bidding/projection/projection.ts';
import { changeShardCount, readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { addPlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('simulcast events of a journal that was rebuilt', function () {
  this.timeout(60_000);
  let service: Service;
  let secret: string;

  before(async () => {
    service = await startService();
    secret = (await addPlatform(service.backends.knex, service.config.appSecrets, 'hall')).secret;
  });
  after(() => service.close());

  async function liveLot() {
    const auction = await anAuction(service.database, { type: 'simulcast', simulcast_platforms: ['hall'] });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    return lot;
  }

  async function send(kind: 'bid' | 'sold', event: object) {
    const timestamp = Math.floor(Date.now() / 1_000);
    const signature = signSimulcast(secret, timestamp, JSON.stringify(event));
    const headers = { 'x-timestamp': String(timestamp), 'x-signature': signature };
    const { body } = await service.call('POST', `/webhooks/${kind}/hall`, { body: event, headers });
    return body.data;
  }

  it('stay duplicates, for lots of other shards too', async () => {
    const { knex, redis, epoch } = service.backends;
    await epoch.check();
    await changeShardCount(knex, 2);
    const [lot, other] = [await liveLot(), await liveLot()];
    const shards = await Promise.all([lot, other].map((one) => readShard(knex, one.auction_id)));
    expect(new Set(shards).size).to.equal(2);
    const of = (sequence: number, more: object) => ({
      event_id: `e-${sequence}`,
      sequence,
      lot_id: lot.id,
      bidder: { paddle: '88', external_id: 'b-9' },
      ...more,
    });
    const events = [
      ['bid', of(1, { amount: '150.00' })],
      ['bid', of(2, { amount: '1.00' })],
      ['sold', of(3, { result: 'sold', hammer_price: '700.00' })],
    ] as const;
    const first = [];
    for (const [kind, body] of events) first.push(await send(kind, body));
    expect(first.map(({ status }) => status)).to.deep.equal(['applied', 'rejected', 'applied']);
    const projection = await startProjection({ ...service.backends, scripts: REDIS_SCRIPTS });
    await eventually(async () => (await projection.lag()).entries === 0);
    await projection.close();
    await redis.link.send('', ['FLUSHALL']);
    await epoch.check();
    await rebuildJournal(service.backends);
    for (const [at, [kind, body]] of events.entries()) {
      // The other lot first: a process that finds the event among its own lot's answers claims its id again.
      const elsewhere = await send(kind, { ...body, lot_id: other.id });
      expect(elsewhere).to.deep.equal({ event_id: body.event_id, status: 'duplicate' });
      const { status, sequence } = await send(kind, body);
      expect([status, sequence]).to.deep.equal(['duplicate', first[at].sequence]);
    }
  });
});
