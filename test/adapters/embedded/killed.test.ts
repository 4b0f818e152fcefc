/**
 * What is left of a start that was killed: nothing after five seconds, and the next start works and finds what was
 * acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  eventually,
  guardiansOf,
  type Holder,
  hold,
  isRunning,
  processesOn,
  query,
  redis,
  removeFolder,
  serverPids,
  temporaryFolder,
} from './processes.ts';

describe('a start that is killed', function () {
  this.timeout(60_000);
  let dataDir: string;
  let holder: Holder;

  before(async () => {
    dataDir = await temporaryFolder();
  });

  after(() => removeFolder(dataDir));

  beforeEach(async () => {
    holder = await hold(dataDir);
    expect(holder.started.error).to.equal(undefined);
    await query(holder.started.databaseUrl, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 1 AS yes');
    await redis(holder.started.redisUrl, 'SET', 'kept', 'yes');
  });

  afterEach(async () => {
    if (holder.child.exitCode === null && holder.child.signalCode === null) await stop(holder);
    await eventually(() => processesOn(dataDir).length === 0, 30_000);
  });

  async function stop({ child }: Holder): Promise<void> {
    child.kill('SIGTERM');
    await eventually(() => child.exitCode !== null || child.signalCode !== null, 30_000);
    expect(child.exitCode).to.equal(0);
  }

  async function findsEverything(): Promise<void> {
    holder = await hold(dataDir);
    expect(holder.started.error).to.equal(undefined);
    expect(await redis(holder.started.redisUrl, 'GET', 'kept')).to.equal('yes');
    expect(await query(holder.started.databaseUrl, 'SELECT yes FROM kept')).to.deep.equal([{ yes: 1 }]);
  }

  it('leaves no process behind', async () => {
    const guardians = guardiansOf(holder.child.pid!);
    expect(guardians).to.have.length(1);
    expect(processesOn(dataDir)).to.have.length.above(2);
    holder.child.kill('SIGKILL');
    await eventually(() => processesOn(dataDir).length === 0 && !guardians.some(isRunning), 30_000);
    await findsEverything();
  });

  it('stops a server that was repaired, too', async () => {
    const { redis: killed } = serverPids(dataDir);
    process.kill(killed, 'SIGKILL');
    await eventually(() => isRunning(redisPid()) && redisPid() !== killed, 30_000);
    await eventually(() => redis(holder.started.redisUrl, 'PING').then(Boolean, () => false), 30_000);
    holder.child.kill('SIGKILL');
    await eventually(() => processesOn(dataDir).length === 0, 30_000);
  });

  function redisPid(): number {
    try {
      return serverPids(dataDir).redis;
    } catch {
      return 0;
    }
  }

  it('may be followed by a start immediately', async () => {
    holder.child.kill('SIGKILL');
    await findsEverything();
  });

  it('is cleaned up by the next start if its guardian was killed as well', async () => {
    const left = processesOn(dataDir);
    const guardians = guardiansOf(holder.child.pid!);
    // First stopped, so that it cannot start another guardian.
    holder.child.kill('SIGSTOP');
    for (const pid of guardians) process.kill(pid, 'SIGKILL');
    holder.child.kill('SIGKILL');
    await eventually(() => !isRunning(holder.child.pid!), 30_000);
    expect(left.every(isRunning)).to.equal(true);
    await findsEverything();
    expect(left.some(isRunning)).to.equal(false);
  });

  it('gets another guardian when one is killed', async () => {
    const [guardian] = guardiansOf(holder.child.pid!);
    process.kill(guardian!, 'SIGKILL');
    await eventually(() => guardiansOf(holder.child.pid!).some((pid) => pid !== guardian), 30_000);
    holder.child.kill('SIGKILL');
    await eventually(() => processesOn(dataDir).length === 0, 30_000);
  });

  it('lets a command take over, which stops what it started', async () => {
    holder.child.kill('SIGKILL');
    holder = await hold(dataDir, { how: 'borrow' });
    expect(holder.started.owner).to.equal(true);
    expect(await redis(holder.started.redisUrl, 'GET', 'kept')).to.equal('yes');
    await stop(holder);
    expect(processesOn(dataDir)).to.deep.equal([]);
  });
});

describe('Ctrl-C', function () {
  this.timeout(60_000);

  it('reaches the whole process group, but not the servers', async () => {
    const dataDir = await temporaryFolder();
    // The holder passes over SIGINT, as a start does that finishes its bids first.
    const { child, started } = await hold(dataDir, { detached: true });
    try {
      const servers = serverPids(dataDir);
      process.kill(-child.pid!, 'SIGINT');
      await sleep(300);
      expect(await redis(started.redisUrl, 'PING')).to.equal('PONG');
      expect(await query(started.databaseUrl, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      expect(serverPids(dataDir)).to.deep.equal(servers);
    } finally {
      process.kill(-child.pid!, 'SIGTERM');
      await eventually(() => child.exitCode !== null || child.signalCode !== null, 30_000);
      await eventually(() => processesOn(dataDir).length === 0, 30_000);
      await removeFolder(dataDir);
    }
  });
});
