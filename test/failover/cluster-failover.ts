/**
 * A Redis Cluster with a replica for each master loses a master under load, with `BID_DURABILITY=replicated`: every
 * acknowledged bid is in the journal afterwards. Takes half a minute, so it is no part of `npm test`: `npm run
 * test:failover`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { verifyJournal } from '../../src/bidding/journal/verify.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { eventually } from '../support/market.ts';
import { redisCommand } from '../support/redis-replicas.ts';
import {
  type FreshRedis,
  freshRedis,
  type RedisCluster,
  startRedisCluster,
} from '../support/redis-servers.ts';
import { type Service, startService } from '../support/service.ts';

const LOTS = 12;

describe('a cluster that loses a master', () => {
  let cluster: RedisCluster;
  const replicas: FreshRedis[] = [];
  let service: Service;

  before(async () => {
    cluster = await startRedisCluster();
    const [first] = cluster.servers;
    for (const master of cluster.servers) {
      const id = await redisCommand(master, ['CLUSTER', 'MYID']);
      const bus = String(20_000 + Math.floor(Math.random() * 10_000));
      const lines = ['cluster-enabled yes', `cluster-port ${bus}`, 'cluster-node-timeout 2000'];
      const replica = await freshRedis([
        ...lines,
        'cluster-config-file nodes.conf',
        'repl-diskless-sync-delay 0',
      ]);
      replicas.push(replica);
      const text = await redisCommand(first as FreshRedis, ['CLUSTER', 'NODES']);
      const own = /:(\d+)@(\d+)\S* myself/.exec(text);
      await redisCommand(replica, ['CLUSTER', 'MEET', '127.0.0.1', own?.[1] ?? '', own?.[2] ?? '']);
      await until(async () => (await redisCommand(replica, ['CLUSTER', 'NODES'])).includes(id));
      await until(async () => (await redisCommand(replica, ['CLUSTER', 'REPLICATE', id])) === 'OK');
      await until(async () =>
        (await redisCommand(replica, ['INFO', 'replication'])).includes('master_link_status:up'),
      );
    }
    const nodes = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
    const clusterServer = { ...(first as FreshRedis), redisUrl: `redis-cluster://${nodes}` };
    service = await startService({ redis: clusterServer, env: { BID_DURABILITY: 'replicated' } });
  });
  after(async () => {
    await service.close();
    for (const replica of replicas) await replica.close();
    await cluster.close();
  });

  it('loses no acknowledged bid, and takes bids again', async () => {
    const token = await service.tokenFor(await aUser(service.database));
    const lots: number[] = [];
    for (let at = 0; at < LOTS; at += 1) {
      const auction = await anAuction(service.database);
      lots.push((await aLot(service.database, { auction_id: auction.id })).id);
    }
    await service.publish();
    const taken = new Map<string, number>();
    let isTaking = true;
    let unknown = 0;
    const bidding = lots.map(async (lotId) => {
      for (let dollars = 1_000; isTaking; dollars += 1_000) {
        const key = `${lotId}-${dollars}`;
        for (;;) {
          const { status, body } = await service.call('POST', `/api/v1/lots/${lotId}/bids`, {
            token,
            body: { amount: `${dollars}.00` },
            headers: { 'idempotency-key': key },
          });
          if (status === 201) {
            taken.set(body.data.id, lotId);
            break;
          }
          expect([status, body.code]).to.deep.equal([503, 'journal_unavailable']);
          unknown += 1;
          if (!isTaking) return;
          await sleep(100);
        }
      }
    });
    await sleep(2_000);
    await cluster.servers[0]?.kill();
    const replica = replicas[0] as FreshRedis;
    await until(async () => (await redisCommand(replica, ['INFO', 'replication'])).includes('role:master'));
    // One server in its place, so that bids are confirmed there: the old one, which comes back as a replica.
    await cluster.servers[0]?.restart();
    const before = taken.size;
    await until(async () => taken.size > before + LOTS * 20);
    isTaking = false;
    await Promise.all(bidding);
    const bids = new Map<number, Set<string>>();
    for (const lotId of lots) {
      const found = new Set<string>();
      for (let page = 1; ; page += 1) {
        // On a slow machine the cluster is down again for a moment, and marks its answers as stale.
        const { body } = await eventually(async () => {
          const answer = await service.get(`/api/v1/lots/${lotId}/journal?page=${page}&per_page=100`);
          return answer.body.meta.stale === true ? null : answer;
        }, 40_000);
        for (const { events } of body.data)
          for (const event of events) if (event.type === 'bid_placed') found.add(event.bid_id);
        if (page >= body.meta.last_page) break;
      }
      bids.set(lotId, found);
    }
    const lost = [...taken].filter(([id, lotId]) => !bids.get(lotId)?.has(id));
    const byLot = lots.map((lotId) => `${lotId}: ${lost.filter(([, of]) => of === lotId).length}`);
    expect(lost.length, `of ${taken.size} (${byLot.join(', ')})`).to.equal(0);
    expect(unknown).to.be.greaterThan(0);
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true });
    console.log(`      ${taken.size} acknowledged, ${unknown} answered 503 meanwhile, 0 lost`);
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 40_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error('it did not come to be so within 40 s');
    await sleep(100);
  }
}
