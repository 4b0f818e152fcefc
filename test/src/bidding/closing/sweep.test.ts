import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { shardKeys } from '../../../../adapters/redis/shards.ts';
import { type Sweep, startSweep } from '../../../../src/bidding/closing/sweep.ts';
import { openLog } from '../../../../src/shared/log.ts';

const SHARD = 7;

describe('when the sweep wakes', () => {
  let sweep: Sweep;
  let announce: () => void;
  /** When the only lot is due (µs), when it was found (ms), and how often its shard was read. */
  let dueUs: number;
  let foundMs: number;
  let reads: number;
  /** Shards whose server does not answer, and those whose server refuses. */
  let silent: number[] = [];
  let broken: number[] = [];

  const nowUs = () => Math.floor(performance.now() * 1_000);

  async function sweepWith(inMs: number): Promise<void> {
    [dueUs, foundMs, reads] = [nowUs() + inMs * 1_000, 0, 0];
    const { due } = shardKeys(SHARD);
    const link = {
      async zRangeWithScores(key: string) {
        if (silent.some((shard) => key === shardKeys(shard).due)) return new Promise(() => undefined);
        if (broken.some((shard) => key === shardKeys(shard).due)) throw new Error('away');
        if (key === due) reads += 1;
        return key === due && dueUs > 0 ? [{ value: '1', score: dueUs }] : [];
      },
      async zRangeByScore(key: string, _from: string, toUs: number) {
        if (key !== due || dueUs === 0 || dueUs > toUs) return [];
        [foundMs, dueUs] = [performance.now(), 0];
        return [];
      },
    };
    const parts = {
      redis: { link },
      journal: { nowUs },
      engine: {},
      pubSub: {
        async subscribe(_channel: string, hear: (key: string) => void) {
          announce = () => hear(shardKeys(SHARD).log);
          return async () => undefined;
        },
      },
      log: openLog('silent', 'test'),
    };
    sweep = await startSweep(parts as unknown as Parameters<typeof startSweep>[0]);
  }
  afterEach(async () => {
    [silent, broken] = [[], []];
    await sweep.close();
  });

  /** The least of three delays (ms), as a busy machine makes any one of them late. */
  async function leastDelay(delay: () => Promise<number>): Promise<number> {
    const delays: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      if (round > 0) await sweep.close();
      delays.push(await delay());
    }
    return Math.min(...delays);
  }

  it('wakes when the first lot is due, not before', async () => {
    const least = await leastDelay(async () => {
      await sweepWith(300);
      const dueMs = dueUs / 1_000;
      await sleep(250);
      expect(reads).to.be.within(1, 2);
      while (foundMs === 0) await sleep(5);
      return foundMs - dueMs;
    });
    expect(least).to.be.within(0, 50);
  });

  it('finds a lot that a commit has made due sooner, soon after its announcement', async () => {
    const least = await leastDelay(async () => {
      await sweepWith(60_000);
      await sleep(120);
      const beforeMs = performance.now();
      dueUs = nowUs();
      announce();
      while (foundMs === 0) await sleep(5);
      return foundMs - beforeMs;
    });
    expect(least).to.be.within(0, 60);
  });

  it('finds it within a second where the announcement was lost, and reads seldom until then', async () => {
    const least = await leastDelay(async () => {
      await sweepWith(60_000);
      await sleep(120);
      const [before, beforeMs] = [reads, performance.now()];
      dueUs = nowUs();
      while (foundMs === 0) await sleep(5);
      expect(reads - before).to.be.below(5);
      return foundMs - beforeMs;
    });
    expect(least).to.be.within(0, 1_050);
  });

  it('reads no more often than every 50 ms, however many commits are announced', async () => {
    await sweepWith(60_000);
    const timer = setInterval(() => announce(), 2);
    await sleep(300);
    clearInterval(timer);
    expect(reads).to.be.within(4, 9);
  });

  it('closes the lots of other servers in time while one does not answer and another one refuses', async () => {
    [silent, broken] = [
      [1, 2],
      [3, 4],
    ];
    const least = await leastDelay(async () => {
      await sweepWith(700);
      const dueMs = dueUs / 1_000;
      while (foundMs === 0) await sleep(5);
      return foundMs - dueMs;
    });
    expect(least).to.be.within(0, 60);
  });
});
