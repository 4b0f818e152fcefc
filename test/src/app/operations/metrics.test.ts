/**
 * The figures of web and worker processes, and that documentation, dashboard and alerts use no name that a running
 * server does not have.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { RunningJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { BrowserLike, quickHash, signIn, signUp } from '../../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type Service, startService } from '../../../support/service.ts';
import { startReceiver } from '../../../support/webhook-receiver.ts';

const textOf = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

/** The names that a text speaks of, without what Prometheus adds to a histogram's. */
function namesIn(text: string): string[] {
  const found = text.matchAll(/\b(?:rostrum|http|nodejs|process)_[a-z0-9_]+[a-z0-9]\b/g);
  const bare = [...found].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
  return [...new Set(bare)].sort();
}

/** The names that a process reports. */
function namesOf(metrics: string): string[] {
  return [...metrics.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? '').sort();
}

describe('the figures of a running service', () => {
  let service: Service;
  let jobs: RunningJobs;
  const worker = new Registry();
  /** What the worker says that is an error. */
  const lines: string[] = [];

  before(async () => {
    service = await startService({ env: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
    const log = pino({ level: 'error' }, { write: (line) => lines.push(line) });
    jobs = await startWorkerJobs(service.config, service.backends, worker, log);
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  const metrics = async () => (await service.get('/metrics')).text;

  it('have the same names in web and worker processes, all of them documented', async () => {
    const own = (text: string) => namesOf(text).filter((name) => name.startsWith('rostrum_'));
    const inWeb = own(await metrics());
    expect(inWeb).to.deep.equal(own(await worker.metrics()));
    const rows = textOf('docs/operations.md').matchAll(/^\| `(rostrum_[a-z_]+)/gm);
    expect(inWeb).to.deep.equal([...rows].map((row) => row[1]).sort());
  });

  for (const path of ['deploy/grafana-dashboard.json', 'deploy/prometheus-alerts.yaml']) {
    it(`are all that ${path} asks for`, async () => {
      const running = new Set(namesOf(await metrics()));
      const queried = namesIn(textOf(path));
      expect(queried).to.not.be.empty;
      expect(queried.filter((name) => !running.has(name))).to.deep.equal([]);
    });
  }

  it('have a chapter for each alert, and no chapter for one that is not there', () => {
    const docs = textOf('docs/operations.md');
    const alerts = [...textOf('deploy/prometheus-alerts.yaml').matchAll(/- alert: (\w+)/g)].map(
      (one) => one[1],
    );
    const headings = docs.match(/^### .*$/gm)?.join('\n') ?? '';
    expect(alerts.filter((alert) => !headings.includes(`\`${alert}\``))).to.deep.equal([]);
    const named = [...headings.matchAll(/`(\w+)`/g)].map((match) => match[1]);
    expect(named.filter((name) => !alerts.includes(name))).to.deep.equal([]);
  });

  it('count bids by outcome, code and channel, and the commits that they went into', async () => {
    const user = await aUser(service.database);
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    const token = await service.tokenFor(user);
    const bid = (amount: string, key: string) =>
      service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
        token,
        body: { amount },
        headers: { 'idempotency-key': key },
      });
    expect((await bid('500.00', 'a')).status).to.equal(201);
    expect((await bid('500.00', 'a')).status).to.equal(201);
    expect((await bid('0.01', 'b')).status).to.equal(422);
    const text = await metrics();
    const has = (line: string) => expect(text.split('\n')).to.include(line);
    has('rostrum_bids_total{outcome="leading",code="",channel="online"} 1');
    has('rostrum_bids_total{outcome="replayed",code="",channel="online"} 1');
    expect(text).to.match(/^rostrum_bids_total\{outcome="refused",code="[a-z_]+",channel="online"\} 1$/m);
    has('rostrum_lots_resident 1');
    has('rostrum_streams 0');
    expect(Number(/^rostrum_commit_seconds_count (\d+)$/m.exec(text)?.[1])).to.be.at.least(3);
    expect(text).to.match(/^rostrum_queue_depth\{queue="clock"\} \d+$/m);
    expect(text).to.match(/^rostrum_projection_lag_seconds \d/m);
  });

  it('match what was done: sign-ins, mails sent, and delivery attempts', async () => {
    const password = 'a long enough password';
    const owner = await aUser(service.database, { password_hash: quickHash(password) });
    const team = await aTeam(service.database, { owner });
    const browser = new BrowserLike(service.url);
    for (const typed of ['a wrong one', 'another wrong one', password])
      await signIn(browser, owner.email, typed);
    const signIns = await metrics();
    expect(signIns).to.match(/^rostrum_signins_total\{result="wrong_password"\} 2$/m);
    expect(signIns).to.match(/^rostrum_signins_total\{result="signed_in"\} 1$/m);

    const receiver = await startReceiver();
    const call = (path: string, body?: object) =>
      service.call('POST', `/api/v1/webhook-subscriptions${path}`, {
        token: ownersToken,
        headers: { 'x-team-id': String(team.id) },
        ...(body && { body }),
      });
    const ownersToken = await service.tokenFor(owner, ['seller']);
    const { body } = await call('', { url: receiver.url, events: ['*'] });
    // A test is tried once: what fails is given up.
    for (const status of [200, 500]) {
      receiver.behave = () => status;
      expect((await call(`/${body.data.id}/test`)).status).to.equal(202);
      await receiver.until((got) => got.length === (status === 200 ? 1 : 2));
    }
    const stranger = new BrowserLike(service.url);
    await signUp(stranger, 'stranger@example.com', password);
    await eventually(async () => (await sentMails()) === 1);
    await eventually(async () => {
      const text = await worker.metrics();
      return [
        'rostrum_webhook_deliveries_total{result="success"} 1',
        'rostrum_webhook_deliveries_total{result="exhausted"} 1',
        'rostrum_mail_total{result="sent"} 1',
      ].every((line) => text.split('\n').includes(line));
    });
    await receiver.die();
  });

  async function sentMails(): Promise<number> {
    const names = await readdir(join(service.config.dataDir, 'mail')).catch(() => []);
    return names.filter((name) => name.endsWith('.eml')).length;
  }

  it('count what Postgres refuses of the journal, and the worker says it once', async () => {
    const { knex } = service.database;
    const lot = await aLot(service.database, { auction_id: (await anAuction(service.database)).id });
    await service.publish();
    await knex.raw('ALTER TABLE bids ADD CONSTRAINT refused CHECK (amount_cents <> 11100)');
    const bid = async (amount: string) => {
      const token = await service.tokenFor(await aUser(service.database));
      return service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token, body: { amount } });
    };
    for (const amount of ['111.00', '222.00', '333.00']) expect((await bid(amount)).status).to.equal(201);
    await eventually(async () => /^rostrum_projection_failures 1$/m.test(await metrics()));
    await eventually(
      async () => Number((await knex('projection_set_aside').count('* as n').first())?.['n']) === 3,
    );
    expect(lines.map((line) => JSON.parse(line).failure?.lot_id)).to.deep.equal([lot.id]);
    expect(lines[0]).to.include('Postgres refused an entry').and.not.include('11100');
  });
});
