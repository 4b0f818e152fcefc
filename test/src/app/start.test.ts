import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCommand } from '../../support/commands.ts';
import { childPid, exitCode, post, run, type Service, startDemo } from '../../support/started-service.ts';

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

    it('lets the worker give way to the processes that take bids', () => {
      const priority = (role: string) => getPriority(childPid(service.child.pid!, role));
      expect([priority('web'), priority('worker')]).to.deep.equal([0, 5]);
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
  });
});
