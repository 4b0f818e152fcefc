/**
 * What an operator relies on when a machine is lost: with `BID_DURABILITY=replicated` a replica has every acknowledged
 * bid, the service follows Sentinel to it, and the replaced server accepts no more bids.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openBackends } from '../../../../src/app/process/backends.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { redisCommand, startWatchedRedis, type WatchedRedis } from '../../../support/redis-replicas.ts';
import type { FreshRedis } from '../../../support/redis-servers.ts';
import { type Answer, type Service, startService } from '../../../support/service.ts';

describe('a journal with a replica', () => {
  let redis: WatchedRedis;
  let service: Service;
  let token: string;
  let lotId: number;
  let cents = 10_000;

  before(async () => {
    redis = await startWatchedRedis();
    const { redisUrl, master } = redis;
    const primary = { ...master, redisUrl, pid: master.pid };
    service = await startService({ redis: primary, env: { BID_DURABILITY: 'replicated' } });
    token = await service.tokenFor(await aUser(service.database));
    const auction = await anAuction(service.database);
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
    await service.publish();
  });
  after(async () => {
    await service.close();
    await redis.close();
  });

  const bid = (key: string, amount: string): Promise<Answer> =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token,
      body: { amount },
      headers: { 'idempotency-key': key },
    });
  const next = () => {
    cents += 100_000;
    return (cents / 100).toFixed(2);
  };
  const untilTaken = async (key: string, amount: string) => {
    for (let tries = 0; ; tries += 1) {
      const answer = await bid(key, amount);
      if (answer.status !== 503) return answer;
      expect(answer.body.code).to.equal('journal_unavailable');
      expect(tries, 'tries to place a bid').to.be.lessThan(300);
      await sleep(200);
    }
  };

  const replicationId = async (server: FreshRedis, field: string) =>
    new RegExp(`${field}:(\\w+)`).exec(await redisCommand(server, ['INFO', 'replication']))?.[1];

  it('answers a bid when the replica has it, otherwise says within two seconds that the outcome is unknown', async () => {
    expect((await bid('a', next())).status).to.equal(201);
    await redis.replica.kill('SIGSTOP');
    const amount = next();
    const startMs = performance.now();
    const unconfirmed = await bid('b', amount);
    expect([unconfirmed.status, unconfirmed.body.code]).to.deep.equal([503, 'journal_unavailable']);
    expect(performance.now() - startMs).to.be.lessThan(2_500);
    // It is recorded, but may not be acknowledged while no replica has it.
    expect((await bid('b', amount)).status).to.equal(503);
    await redis.replica.kill('SIGCONT');
    const answered = await untilTaken('b', amount);
    expect([answered.status, answered.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
  });

  it('loses no acknowledged bid when the server is lost, and the old one accepts none', async () => {
    const amount = next();
    const taken = await bid('c', amount);
    expect(taken.status).to.equal(201);
    const { epoch } = await service.backends.knex('journal_meta').first('epoch');
    await redis.master.kill();
    await redis.untilMaster(redis.replica);
    // Another replica, without which nothing is confirmed: the old server. The Sentinel would reconfigure it in ten
    // seconds.
    await redis.master.restart();
    await redisCommand(redis.master, ['REPLICAOF', '127.0.0.1', String(redis.replica.port)]);
    const again = await untilTaken('c', amount);
    expect([again.status, again.body.data.id]).to.deep.equal([201, taken.body.data.id]);
    expect((await untilTaken('d', next())).status).to.equal(201);
    const meta = () => service.backends.knex('journal_meta').first('epoch', 'previous_epoch');
    await eventually(async () => (await meta()).previous_epoch === epoch);
    const { epoch: later } = await meta();
    expect(later).to.not.equal(epoch);
    // A Postgres restored from before the failover finds its journal under its present name.
    const older = { epoch, previous_epoch: null, servers: null };
    await service.backends.knex('journal_meta').update(older);
    await eventually(async () => (await meta()).epoch === later);
    expect((await untilTaken('e', next())).status).to.equal(201);

    // A replica takes over from a server that was still changing its name: it carries the one from before.
    const interrupted = randomUUID();
    const servers = [await replicationId(redis.replica, 'master_replid2')];
    await service.backends
      .knex('journal_meta')
      .update({ epoch: interrupted, previous_epoch: later, servers });
    await eventually(async () => (await meta()).previous_epoch === interrupted);
    expect((await untilTaken('f', next())).status).to.equal(201);

    // Restarted and isolated, it believes that it is the master, with the previous epoch.
    const { previous_epoch: before } = await meta();
    await redis.master.kill();
    await redis.master.restart();
    for (let shard = 0; shard < 64; shard += 1)
      await redisCommand(redis.master, [
        'HSET',
        `{s${String(shard).padStart(2, '0')}}:meta`,
        'epoch',
        before,
      ]);
    const old = await openBackends(
      { databaseUrl: service.databaseUrl, redisUrl: redis.master.redisUrl },
      openLog('silent', 'test'),
    );
    expect(old.epoch.trouble).to.match(/replaced in a failover/);
    await old.close();
    // Without a replica no bid is taken, and it says so; with one there is nothing wrong.
    const ready = await service.get('/readyz');
    expect([ready.status, ready.text]).to.satisfy(
      ([status, text]: [number, string]) => status === 503 && text.includes('no replica has confirmed'),
    );
    expect(service.backends.epoch.trouble).to.equal(null);
  });
});
