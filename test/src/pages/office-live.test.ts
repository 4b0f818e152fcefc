/** The office's live figures: over processes that share only Redis and Postgres. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { figuresReader } from '../../../src/app/process/shared-figures.ts';
import { type Figure, liveView, type ProcessFigures } from '../../../src/pages/office/live-figures.ts';
import { openLog } from '../../../src/shared/log.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('The office, live', () => {
  let first: Service;
  let second: Service;
  let jobs: RunningJobs;
  let browser: BrowserLike;

  before(async () => {
    first = await startService();
    const { database, databaseUrl, redis } = first;
    second = await startService({ redis, database: { db: database, databaseUrl } });
    jobs = await startWorkerJobs(second.config, second.backends, new Registry(), openLog('silent', 'test'));
    const admin = await aUser(database, { password_hash: quickHash(PASSWORD), is_admin: true });
    browser = new BrowserLike(first.url);
    await signIn(browser, admin.email, PASSWORD);
  });
  after(async () => {
    await jobs.close();
    await second.close();
    await first.close();
  });

  const figures = async () => (await browser.get('/office/live/figures')).text;
  const rowOf = (text: string, ...cells: string[]) =>
    new RegExp(`<tr>${cells.map((cell) => `<td[^>]*>${cell}</td>`).join('\\s*')}`).test(
      text.replaceAll(/>\s+</g, '><'),
    );

  it('adds up the bids of all processes, by outcome and code, whenever they are read', async () => {
    const { id } = await aLot(first.database);
    await first.publish();
    const bid = async (service: Service, amount: string) => {
      const token = await service.tokenFor(await aUser(service.database));
      return service.call('POST', `/api/v1/lots/${id}/bids`, { token, body: { amount } });
    };
    await bid(first, '100.00');
    await bid(second, '150.00');
    await bid(second, '20.00');
    const page = await browser.get('/office/live');
    expect(page.status).to.equal(200);
    expect(page.text)
      .to.contain('from 3 processes')
      .and.to.contain('data-live-figures="/office/live/figures"');
    expect(page.text).not.to.match(/<script(?![^>]* src=)/);
    expect(page.text).to.match(/<td>web [^<]+ \d+<\/td>[\s\S]*<td>web [^<]+ \d+<\/td>[\s\S]*<td>worker /);
    await bid(second, '200.00');
    const text = await eventually(async () => {
      const now = await figures();
      return rowOf(now, 'refused', 'bid_too_low') ? now : null;
    });
    expect(text).to.contain('Commit time').and.to.contain('Closing delay').and.to.contain('Projection lag');
    const counts = await eventually(async () => {
      const view = await liveViewOf();
      return view.bids.some(({ rate }) => rate > 0) ? view : null;
    });
    expect(counts.bidsPerS).to.be.above(0);
    expect(counts.commits.all.count).to.be.above(2);
    expect(counts.queues.map(({ name }) => name)).to.include('mail');
  });

  const liveViewOf = async () => liveView(await figuresReader(first.backends)());

  it('takes sums, largest values and shares as each metric says', async () => {
    const metric = (name: string, values: object[], aggregator = 'sum', type = 'counter') =>
      ({ name, help: '', type, aggregator, values }) as unknown as Figure;
    const shared = (bids: number, lag: number, fast: number, slow: number) => [
      metric('rostrum_bids_total', [{ labels: { outcome: 'leading', code: '' }, value: bids }]),
      metric('rostrum_projection_lag_seconds', [{ labels: {}, value: lag }], 'max', 'gauge'),
      metric(
        'rostrum_commit_seconds',
        [
          { labels: { le: 0.01 }, value: fast, metricName: 'rostrum_commit_seconds_bucket' },
          { labels: { le: 0.1 }, value: fast + slow, metricName: 'rostrum_commit_seconds_bucket' },
          { labels: { le: '+Inf' }, value: fast + slow, metricName: 'rostrum_commit_seconds_bucket' },
          { labels: {}, value: 1, metricName: 'rostrum_commit_seconds_sum' },
          { labels: {}, value: fast + slow, metricName: 'rostrum_commit_seconds_count' },
        ],
        'sum',
        'histogram',
      ),
    ];
    const process = (pid: number, now: readonly Figure[], before: readonly Figure[]): ProcessFigures => ({
      id: String(pid),
      role: 'web',
      host: 'here',
      pid,
      atMs: 14_000,
      now,
      before,
      beforeMs: 10_000,
    });
    const view = await liveView([
      process(1, shared(30, 2, 90, 10), shared(10, 9, 0, 0)),
      process(2, shared(50, 3, 90, 10), shared(50, 1, 90, 10)),
    ]);
    expect(view.bids).to.deep.equal([{ labels: ['leading', ''], rate: 5, total: 80 }]);
    expect(view).to.include({ overS: 4, bidsPerS: 5, acceptedPerS: 5, refusedPerS: 0, lagSeconds: 3 });
    expect(view.commits.lately.count).to.equal(100);
    expect(view.commits.lately.p50).to.be.closeTo(0.0056, 0.0001);
    expect(view.commits.lately.p99).to.be.closeTo(0.091, 0.0001);
    expect(view.commits.all.count).to.equal(200);
    expect((await liveView([])).commits.all).to.deep.equal({ count: 0, p50: null, p99: null });
  });
});
