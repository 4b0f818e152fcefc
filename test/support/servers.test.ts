/** The servers that other tests are on: they are real, separate, and can be killed and started again. */
import { expect } from 'chai';
import pg from 'pg';
import { createClient, createCluster } from 'redis';
import { freshRedis, startRedisCluster } from './redis-servers.ts';
import { freshDatabase, sharedServers } from './servers.ts';

async function query(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('servers for tests', () => {
  before(async () => {
    await sharedServers();
  });

  it('starts one pair however often it is asked', async () => {
    const [one, two] = await Promise.all([sharedServers(), sharedServers()]);
    expect(one).to.deep.equal(two);
  });

  it('gives databases of their own, and drops them under open connections', async () => {
    const [one, two] = await Promise.all([freshDatabase(), freshDatabase()]);
    await query(one.databaseUrl, 'CREATE TABLE lots (id int)');
    expect(await query(two.databaseUrl, "SELECT to_regclass('lots') AS lots")).to.deep.equal([
      { lots: null },
    ]);
    const open = new pg.Client({ connectionString: two.databaseUrl });
    open.on('error', () => undefined);
    await open.connect();
    await Promise.all([one.drop(), two.drop()]);
    const { databaseUrl } = await sharedServers();
    const left = await query(databaseUrl, "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%'");
    const names = [one, two].map((database) => new URL(database.databaseUrl).pathname.slice(1));
    expect(left.map((row) => row['datname'])).to.not.include.members(names);
  });

  it('copies a template that is prepared once', async () => {
    let prepared = 0;
    const template = {
      name: 'support_test',
      async prepare(databaseUrl: string) {
        prepared += 1;
        await query(databaseUrl, 'CREATE TABLE lots AS SELECT 7 AS id');
      },
    };
    const copies = await Promise.all([freshDatabase(template), freshDatabase(template)]);
    for (const copy of copies) {
      expect(await query(copy.databaseUrl, 'SELECT id FROM lots')).to.deep.equal([{ id: 7 }]);
      await copy.drop();
    }
    expect(prepared).to.equal(1);
  });

  it('kills a Redis and starts it again with what it had acknowledged', async () => {
    const server = await freshRedis();
    try {
      const client = createClient({ url: server.redisUrl });
      client.on('error', () => undefined);
      await client.connect();
      await client.set('bid', '100');
      const before = server.pid;
      await server.kill('SIGKILL');
      await server.restart();
      expect(server.pid).to.not.equal(before);
      expect(await client.get('bid')).to.equal('100');
      expect(await client.configGet('appendfsync')).to.deep.equal({ appendfsync: 'always' });
      client.destroy();
    } finally {
      await server.close();
    }
  });

  it('starts a cluster of three masters that holds every slot', async () => {
    const cluster = await startRedisCluster();
    try {
      const client = createCluster({ rootNodes: cluster.nodes.map((node) => ({ socket: { ...node } })) });
      await client.connect();
      for (let shard = 0; shard < 64; shard += 1) await client.set(`{s${shard}}:bid`, String(shard));
      expect(await client.get('{s63}:bid')).to.equal('63');
      expect(client.masters).to.have.length(3);
      client.destroy();
    } finally {
      await cluster.close();
    }
  });
});
