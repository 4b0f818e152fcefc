/** A running service of which processes are killed, and that is ended with bids in flight. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { slowness } from '../../support/slowness.ts';
import {
  bidOn,
  childPid,
  exitCode,
  lotOf,
  post,
  type Service,
  startDemo,
  until,
} from '../../support/started-service.ts';

/** Bids while a process is killed and comes back; then everything acknowledged must be there. */
async function bidThroughAKill(service: Service, pid: () => number): Promise<void> {
  const before = (await lotOf(service, service.lotId)).bid_count;
  let going = true;
  const bidding = bidOn(service, () => going);
  await sleep(400);
  process.kill(pid(), 'SIGKILL');
  await sleep(200);
  const isReady = async () => (await fetch(`${service.url}/readyz`).catch(() => null))?.ok ?? false;
  await until(isReady, 180_000, service.err);
  await sleep(800);
  going = false;
  const { acknowledged, unknown } = await bidding;
  expect(acknowledged).to.be.greaterThan(1);
  const stored = (await lotOf(service, service.lotId)).bid_count - before;
  expect(stored, `${acknowledged} acknowledged, ${unknown} unknown`).to.be.within(
    acknowledged,
    acknowledged + unknown,
  );
  const lines = service.err().split('\n').slice(0, -1);
  const logged = lines.filter((line) => line.startsWith('{'));
  expect(
    logged.map((line) => JSON.stringify(JSON.parse(line))),
    'each key once',
  ).to.deep.equal(logged);
}

describe('rostrum start, killed', function () {
  this.timeout(400_000);
  let dataDir: string;
  let service: Service;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rostrum-start-'));
    service = await startDemo(dataDir);
  });
  after(async () => {
    service?.child.kill('SIGTERM');
    if (service !== undefined) await exitCode(service);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('loses no acknowledged bid when the web process is killed', () =>
    bidThroughAKill(service, () => childPid(service.child.pid!, 'web')));

  it('loses no acknowledged bid when Redis is killed', () =>
    bidThroughAKill(service, () => Number(readFileSync(join(dataDir, 'redis', 'redis.pid'), 'utf8'))));

  it('answers 200 bids in flight before it ends, and keeps what it answered', async () => {
    const { url, lotId, tokens } = service;
    const agent = new Agent({ keepAlive: true, maxSockets: 200 });
    const before = await lotOf(service, lotId);
    const base = Number(before.minimum_next_bid);
    // Connections first: a request that has not reached the server is not in flight.
    const warm = Array.from({ length: 200 }, () => post(url, '/nowhere', tokens[0]!, 'warm', {}, agent));
    await Promise.all(warm);
    const bids = Array.from({ length: 200 }, (_, index) => {
      const body = { amount: (base + index * 1_000).toFixed(2) };
      return post(url, `/api/v1/lots/${lotId}/bids`, tokens[index % 2]!, `flight-${index}`, body, agent);
    });
    await Promise.race(bids);
    service.child.kill('SIGTERM');
    const startedMs = performance.now();
    const answers = await Promise.all(bids);
    expect(await exitCode(service)).to.equal(0);
    expect(performance.now() - startedMs).to.be.below(10_000 * slowness());
    expect(answers.filter(({ status }) => status === 0)).to.have.length(0);
    const accepted = answers.filter(({ status }) => status === 201).length;
    expect(accepted).to.be.greaterThan(0);
    agent.destroy();
    service = await startDemo(dataDir);
    expect((await lotOf(service, lotId)).bid_count - before.bid_count).to.equal(accepted);
    expect(service.tokens, 'the sign-ins of before').to.deep.equal(tokens);
  });

  it('leaves no process behind when it is killed', async () => {
    service.child.kill('SIGKILL');
    const works = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return (
            /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}`)
          );
        } catch {
          return false;
        }
      });
    await until(
      () => works().length === 0,
      30_000,
      () => `left: ${works().join(' ')}`,
    );
    service = await startDemo(dataDir);
    expect((await lotOf(service, service.lotId)).bid_count).to.be.a('number');
  });
});
