/** Ids of simulcast events stay taken over a journal that was rebuilt on an empty Redis, and beyond lots that have left it. */
import { expect } from 'chai';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import { startProjection } from '../../../../src/bidding/projection/projection.ts';
import { changeShardCount, readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { addPlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('ids of simulcast events', () => {
  let service: Service;
  let secret: string;

  before(async () => {
    service = await startService();
    secret = (await addPlatform(service.backends.knex, service.config.appSecrets, 'hall')).secret;
  });
  after(() => service.close());

  async function liveLot(auctionId: number | null = null) {
    const terms = { type: 'simulcast' as const, simulcast_platforms: ['hall'] };
    const auction_id = auctionId ?? (await anAuction(service.database, terms)).id;
    const lot = await aLot(service.database, { auction_id });
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

  async function project() {
    const projection = await startProjection({ ...service.backends, scripts: REDIS_SCRIPTS });
    await eventually(async () => (await projection.lag()).entries === 0);
    await projection.close();
  }

  const bid = (id: string, sequence: number, lotId: number, amount = `${sequence}00.00`) => ({
    event_id: id,
    sequence,
    lot_id: lotId,
    amount,
    bidder: { external_id: 'b-9' },
  });

  it('count once for lots that have had events, of one shard and of several, in one body and in many', async () => {
    await changeShardCount(service.backends.knex, 3);
    const one = await liveLot();
    const lots = [one, await liveLot(one.auction_id), await liveLot(), await liveLot()];
    const shards = await Promise.all(lots.map((lot) => readShard(service.backends.knex, lot.auction_id)));
    expect(new Set(shards).size).to.equal(3);
    const statuses = (answers: { status: string }[]) => answers.map(({ status }) => status).sort();
    const opening = lots.map((lot) => bid(`first-${lot.id}`, 1, lot.id));
    expect(statuses(await send('bid', opening))).to.deep.equal(lots.map(() => 'applied'));
    for (let sequence = 2; sequence < 12; sequence += 1) {
      const same = lots.map((lot) => bid(`same-${sequence}`, sequence, lot.id));
      const bodies = sequence % 2 === 0 ? [same] : same.map((single) => [single]);
      const answers = await Promise.all(bodies.map((body) => send('bid', body)));
      expect(statuses(answers.flat())).to.deep.equal(['applied', 'duplicate', 'duplicate', 'duplicate']);
    }
    expect((await send('bid', bid('low', 20, one.id, '1.00'))).status).to.equal('rejected');
    for (const lot of lots.slice(1)) {
      const answer = await send('bid', bid('low', 20, lot.id));
      expect(answer).to.deep.equal({ event_id: 'low', status: 'duplicate' });
    }
  });

  it('are used up by a lot that has left the journal under its actor', async () => {
    const { knex, redis } = service.backends;
    const [left, other] = [await liveLot(), await liveLot()];
    const sold = { event_id: 'l-1', sequence: 2, lot_id: left.id, result: 'unsold' };
    expect((await send('sold', sold)).status).to.equal('applied');
    await project();
    expect(await archiveClosedLots({ knex, redis }, 0)).to.equal(1);
    expect(await send('bid', bid('l-2', 3, left.id))).to.include({ status: 'rejected', code: 'lot_closed' });
    expect((await send('bid', bid('l-2', 3, other.id))).status).to.equal('duplicate');
    expect((await send('bid', bid('l-3', 3, other.id))).status).to.equal('applied');
  });

  it('change nothing in what a lot that has left answers to its sale told again, or told otherwise', async () => {
    const { knex, redis } = service.backends;
    const lot = await liveLot();
    const told = (id: string, sequence: number, more: object = {}) =>
      send('sold', { event_id: id, sequence, lot_id: lot.id, result: 'unsold', ...more });
    const sale = { result: 'sold', hammer_price: '700.00', bidder: { external_id: 'b-9' } };
    const again = async (round: string) => [
      await told(`${round}-same`, 8),
      await told(`${round}-otherwise`, 9, { result: 'passed' }),
      await told(`${round}-sold`, 10, { ...sale, hammer_price: '800.00' }),
    ];
    expect((await told('s-1', 2, sale)).status).to.equal('applied');
    const inJournal = (await again('in')).map(({ status, code }) => code ?? status);
    await project();
    await knex('auctions').where('id', lot.auction_id).update({ status: 'ended' });
    expect(await archiveClosedLots({ knex, redis }, 0)).to.equal(1);
    expect((await told('left', 7, sale)).status).to.equal('duplicate');
    expect((await again('out')).map(({ status, code }) => code ?? status)).to.deep.equal(inJournal);
  });

  it('stay taken over a journal that was rebuilt, for lots of other shards too', async () => {
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
    await project();
    await redis.link.send('', ['FLUSHALL']);
    await epoch.check();
    await rebuildJournal({ ...service.backends, onLotClosed: [] });
    for (const [at, [kind, body]] of events.entries()) {
      // The other lot first: a process that finds the event among its own lot's answers claims its id again.
      const elsewhere = await send(kind, { ...body, lot_id: other.id });
      expect(elsewhere).to.deep.equal({ event_id: body.event_id, status: 'duplicate' });
      const { status, sequence } = await send(kind, body);
      expect([status, sequence]).to.deep.equal(['duplicate', first[at].sequence]);
    }
  });
});
