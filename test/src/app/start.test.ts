/**
 * The whole service as `npm start` runs it, in processes of its own: what it prints, what it does when it is ended in
 * the middle of bids, and that nothing it acknowledged is lost when one of its parts is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { programToRun } from '../../support/program.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
}

function run(dataDir: string, args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [...programToRun(), ...args], {
    cwd: project,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return { child, out: () => out, err: () => err };
}

async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  what: () => string,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what()}`);
    await sleep(50);
  }
}

async function exitCode({ child }: Run): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

interface Service extends Run {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly lotId: number;
  readonly amount: string;
}

async function startDemo(dataDir: string): Promise<Service> {
  const started = run(dataDir, ['start', '--demo']);
  const has = (text: string) => started.out().includes(text);
  await until(
    () => started.child.exitCode !== null || (has('curl') && has('"}\'\n')),
    90_000,
    () => started.out() + started.err(),
  );
  const [, url = ''] = /listens on (http:\S+)/.exec(started.out()) ?? [];
  const [, lotId = ''] = /\/lots\/(\d+)\/bids/.exec(started.out()) ?? [];
  const [, amount = ''] = /"amount":"([\d.]+)"/.exec(started.out()) ?? [];
  const tokens = [...started.out().matchAll(/^ {2}(?:buyer|admin).*token (\S+)/gm)].map((match) => match[1]!);
  return { ...started, url, tokens, lotId: Number(lotId), amount };
}

interface Answer {
  /** 0: the connection was cut. */
  readonly status: number;
  readonly body: { success?: boolean; code?: string; data: Record<string, unknown> };
}

function post(
  url: string,
  path: string,
  token: string,
  key: string,
  body: object,
  agent: Agent,
): Promise<Answer> {
  return new Promise((resolve) => {
    const cut = () => resolve({ status: 0, body: { data: {} } });
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    const call = request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', cut);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    call.on('error', cut);
    call.end(JSON.stringify(body));
  });
}

async function lotOf(
  { url }: Service,
  lotId: number,
): Promise<{ bid_count: number; minimum_next_bid: string }> {
  const answer = (await (await fetch(`${url}/api/v1/lots/${lotId}`)).json()) as { data: never };
  return answer.data;
}

/** The start's child of that role. */
function childPid(parent: number, role: string): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((pid) => {
      try {
        const isChild = new RegExp(`^PPid:\\s*${parent}$`, 'm').test(
          readFileSync(`/proc/${pid}/status`, 'utf8'),
        );
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0${role}\0`);
      } catch {
        return false;
      }
    });
  if (found === undefined) throw new Error(`no ${role} process`);
  return Number(found);
}

/**
 * Bids one after the other, both people in turn, until told to stop. Counts what was acknowledged and what nobody
 * knows.
 */
async function bidOn(
  service: Service,
  going: () => boolean,
): Promise<{ acknowledged: number; unknown: number }> {
  const agent = new Agent({ keepAlive: true });
  const { lotId, tokens } = service;
  let acknowledged = 0;
  let unknown = 0;
  let amount = (await lotOf(service, lotId)).minimum_next_bid;
  for (let turn = 0; going(); turn += 1) {
    const key = `turn-${Date.now()}-${turn}`;
    const token = tokens[turn % tokens.length]!;
    const { status, body } = await post(
      service.url,
      `/api/v1/lots/${lotId}/bids`,
      token,
      key,
      { amount },
      agent,
    );
    const lot = (body.data?.['lot'] ?? body.data) as { minimum_next_bid?: string } | undefined;
    amount = lot?.minimum_next_bid ?? amount;
    if (status === 201) acknowledged += 1;
    else if (status === 0 || body.code === 'journal_unavailable') unknown += 1;
    if (status === 0 || status === 503) await sleep(50);
  }
  agent.destroy();
  return { acknowledged, unknown };
}

/** Bids while a process is killed and comes back; then everything acknowledged must be there. */
async function bidThroughAKill(service: Service, pid: () => number): Promise<void> {
  const before = (await lotOf(service, service.lotId)).bid_count;
  let going = true;
  const bidding = bidOn(service, () => going);
  await sleep(400);
  process.kill(pid(), 'SIGKILL');
  await sleep(200);
  const isReady = async () => (await fetch(`${service.url}/readyz`).catch(() => null))?.ok ?? false;
  await until(isReady, 30_000, service.err);
  await sleep(800);
  going = false;
  const { acknowledged, unknown } = await bidding;
  expect(acknowledged).to.be.greaterThan(1);
  const stored = (await lotOf(service, service.lotId)).bid_count - before;
  expect(stored, `${acknowledged} acknowledged, ${unknown} unknown`).to.be.within(
    acknowledged,
    acknowledged + unknown,
  );
}

describe('rostrum start', function () {
  this.timeout(150_000);
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
    const mistakes: [string, Record<string, string>][] = [
      ['PORT', { PORT: '70000' }],
      ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: 'many' }],
      ['DATABASE_URL', { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' }],
      ['HOST', { HOST: '203.0.113.7' }],
      ['APP_SECRET', { NODE_ENV: 'production' }],
    ];
    it('says which variable is wrong in one sentence', () =>
      Promise.all(
        mistakes.map(async ([name, env]) => {
          const failed = run(dataDir, ['start'], env);
          expect(await exitCode(failed)).to.equal(1);
          expect(failed.err()).to.match(new RegExp(`^rostrum: ${name}: [^\\n]+\\n$`));
          expect(failed.out()).to.equal('');
        }),
      ));

    it('says the same of web and worker processes', () =>
      Promise.all(
        ['web', 'worker'].map(async (role) => {
          const [name, env] = mistakes[2]!;
          const failed = run(dataDir, [role], env);
          expect(await exitCode(failed)).to.equal(1);
          expect(failed.err()).to.match(new RegExp(`^rostrum: ${name}: [^\\n]+\\n$`));
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

    it('ends a web or worker process whose port is taken, though its connections are open', () =>
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
      const info = run(dataDir, ['info', '--json'], { PORT: '8080' });
      const verified = run(dataDir, ['journal', 'verify', '--json'], { PORT: '8080' });
      expect(await exitCode(info), info.err()).to.equal(0);
      expect(JSON.parse(info.out())).to.include({ address: service.url });
      expect(await exitCode(verified), verified.out()).to.equal(0);
      expect(JSON.parse(verified.out()).lots).to.be.greaterThan(50);
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
      expect(performance.now() - startedMs).to.be.below(10_000);
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
        5_000,
        () => `left: ${works().join(' ')}`,
      );
      service = await startDemo(dataDir);
      expect((await lotOf(service, service.lotId)).bid_count).to.be.a('number');
    });
  });
});
