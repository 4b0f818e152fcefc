/**
 * A process that closes lots when they are due, either by the sweep as a worker runs it or by a delayed job of BullMQ
 * for each. Both close through the same engine. Started by the closing bench with how, where and what in its
 * arguments.
 */
import { Worker } from 'bullmq';
import { connectionTo, queuePrefix } from '../../adapters/queue/connection.ts';
import { RedisPubSub } from '../../adapters/redis/pub-sub.ts';
import { startSweep } from '../../src/bidding/closing/sweep.ts';
import { openLog } from '../../src/shared/log.ts';
import { benchEngine } from '../engine/rostrum.ts';

const [how, redisUrl, epoch, lots, auctions] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const bench = await benchEngine(redisUrl, { epoch });
const { engine, journal, redis } = bench;
for (let auctionId = 1; auctionId <= Number(auctions); auctionId += 1) {
  const each = Number(lots) / Number(auctions);
  bench.knowLots(
    auctionId,
    Array.from({ length: each }, (_, index) => (auctionId - 1) * each + index + 1),
  );
}

/** The concurrency that was fastest here. */
const CONCURRENCY = 200;

if (how === 'sweep')
  await startSweep({
    redis,
    journal,
    engine,
    pubSub: await RedisPubSub.open(redisUrl),
    log: openLog('warn', 'bench'),
  });
else {
  const address = { redisUrl, prefix: queuePrefix('bench') };
  const worker = new Worker<{ readonly lotId: number }>(
    'closing',
    async ({ data }) => {
      await engine.submit(data.lotId, { type: 'advance' });
    },
    { connection: connectionTo(address), prefix: address.prefix, concurrency: CONCURRENCY },
  );
  await worker.waitUntilReady();
}
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
