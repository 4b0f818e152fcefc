/** The connections alongside the usual one: there when they are needed again, gone with it, and never waited for. */
import { expect } from 'chai';
import { createClient, type RedisClientType } from 'redis';
import { type OpenLink, openLink, Script } from '../../../adapters/redis/link.ts';
import { eventually } from '../../support/market.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';

describe('a link to Redis', () => {
  let server: FreshRedis;
  let open: OpenLink;
  let client: RedisClientType;

  before(async () => {
    server = await freshRedis();
    client = createClient({ url: server.redisUrl });
    await client.connect();
  });
  beforeEach(async () => {
    open = await openLink(server.redisUrl);
  });
  afterEach(() => open.link.destroy());
  after(async () => {
    client.destroy();
    await server.close();
  });

  /** How many are connected besides the one that asks. */
  const clients = async () =>
    String(await client.sendCommand(['CLIENT', 'LIST']))
      .trim()
      .split('\n').length - 1;

  it('has other connections for large calls, one for shards that share it, and the usual one until they connect', async () => {
    expect(open.wide(3)).to.equal(open.link);
    const one = await eventually(async () => open.wide(3) !== open.link && open.wide(3));
    expect(open.wide(11)).to.equal(one);
    await one.hSet('wide', { a: '1' });
    expect(await open.link.hGet('wide', 'a')).to.equal('1');
    const other = await eventually(async () => open.wide(4) !== open.link && open.wide(4));
    expect(other).to.not.equal(one);
    expect(await clients()).to.equal(3);
  });

  it('sends a command of any number of arguments', async () => {
    const fields = Array.from({ length: 400_000 }, (_, index) => String(index));
    const script = new Script("return ARGV[#ARGV] .. '/' .. #ARGV");
    expect(await script.run(open.link, ['any'], fields)).to.equal('399999/400000');
  });

  it('reopens them after they were cut, and closes them all', async () => {
    const one = await eventually(async () => open.wide(0) !== open.link && open.wide(0));
    await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal']);
    await eventually(async () => (await clients()) === 2 && open.link.isReady && open.wide(0) === one);
    await one.hSet('wide', { b: '2' });
    expect(await open.link.hGet('wide', 'b')).to.equal('2');
    open.link.destroy();
    open = await openLink(server.redisUrl);
    await eventually(async () => (await clients()) === 1);
    expect(one.isReady).to.equal(false);
    expect(open.wide(0)).to.equal(open.link);
  });
});
