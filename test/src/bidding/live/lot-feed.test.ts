/**
 * When a process watches the journal's logs: only while somebody listens, as each message costs every process that
 * does.
 */
import { expect } from 'chai';
import type { OpenLink } from '../../../../adapters/redis/link.ts';
import { ShardDirectory } from '../../../../adapters/redis/shard-directory.ts';
import { LotFeed } from '../../../../src/bidding/live/lot-feed.ts';

describe('the feed of lots', () => {
  const link = {
    xInfoStream: async () => ({ 'last-generated-id': '0-0', 'entries-added': 0, length: 0 }),
    xRange: async () => [],
  };

  /** A feed whose subscriptions are counted. */
  function counted() {
    const subscriptions = { now: 0, ever: 0 };
    const feed = new LotFeed(
      { link, timely: link } as unknown as OpenLink,
      new ShardDirectory(async () => null),
    ).start({
      async subscribe() {
        subscriptions.now += 1;
        subscriptions.ever += 1;
        return async () => {
          subscriptions.now -= 1;
        };
      },
    });
    return { feed, subscriptions };
  }
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

  it('watches from the first listener on, whatever lot it is for, and no more when the last has gone', async () => {
    const { feed, subscriptions } = counted();
    await settled();
    expect(subscriptions.now).to.equal(0);
    const ends = await Promise.all([1, 2, 3].map((lotId) => feed.listen(lotId, lotId, () => undefined)));
    await settled();
    expect(subscriptions.now).to.equal(1);
    ends[0]!();
    ends[1]!();
    await settled();
    expect(subscriptions.now).to.equal(1);
    ends[2]!();
    await settled();
    expect(subscriptions.now).to.equal(0);
  });

  it('watches again for later listeners, and not after it is closed', async () => {
    const { feed, subscriptions } = counted();
    (await feed.listen(1, 1, () => undefined))();
    await feed.listen(1, 1, () => undefined);
    await settled();
    expect(subscriptions).to.deep.equal({ now: 1, ever: 2 });
    await feed.close();
    await settled();
    expect(subscriptions.now).to.equal(0);
  });
});
