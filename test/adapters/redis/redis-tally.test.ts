/**
 * Counters that are added to by many and taken by one: nothing is lost between, and a batch stays until it is dropped.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { Tally } from '../../../adapters/redis/redis-tally.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';

describe('Tally', () => {
  let redis: FreshRedis;
  let open: OpenLink;

  before(async () => {
    redis = await freshRedis();
    open = await openLink(redis.redisUrl);
  });

  after(async () => {
    open.link.destroy();
    await redis.close();
  });

  const tally = () => new Tally(open.link, 'test');

  it('gives nothing where nothing was counted', async () => {
    expect(await tally().take('a')).to.equal(null);
  });

  it('returns the same batch until it is dropped, and keeps counting meanwhile', async () => {
    await Promise.all([tally().add('x'), tally().add('x', 2), tally().add('y', 5)]);
    const first = await tally().take('one');
    expect(first).to.deep.equal({
      id: 'one',
      counts: new Map([
        ['x', 3],
        ['y', 5],
      ]),
    });
    await tally().add('x');
    expect(await tally().take('two')).to.deep.equal(first);
    await tally().drop('two');
    expect(await tally().take('three')).to.deep.equal(first);
    await tally().drop('one');
    expect(await tally().take('four')).to.deep.equal({ id: 'four', counts: new Map([['x', 1]]) });
    await tally().drop('four');
  });

  it('loses and duplicates nothing while many append', async () => {
    let taken = 0;
    let added = 0;
    for (let n = 0; n < 500; n += 1) {
      tally()
        .add('x')
        .then(() => {
          added += 1;
        });
    }
    for (let all = false; !all; ) {
      all = added === 500;
      const batch = await tally().take(randomUUID());
      taken += batch?.counts.get('x') ?? 0;
      if (batch !== null) await tally().drop(batch.id);
    }
    expect(taken).to.equal(500);
  });
});
