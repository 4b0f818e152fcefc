import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { queuePrefix } from '../../../adapters/queue/connection.ts';
import { openQueue, type WorkQueue } from '../../../adapters/queue/queue.ts';
import { type QueueWorker, startQueueWorker, type Work } from '../../../adapters/queue/queue-worker.ts';
import { type FreshRedis, freshRedis, startRedisCluster } from '../../support/redis-servers.ts';
import { slowness } from '../../support/slowness.ts';
import { openWire, type Wire } from '../../support/wire.ts';

for (const kind of ['one Redis', 'a Redis Cluster'] as const) {
  describe(`queues on ${kind}`, () => {
    let redisUrl: string;
    let end: () => Promise<void>;
    const open: { close(): Promise<void> }[] = [];

    before(async () => {
      if (kind === 'one Redis') {
        const redis = await freshRedis();
        redisUrl = redis.redisUrl;
        end = redis.close;
      } else {
        const cluster = await startRedisCluster();
        redisUrl = `redis-cluster://${cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`;
        end = cluster.close;
      }
    });

    afterEach(async () => {
      for (const one of open.splice(0).reverse()) await one.close();
    });

    after(() => end());

    const address = (environment = 'test') => ({ redisUrl, prefix: queuePrefix(environment) });
    const queueOf = <T>(name: string, environment?: string): WorkQueue<T> => {
      const queue = openQueue<T>(address(environment), name);
      open.push(queue);
      return queue;
    };
    const workerOf = <T>(
      name: string,
      handlers: Record<string, (work: Work<T>) => Promise<void>>,
      concurrency = 1,
      environment?: string,
      leaveMs = 60_000,
    ): QueueWorker => {
      const worker = startQueueWorker<T>(address(environment), name, {
        handlers,
        concurrency,
        leaveMs,
        onError: () => {},
      });
      open.push(worker);
      return worker;
    };
    const until = async (done: () => boolean) => {
      for (let waited = 0; !done(); waited += 20) {
        if (waited > 60_000) throw new Error('it did not happen');
        await sleep(20);
      }
    };

    it('closes without a job that hangs', async () => {
      const queue = queueOf<null>('hanging');
      let tried = 0;
      const hang = async () => {
        tried += 1;
        await new Promise(() => {});
      };
      const worker = workerOf('hanging', { hang }, 1, undefined, 300);
      await queue.add('hang', null, { id: 'one' });
      await until(() => tried === 1);
      const startMs = performance.now();
      await worker.close();
      expect(performance.now() - startMs).to.be.below(3_000 * slowness());
    });

    it('runs each job once, and the same id once while it waits', async () => {
      const queue = queueOf<number>('once');
      await queue.addMany([1, 2, 3].map((data) => ({ name: 'n', data })));
      await queue.add('n', 4, { id: 'four' });
      await queue.add('n', 4, { id: 'four' });
      const seen: number[] = [];
      workerOf<number>('once', { n: async ({ data }) => void seen.push(data) });
      await until(() => seen.length >= 4);
      await sleep(100);
      expect(seen.sort()).to.deep.equal([1, 2, 3, 4]);
    });

    it('retries what failed, as often as configured', async () => {
      const queue = queueOf<null>('again');
      const attempts: number[] = [];
      workerOf<null>('again', {
        hopeless: async ({ attempt }) => {
          attempts.push(attempt);
          throw new Error('no');
        },
      });
      await queue.add('hopeless', null, { attempts: 2 });
      await until(() => attempts.length === 2);
      await sleep(300);
      expect(attempts).to.deep.equal([1, 2]);
      expect(await queue.counts()).to.include({ failed: 1, waiting: 0 });
    });

    it('repeats by one worker at a time, however often it is called', async () => {
      const queue = queueOf<null>('rounds');
      for (let times = 0; times < 3; times++) await queue.every('round', 200, null);
      let rounds = 0;
      for (let workers = 0; workers < 2; workers++)
        workerOf<null>('rounds', { round: async () => void rounds++ });
      const beganMs = performance.now();
      await until(() => rounds >= 5);
      expect(rounds).to.be.at.most(3 + (performance.now() - beganMs) / 200);
    });

    it('ends the repeated jobs of another release', async () => {
      const queue = queueOf<null>('releases');
      await queue.every('of-before', 100, null);
      await queue.every('of-now', 100, null);
      await queue.endOthers(['of-now']);
      const done = { before: 0, now: 0 };
      workerOf<null>('releases', {
        'of-before': async () => void done.before++,
        'of-now': async () => void done.now++,
      });
      await until(() => done.now > 4);
      // The one that was in the queue already is done.
      expect(done.before).to.be.below(2);
    });

    it('finishes the work in progress, and leaves the rest', async () => {
      const queue = queueOf<number>('closing');
      const finished: number[] = [];
      let started = false;
      const worker = workerOf<number>('closing', {
        slow: async ({ data }) => {
          started = true;
          await sleep(300);
          finished.push(data);
        },
      });
      await queue.addMany([1, 2].map((data) => ({ name: 'slow', data })));
      await until(() => started);
      await worker.close();
      expect(finished).to.deep.equal([1]);
      expect(await queue.counts()).to.include({ waiting: 1 });
    });

    it('keeps environments apart', async () => {
      const seen: string[] = [];
      workerOf<null>('apart', { n: async () => void seen.push('production') }, 1, 'production');
      workerOf<null>('apart', { n: async () => void seen.push('test') });
      await queueOf<null>('apart').add('n', null);
      await until(() => seen.length > 0);
      await sleep(100);
      expect(seen).to.deep.equal(['test']);
    });
  });
}

