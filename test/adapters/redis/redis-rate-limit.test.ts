import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { RateLimitUnavailable, RedisRateLimiter } from '../../../adapters/redis/redis-rate-limit.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';
import { sharedServers } from '../../support/servers.ts';
import { slowness } from '../../support/slowness.ts';

const scripts = fileURLToPath(new URL('../../../adapters/redis/', import.meta.url));

describe('the request limit on Redis', () => {
  let one: OpenLink;
  let two: OpenLink;
  let serial = 0;
  const freshKey = (): string => `u:${process.pid}-${Date.now()}-${serial++}`;

  before(async () => {
    const { redisUrl } = await sharedServers();
    one = await openLink(redisUrl);
    two = await openLink(redisUrl);
  });

  after(() => {
    one.link.destroy();
    two.link.destroy();
  });

  it('is exact over two processes that ask at the same time', async () => {
    const limiters = [
      new RedisRateLimiter(one.link, { scripts }),
      new RedisRateLimiter(two.link, { scripts }),
    ];
    const key = freshKey();
    const decisions = await Promise.all(
      Array.from({ length: 150 }, async (_, at) => {
        await sleep(at % 7);
        return limiters[at % 2]!.take(key, 60);
      }),
    );
    expect(decisions.filter((decision) => decision.allowed)).to.have.length(60);
    const left = decisions.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
    expect(left.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 60 }, (_, at) => at));
    expect(new Set(decisions.map(({ resetAtS }) => resetAtS)).size).to.equal(1);
    for (const { retryAfterS } of decisions) expect(retryAfterS).to.be.within(59, 60);
  });

  it('keeps callers apart, whatever slot they fall in', async () => {
    const limiter = new RedisRateLimiter(one.link, { scripts, slots: 16 });
    const keys = Array.from({ length: 40 }, freshKey);
    const takes = keys.flatMap((key) => [limiter.take(key, 2), limiter.take(key, 2), limiter.take(key, 2)]);
    const allowed = (await Promise.all(takes)).map((decision) => decision.allowed);
    expect(allowed).to.deep.equal(keys.flatMap(() => [true, true, false]));
  });

  it('opens a new window when the old one is over, and not before', async () => {
    const limiter = new RedisRateLimiter(one.link, { scripts, windowMs: 300 });
    const key = freshKey();
    const beganMs = performance.now();
    expect((await limiter.take(key, 1)).allowed).to.equal(true);
    let takes = 1;
    while (!(await limiter.take(key, 1)).allowed) {
      takes += 1;
      await sleep(20);
    }
    expect(performance.now() - beganMs).to.be.at.least(295);
    expect(takes).to.be.above(1);
  });

  it('sends the takes of one tick as one call', async () => {
    let calls = 0;
    const counting = new Proxy(one.link, {
      get(target, name) {
        if (name === 'send') calls += 1;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const limiter = new RedisRateLimiter(counting, { scripts });
    await limiter.take(freshKey(), 5);
    calls = 0;
    await Promise.all(Array.from({ length: 300 }, () => limiter.take(freshKey(), 5)));
    expect(calls).to.equal(1);
  });

  it('writes nothing to the append-only file', async () => {
    const limiter = new RedisRateLimiter(one.link, { scripts });
    const sizeOf = async (): Promise<string> => {
      const info = String(await one.link.send('', ['INFO', 'persistence']));
      return /aof_current_size:(\d+)/.exec(info)![1]!;
    };
    await limiter.take(freshKey(), 5);
    const before = await sizeOf();
    for (let at = 0; at < 20; at += 1) await limiter.take(freshKey(), 5);
    expect(await sizeOf()).to.equal(before);
  });

  describe('while Redis is unavailable', () => {
    let server: FreshRedis;
    let unavailable: OpenLink;

    before(async () => {
      server = await freshRedis();
      unavailable = await openLink(server.redisUrl);
    });

    after(async () => {
      unavailable.link.destroy();
      await server.close();
    });

    it('rejects in time when it hangs, at once from then on, and recovers', async () => {
      const limiter = new RedisRateLimiter(unavailable.link, { scripts, timeoutMs: 200 });
      const key = freshKey();
      await limiter.take(key, 5);
      await server.kill('SIGSTOP');
      const began = performance.now();
      expect(await failureOf(limiter.take(key, 5))).to.be.instanceOf(RateLimitUnavailable);
      expect(performance.now() - began).to.be.at.least(150);
      const tookMs: number[] = [];
      for (let again = 0; again < 3; again += 1) {
        const sinceMs = performance.now();
        expect(await failureOf(limiter.take(key, 5))).to.be.instanceOf(RateLimitUnavailable);
        tookMs.push(performance.now() - sinceMs);
      }
      expect(Math.min(...tookMs)).to.be.below(100 * slowness());
      await server.kill('SIGCONT');
      let decision: { allowed: boolean } | null = null;
      while (decision === null) {
        await sleep(100);
        decision = await limiter.take(key, 5).catch(() => null);
      }
      expect(decision.allowed).to.equal(true);
    });

    it('works again on a server that has forgotten the script', async () => {
      const limiter = new RedisRateLimiter(unavailable.link, { scripts });
      await limiter.take(freshKey(), 5);
      await server.restart();
      let decision: { allowed: boolean } | null = null;
      for (let tries = 0; tries < 100 && decision === null; tries += 1) {
        decision = await limiter.take(freshKey(), 5).catch(() => null);
        if (decision === null) await sleep(50);
      }
      expect(decision?.allowed).to.equal(true);
    });
  });
});

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}
