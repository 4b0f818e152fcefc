/** What is required of a Redis before it is trusted: its settings, and that it is the one that was written to. */
import { expect } from 'chai';
import { weakDurability } from '../../../adapters/redis/durability.ts';
import { shardEpochs, writeEpoch } from '../../../adapters/redis/epoch.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { SHARD_COUNT, shardKeys } from '../../../adapters/redis/shards.ts';
import { freshRedis } from '../../support/redis-servers.ts';

describe('a Redis before it is trusted', () => {
  let open: OpenLink;
  let close: () => Promise<void>;
  before(async () => {
    const server = await freshRedis();
    open = await openLink(server.redisUrl);
    close = async () => {
      open.link.destroy();
      await server.close();
    };
  });
  after(() => close());

  it('keeps what it acknowledged, and each setting that weakens that is named', async () => {
    expect(await weakDurability(open)).to.deep.equal([]);
    const weaker = { ...open, config: async (name: string) => (name === 'appendfsync' ? 'everysec' : 'no') };
    expect(await weakDurability(weaker)).to.deep.equal([
      'appendonly is "no", not "yes"',
      'appendfsync is "everysec", not "always"',
      'maxmemory-policy is "no", not "noeviction"',
    ]);
  });

  it('carries no epoch until one is written, then that one in every shard', async () => {
    expect(await shardEpochs(open)).to.deep.equal(Array(SHARD_COUNT).fill(null));
    await writeEpoch(open, 'one');
    expect(await shardEpochs(open)).to.deep.equal(Array(SHARD_COUNT).fill('one'));
    await open.link.hSet(shardKeys(5).meta, { epoch: 'two' });
    expect((await shardEpochs(open))[5]).to.equal('two');
  });

  it('is unreachable at once where nobody listens', async () => {
    const fault = await openLink('redis://127.0.0.1:1').then(
      () => null,
      (error: Error) => error,
    );
    expect(fault?.message).to.include('ECONNREFUSED');
  });
});