describe('a queue whose Redis is unavailable', () => {
  it('is closed without waiting for its return', async () => {
    const redis = await freshRedis();
    const queue = openQueue({ redisUrl: redis.redisUrl, prefix: queuePrefix('test') }, 'left-behind');
    await queue.add('work', null);
    await redis.kill();
    const started = performance.now();
    await queue.close();
    expect(performance.now() - started).to.be.below(3_000 * slowness());
    await redis.close();
  });
});

describe('a queue whose Redis is killed', () => {
  const address = (redisUrl: string) => ({ redisUrl, prefix: queuePrefix('test') });

  it('can be closed in the middle of a call', async () => {
    const redis = await freshRedis();
    const queue = openQueue<null>(address(redis.redisUrl), 'cut');
    await queue.every('round', 1_000, null);
    await redis.kill();
    const calls = Promise.all(Array.from({ length: 5 }, () => queue.every('round', 1_000, null)));
    await sleep(50);
    await queue.close();
    await calls;
    await redis.close();
  });

  it('continues with its rounds when the Redis is back, however often it is killed', async () => {
    const redis = await freshRedis();
    let rounds = 0;
    const failures: string[] = [];
    const worker = startQueueWorker<null>(address(redis.redisUrl), 'rounds', {
      handlers: { round: async () => void rounds++ },
      onError: (error) => void failures.push(error.message),
    });
    const queue = openQueue<null>(address(redis.redisUrl), 'rounds');
    for (let kill = 0; kill < 4; kill += 1) {
      const renewing = queue
        .every('round', 50, null)
        .catch((error: Error) => void failures.push(error.message));
      const before = rounds;
      for (let waited = 0; rounds < before + 3; waited += 20) {
        if (waited > 60_000) throw new Error(`no rounds after kill ${kill}: ${failures.join(' | ')}`);
        await sleep(20);
      }
      await redis.restart();
      await renewing;
    }
    await worker.close();
    await queue.close();
    await redis.close();
  });
});

/** As it goes over the wire, not to be found in CLIENT SETINFO. */
const INFO = '$4\r\nINFO\r\n';

describe('a queue whose connection is cut as it opens', () => {
  let redis: FreshRedis;
  let proxy: Wire;
  before(async () => {
    redis = await freshRedis();
  });
  beforeEach(async () => {
    proxy = await openWire(redis.port);
  });
  afterEach(() => proxy.close());
  after(() => redis.close());

  for (const lost of ['loseRequest', 'loseAnswers'] as const) {
    it(`works all the same (${lost})`, async () => {
      const address = { redisUrl: `redis://127.0.0.1:${proxy.port}`, prefix: queuePrefix('test') };
      proxy[lost](INFO);
      const queue = openQueue<number>(address, lost);
      await queue.add('n', 1);
      proxy[lost](INFO);
      const done = new Promise<number>((resolve) => {
        const worker = startQueueWorker<number>(address, lost, {
          handlers: { n: async ({ data }) => resolve(data) },
          onError: () => {},
        });
        after(() => worker.close());
      });
      expect(await done).to.equal(1);
      await queue.close();
    });
  }
});
