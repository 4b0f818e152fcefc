import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ShortCache } from '../../../../src/shared/caching/short-cache.ts';

describe('answers that are cached for a moment', () => {
  /** Gives 1, 2, 3 …, each a little later. */
  const counter = () => {
    let made = 0;
    return { make: async () => ++made, count: () => made };
  };

  const isOver = async (cache: ShortCache<number>, key: string) => {
    while (cache.peek(key) !== null) await sleep(5);
  };

  it('are made once for all who ask at the same time, and again when they have expired', async () => {
    const cache = new ShortCache<number>(300, 10);
    const { make } = counter();
    expect(
      await Promise.all([cache.get('a', make), cache.get('a', make), cache.get('b', make)]),
    ).to.deep.equal([1, 1, 2]);
    expect(await cache.peek('a')).to.equal(1);
    await isOver(cache, 'a');
    expect(await cache.get('a', make)).to.equal(3);
    expect(await cache.renew('a', make)).to.equal(4);
    cache.forget();
    expect(await cache.get('a', make)).to.equal(5);
  });

  it('may be valid for less than its creation allowed, never for more', async () => {
    const cache = new ShortCache<number>(1_000, 10);
    const { make } = counter();
    for (const [key, ms] of [
      ['never', 0],
      ['short', 200],
      ['long', 10_000],
    ] as const) {
      await cache.get(key, make, () => ms);
    }
    expect(cache.peek('never')).to.equal(null);
    expect(cache.peek('short')).not.to.equal(null);
    await isOver(cache, 'short');
    expect(cache.peek('long')).not.to.equal(null);
    await isOver(cache, 'long');
  });

  it('are not cached if they failed, without a lifetime, or if there are too many', async () => {
    const cache = new ShortCache<number>(1_000, 2);
    const fails = () => Promise.reject(new Error('no'));
    expect(await cache.get('a', fails).catch(String)).to.equal('Error: no');
    const { make, count } = counter();
    for (const key of ['a', 'b', 'c']) await cache.get(key, make);
    expect([cache.peek('a'), cache.peek('b') === null, cache.peek('c') === null]).to.deep.equal([
      null,
      false,
      false,
    ]);
    const off = new ShortCache<number>(0, 2);
    await off.get('a', make);
    await off.get('a', make);
    expect(count()).to.equal(5);
  });
});
