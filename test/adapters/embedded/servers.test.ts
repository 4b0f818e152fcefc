/**
 * The pair in one process: cold and warm start, one start per folder, borrowing, repair of a server that died, and
 * the stop.
 */
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EmbeddedError } from '../../../adapters/embedded/errors.ts';
import { borrowEmbedded, type EmbeddedServers, startEmbedded } from '../../../adapters/embedded/servers.ts';
import { slowness } from '../../support/slowness.ts';
import {
  eventually,
  hold,
  isRunning,
  processesOn,
  query,
  redis,
  removeFolder,
  serverPids,
  temporaryFolder,
} from './processes.ts';

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the embedded servers', () => {
  let dataDir: string;
  let servers: EmbeddedServers;
  const died: string[] = [];
  const progress: string[] = [];

  const start = () =>
    startEmbedded({
      dataDir,
      onProgress: (line) => progress.push(line),
      onServerDied: (name, restarted) => died.push(`${name} ${restarted ? 'back' : 'died'}`),
    });

  before(async () => {
    dataDir = await temporaryFolder();
    const begin = performance.now();
    servers = await start();
    expect(performance.now() - begin, 'cold start, ms').to.be.below(12_000 * slowness());
  });

  after(async () => {
    await servers.close();
    await removeFolder(dataDir);
  });

  it('says what it does', () => {
    expect(progress.join('\n')).to.match(/Postgres: creating a new database/);
    expect(progress.join('\n')).to.match(/Postgres: ready on port \d+/);
    expect(progress.join('\n')).to.match(/Redis: ready on port \d+/);
    expect(servers.owner).to.equal(true);
  });

  it('gives a Postgres 18 with room for connections that syncs every commit', async () => {
    const names = ['server_version', 'max_connections', 'synchronous_commit', 'fsync', 'timezone'];
    const texts = names.map((name) => `current_setting('${name}') AS ${name}`);
    const [row] = await query(servers.databaseUrl, `SELECT ${texts.join(', ')}, current_database() AS name`);
    expect(row?.['server_version']).to.match(/^18\./);
    expect(row).to.include({
      max_connections: '200',
      synchronous_commit: 'on',
      fsync: 'on',
      timezone: 'UTC',
    });
    expect(row).to.include({ name: 'rostrum' });
  });

  it('gives a Redis that syncs every write, evicts nothing, and lets no bid wait for upkeep', async () => {
    const wanted: [string, string][] = [
      ['appendonly', 'yes'],
      ['appendfsync', 'always'],
      ['no-appendfsync-on-rewrite', 'no'],
      ['maxmemory-policy', 'noeviction'],
      ['save', ''],
      ['auto-aof-rewrite-min-size', '536870912'],
      ['lazyfree-lazy-expire', 'yes'],
    ];
    for (const [name, value] of wanted) {
      expect(await redis(servers.redisUrl, 'CONFIG', 'GET', name)).to.deep.equal({ [name]: value });
    }
  });

  it('asks for a password, and listens on loopback only', async () => {
    const wrong = new URL(servers.databaseUrl);
    wrong.password = 'wrong';
    expect(String(await failure(query(wrong.href, 'SELECT 1')))).to.match(/password authentication failed/);
    const open = new URL(servers.redisUrl);
    open.password = '';
    expect(String(await failure(redis(open.href, 'PING')))).to.match(/NOAUTH/);
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const outside = addresses.filter((address) => !address.internal && address.family === 'IPv4');
    for (const { address } of outside) {
      for (const url of [servers.databaseUrl, servers.redisUrl]) {
        expect(await canConnect(address, Number(new URL(url).port)), `${address} ${url}`).to.equal(false);
      }
    }
  });

  it('keeps its secrets from other users', async () => {
    for (const file of ['servers.json', 'redis/redis.conf', 'postgres/rostrum.password']) {
      expect((await stat(join(dataDir, file))).mode & 0o077, file).to.equal(0);
    }
  });

  it('refuses a second start on the folder, here and in another process', async () => {
    const refused = await failure(startEmbedded({ dataDir }));
    expect(refused).to.be.instanceOf(EmbeddedError);
    expect((refused as Error).message).to.include(
      `Another start runs on ${dataDir} (process ${process.pid})`,
    );
    const other = await hold(dataDir);
    expect(other.started.error).to.include('Another start runs on');
  });

  it('shares the running pair with a command, which leaves it running', async () => {
    const borrowed = await borrowEmbedded({ dataDir });
    expect(borrowed).to.include({
      databaseUrl: servers.databaseUrl,
      redisUrl: servers.redisUrl,
      owner: false,
    });
    await borrowed.close();
    expect(await redis(servers.redisUrl, 'PING')).to.equal('PONG');
  });

  for (const name of ['postgres', 'redis'] as const) {
    it(`starts ${name} again on the same address when it dies, with what it had`, async () => {
      await query(servers.databaseUrl, 'CREATE TABLE IF NOT EXISTS bids (amount int)');
      await query(servers.databaseUrl, 'INSERT INTO bids VALUES (7)');
      await redis(servers.redisUrl, 'SET', 'bid', name);
      died.length = 0;
      const killed = serverPids(dataDir)[name];
      process.kill(killed, 'SIGKILL');
      await eventually(() => died.includes(`${name} back`));
      expect(died).to.deep.equal([`${name} died`, `${name} back`]);
      expect(serverPids(dataDir)[name]).to.not.equal(killed);
      expect(await redis(servers.redisUrl, 'GET', 'bid')).to.equal(name);
      expect(await query(servers.databaseUrl, 'SELECT amount FROM bids LIMIT 1')).to.deep.equal([
        { amount: 7 },
      ]);
    });
  }

  it('stops both, however often it is told, and finds the data at the next start', async () => {
    await redis(servers.redisUrl, 'SET', 'kept', 'yes');
    await query(servers.databaseUrl, 'CREATE TABLE kept AS SELECT 1 AS yes');
    await Promise.all([servers.close(), servers.close()]);
    expect(processesOn(dataDir)).to.deep.equal([]);
    const begin = performance.now();
    servers = await start();
    expect(performance.now() - begin, 'warm start on a busy machine, ms').to.be.below(5_000 * slowness());
    expect(await redis(servers.redisUrl, 'GET', 'kept')).to.equal('yes');
    expect(await query(servers.databaseUrl, 'SELECT yes FROM kept')).to.deep.equal([{ yes: 1 }]);
  });

  it('stops even while a server is being repaired', async () => {
    process.kill(serverPids(dataDir).postgres, 'SIGKILL');
    await servers.close();
    await eventually(() => processesOn(dataDir).length === 0);
    servers = await start();
  });

  it('closes quickly under an open transaction', async () => {
    const busy = failure(query(servers.databaseUrl, 'SELECT pg_sleep(60)'));
    const { postgres } = serverPids(dataDir);
    const begin = performance.now();
    await servers.close();
    expect(performance.now() - begin).to.be.below(7_000 * slowness());
    expect(isRunning(postgres)).to.equal(false);
    expect(await busy).to.be.instanceOf(Error);
    servers = await start();
  });
});

