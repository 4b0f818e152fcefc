/**
 * A server that was made a replica of one that had less and takes writes again: it was never started again, its
 * connections stayed, and it still knows the scripts that it was handed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { aLot, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { redisCommand } from '../../../support/redis-replicas.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';

/** Longer than the pause between two heartbeats. */
const COPYING_MS = 600;

describe('a Redis that has copied an older one meanwhile', () => {
  let redis: FreshRedis;
  let other: FreshRedis;
  let first: Service;
  let second: Service;

  before(async () => {
    redis = await freshRedis(['repl-diskless-sync-delay 0']);
    other = await freshRedis(['repl-diskless-sync-delay 0']);
    first = await startService({ redis });
    second = await startService({
      redis,
      database: { db: first.database, databaseUrl: first.databaseUrl },
    });
  });
  after(async () => {
    await second.close();
    await first.close();
    await other.close();
    await redis.close();
  });

  const follow = async (server: FreshRedis, master: FreshRedis) => {
    await redisCommand(server, ['REPLICAOF', '127.0.0.1', String(master.port)]);
    await eventually(async () =>
      (await redisCommand(server, ['INFO', 'replication'])).includes('master_link_status:up'),
    );
  };

  it('takes no bid of a process that has not lost one itself', async () => {
    const lot = await aLot(first.database);
    await first.publish();
    const token = await first.tokenFor(await aUser(first.database));
    const bid = async (service: Service, amount: string) =>
      (await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: { max_amount: amount } }))
        .status;
    expect(await bid(second, '1000.00')).to.equal(201);
    await follow(other, redis);
    await redisCommand(other, ['REPLICAOF', 'NO', 'ONE']);
    expect(await bid(first, '2000.00')).to.equal(201);
    await follow(redis, other);
    await sleep(COPYING_MS);
    await redisCommand(redis, ['REPLICAOF', 'NO', 'ONE']);
    for (let tries = 0; tries < 5; tries += 1) expect(await bid(second, `${3_000 + tries}.00`)).to.equal(503);
    for (const { backends } of [first, second])
      await eventually(async () => /older than .*journal rebuild/.test(backends.epoch.trouble ?? ''));
    expect(await bid(second, '4000.00')).to.equal(503);
  });
});
