import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { runCommand } from '../../support/commands.ts';
import { slowness } from '../../support/slowness.ts';
import {
  bidOn,
  childPid,
  exitCode,
  lotOf,
  post,
  run,
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

describe('rostrum start', function () {
  this.timeout(400_000);
  let dataDir: string;
  let service: Service;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rostrum-start-'));
  });
  after(async () => {
    service?.child.kill('SIGTERM');
    if (service !== undefined) await exitCode(service);
    await rm(dataDir, { recursive: true, force: true });
  });

  describe('with a configuration that does not fit', () => {
    it('says which variable is wrong in one sentence', async () => {
      for (const [name, env] of [
        ['PORT', { PORT: '70000' }],
        ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: 'many' }],
        ['APP_SECRET', { NODE_ENV: 'production' }],
      ] as const) {
        const variables = { DATA_DIR: dataDir, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: '', ...env };
        const { code, out, err } = await runCommand(['start'], variables);
        expect([code, out]).to.deep.equal([1, '']);
        expect(err).to.match(new RegExp(`^rostrum: ${name}: [^\\n]+\\n$`));
      }
    });

    const unreachable = {
      DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/x',
      REDIS_URL: 'redis://:hush@127.0.0.1:1',
    };
    it('says the same of what it finds out later, as web and worker processes do', () =>
      Promise.all(
        [
          ['start', 'HOST', { HOST: '203.0.113.7' }] as const,
          ...['start', 'web', 'worker'].map((role) => [role, 'DATABASE_URL', unreachable] as const),
        ].map(async ([role, name, env]) => {
          const failed = run(dataDir, [role], env);
          expect(await exitCode(failed)).to.equal(1);
          expect(failed.err()).to.match(new RegExp(`^rostrum: ${name}: [^\\n]+\\n$`));
          expect(failed.err()).not.to.contain('hush');
          expect(failed.out()).to.equal('');
        }),
      ));

    it('says that the port is taken', async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as { port: number };
      const failed = run(dataDir, ['start'], { PORT: String(port) });
      expect(await exitCode(failed)).to.equal(1);
      expect(failed.err()).to.match(/^rostrum: PORT: got \d+, which another process[^\n]+\n$/);
      taken.close();
    });
  });

  describe('on an empty folder', () => {
    before(async () => {
      service = await startDemo(dataDir);
    });

    it('ends a web or worker process whose port is taken, although its connections are open', () =>
      Promise.all(
        ['web', 'worker'].map(async (role) => {
          const failed = run(dataDir, [role], { PORT: new URL(service.url).port });
          expect(await exitCode(failed)).to.equal(1);
          expect(failed.err()).to.match(/^rostrum: PORT: got \d+, which another process[^\n]+$/m);
          expect(failed.out()).to.equal('');
        }),
      ));

    it('prints an address, sign-ins and a bid that can be placed', async () => {
      expect(service.tokens).to.have.length(2);
      expect(service.out().match(/listens on http:/g)).to.have.length(1);
      expect(service.out()).to.contain(`Mail is written to ${join(dataDir, 'mail')}`);
      expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).to.equal(0o600);
      const agent = new Agent();
      const path = `/api/v1/lots/${service.lotId}/bids`;
      const { status, body } = await post(
        service.url,
        path,
        service.tokens[0]!,
        'first',
        { amount: service.amount },
        agent,
      );
      expect(status).to.equal(201);
      expect(body.data).to.include({ outcome: 'leading', amount: service.amount });
    });

    it('tells commands on the same folder where it listens, and its journals verify', async () => {
      const variables = { DATA_DIR: dataDir, PORT: '8080', NODE_ENV: '' };
      const info = await runCommand(['info', '--json'], variables);
      const verified = await runCommand(['journal', 'verify', '--json'], variables);
      expect(info.code, info.err).to.equal(0);
      expect(JSON.parse(info.out)).to.include({ address: service.url });
      expect(verified.code, verified.out).to.equal(0);
      expect(JSON.parse(verified.out).lots).to.be.greaterThan(50);
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
              /^\d+$/.test(pid) &&
              readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}`)
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
});