describe('the embedded servers of a one-off command', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await temporaryFolder();
  });
  after(() => removeFolder(dataDir));

  it('are started for it, shared, and stopped when the last user is done', async () => {
    const [one, two] = await Promise.all([borrowEmbedded({ dataDir }), borrowEmbedded({ dataDir })]);
    const [owner, guest] = one.owner ? [one, two] : [two, one];
    expect([owner.owner, guest.owner]).to.deep.equal([true, false]);
    const closing = owner.close();
    expect(await redis(guest.redisUrl, 'PING')).to.equal('PONG');
    await guest.close();
    await closing;
    expect(processesOn(dataDir)).to.deep.equal([]);
  });

  it('delay a start until they are done', async () => {
    const command = await borrowEmbedded({ dataDir });
    const lines: string[] = [];
    const starting = startEmbedded({ dataDir, onProgress: (line) => lines.push(line) });
    await eventually(() => lines.length > 0);
    expect(lines[0]).to.include('Waiting for a command');
    await command.close();
    const servers = await starting;
    expect(await redis(servers.redisUrl, 'PING')).to.equal('PONG');
    await servers.close();
  });

  it('say in one sentence that a folder cannot be used', async () => {
    const refused = await failure(borrowEmbedded({ dataDir: '/dev/null/data' }));
    expect(refused).to.be.instanceOf(EmbeddedError);
    expect((refused as Error).message).to.match(/^The data folder \/dev\/null\/data cannot be used: ENOTDIR/);
  });
});

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const finish = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}
