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

describe('a start that is killed', () => {
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
    await eventually(() => processesOn(dataDir).length === 0);
  });

  async function stop({ child }: Holder): Promise<void> {
    await end(child, 'SIGTERM');
    expect(child.exitCode).to.equal(0);
  }

  /** Its guardian may have ended everything before we hear of its own end: both are waited for. */
  async function kill({ child }: Holder): Promise<void> {
    await end(child, 'SIGKILL');
  }

  async function end(child: Holder['child'], signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    await eventually(() => child.exitCode !== null || child.signalCode !== null);
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
    await kill(holder);
    await eventually(() => processesOn(dataDir).length === 0 && !guardians.some(isRunning));
    await findsEverything();
  });

  it('stops a server that was repaired, too', async () => {
    const { redis: killed } = serverPids(dataDir);
    process.kill(killed, 'SIGKILL');
    await eventually(() => isRunning(redisPid()) && redisPid() !== killed);
    await eventually(() => redis(holder.started.redisUrl, 'PING').then(Boolean, () => false));
    await kill(holder);
    await eventually(() => processesOn(dataDir).length === 0);
  });

  function redisPid(): number {
    try {
      return serverPids(dataDir).redis;
    } catch {
      return 0;
    }
  }

  it('may be followed by a start immediately', async () => {
    await kill(holder);
    await findsEverything();
  });

  it('is cleaned up by the next start if its guardian was killed as well', async () => {
    const left = processesOn(dataDir);
    const guardians = guardiansOf(holder.child.pid!);
    // First stopped, so that it cannot start another guardian.
    holder.child.kill('SIGSTOP');
    for (const pid of guardians) process.kill(pid, 'SIGKILL');
    await kill(holder);
    expect(left.every(isRunning)).to.equal(true);
    await findsEverything();
    expect(left.some(isRunning)).to.equal(false);
  });

  it('gets another guardian when one is killed', async () => {
    const [guardian] = guardiansOf(holder.child.pid!);
    process.kill(guardian!, 'SIGKILL');
    await eventually(() => guardiansOf(holder.child.pid!).some((pid) => pid !== guardian));
    await kill(holder);
    await eventually(() => processesOn(dataDir).length === 0);
  });

  it('lets a command take over, which stops what it started', async () => {
    await kill(holder);
    holder = await hold(dataDir, { how: 'borrow' });
    expect(holder.started.owner).to.equal(true);
    expect(await redis(holder.started.redisUrl, 'GET', 'kept')).to.equal('yes');
    await stop(holder);
    expect(processesOn(dataDir)).to.deep.equal([]);
  });
});

describe('Ctrl-C', () => {
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
      await eventually(() => child.exitCode !== null || child.signalCode !== null);
      await eventually(() => processesOn(dataDir).length === 0);
      await removeFolder(dataDir);
    }
  });
});
