/**
 * What is set aside, as operators and bidders see it: named by every probe, missing from no list, kept through a
 * rebuild.
 */
import { expect } from 'chai';
import { createClient } from 'redis';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { countFailures } from '../../../../src/bidding/projection/set-aside.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { runCommand } from '../../../support/commands.ts';
import { projectionOf } from '../../../support/projection.ts';
import { type Service, startService } from '../../../support/service.ts';

interface Run {
  readonly code: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

describe('what is set aside', () => {
  let service: Service;
  let projection: Projection;
  let tokens: string[];

  before(async () => {
    service = await startService();
    const people = await Promise.all([aUser(service.database), aUser(service.database)]);
    tokens = await Promise.all(people.map((person) => service.tokenFor(person)));
    projection = await projectionOf(service.backends);
  });

  after(async () => {
    await projection.close();
    await service.close();
  });

  async function rostrum(...args: string[]): Promise<Run> {
    const { databaseUrl, redis, config } = service;
    const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis.redisUrl, DATA_DIR: config.dataDir };
    const { code, out } = await runCommand([...args, '--json'], variables);
    return { code, body: JSON.parse(out) };
  }

  const bid = (lotId: number, who: number, amount: string) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: tokens[who], body: { amount } });

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await isSo()); tries += 1) {
      if (tries > 3_000) throw new Error('it does not come');
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  it('is reported everywhere, survives a rebuild, and is repaired', async () => {
    const { knex } = service.database;
    const auction = await anAuction(service.database);
    const [lot, other] = [
      await aLot(service.database, { auction_id: auction.id }),
      await aLot(service.database, { auction_id: auction.id }),
    ];
    await service.publish();
    await bid(lot.id, 0, '100.00');
    await knex.raw('ALTER TABLE bids ADD CONSTRAINT refused CHECK (amount_cents <> 11100)');
    for (const [who, amount] of [
      [1, '111.00'],
      [0, '200.00'],
      [1, '300.00'],
    ] as const)
      expect((await bid(lot.id, who, amount)).status).to.equal(201);
    await bid(other.id, 0, '150.00');
    await until(async () => (await countFailures(knex)) === 1);
    await until(async () => (await knex('lots').where('id', other.id).first()).bid_count === 1);
    await until(async () => (await knex('projection_set_aside').count('* as n').first())?.['n'] === 3);

    const ready = await service.get('/readyz');
    expect(ready.status).to.equal(200);
    expect(ready.body.data.degraded).to.have.length(1);
    expect(ready.body.data.degraded[0]).to.have.property('name', 'projection');
    expect((await service.get('/metrics')).text).to.match(/^rostrum_projection_failures 1$/m);
    expect((await rostrum('info')).body.projection).to.deep.equal({ failures: 1 });
    const verified = await rostrum('journal', 'verify');
    expect(verified.code).to.equal(1);
    expect(verified.body).to.include({ ok: false, failures: 1 });
    expect(verified.body.difference).to.match(new RegExp(`^lot ${lot.id}, entry 4: set aside`));
    const tried = await rostrum('projection', 'retry');
    expect(tried.code).to.equal(1);
    expect(tried.body).to.include({ tried: 1, resolved: 0, failures: 1 });

    const amounts = async () =>
      (await service.get(`/api/v1/lots/${lot.id}/bids`)).body.data.map(
        (row: { amount: string }) => row.amount,
      );
    const all = ['300.00', '200.00', '111.00', '100.00'];
    expect(await amounts()).to.deep.equal(all);
    const mine = await service.get('/api/v1/me/bids', tokens[1]);
    expect(mine.body.data.map((row: { amount: string }) => row.amount)).to.deep.equal(['300.00', '111.00']);
    const entries = await service.get(`/api/v1/lots/${lot.id}/journal`);
    expect(entries.body.meta.total).to.equal(5);

    const redis = await createClient({ url: service.redis.redisUrl }).connect();
    await redis.flushAll();
    await redis.close();
    await service.backends.epoch.check();
    const resumed = await rebuildJournal({ ...service.backends, onLotClosed: [] });
    expect(resumed.find(({ lotId }) => lotId === lot.id)).to.include({ keptSequence: 6 });
    expect(await amounts()).to.deep.equal(all);
    expect((await bid(lot.id, 0, '400.00')).status).to.equal(201);
    expect(await amounts()).to.deep.equal(['400.00', ...all]);

    await knex.raw('ALTER TABLE bids DROP CONSTRAINT refused');
    await until(async () => (await knex('projection_set_aside').count('* as n').first())?.['n'] === 5);
    const mended = await rostrum('projection', 'retry');
    expect(mended.body).to.include({ tried: 1, resolved: 1, failures: 0 });
    expect(mended.code).to.equal(0);
    expect(await amounts()).to.deep.equal(['400.00', ...all]);
    expect((await rostrum('journal', 'verify')).body).to.include({ ok: true });
    expect((await service.get('/readyz')).body.data.degraded).to.deep.equal([]);
    expect((await bid(lot.id, 1, '500.00')).status).to.equal(201);
    await until(async () => (await knex('lots').where('id', lot.id).first()).current_bid_cents === 50_000);
  });
});
