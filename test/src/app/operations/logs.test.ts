/**
 * What a whole service writes and sends while bids are made: every line is JSON, a bid is found by its id from the
 * decision to sale, invoice, delivery and mail, one trace leads along the same way, and nothing that is anybody's
 * secret is in either. Errors of Postgres, which quote rows, keep theirs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { symbols } from 'pino';
import { signSimulcast } from '../../../../adapters/webhooks/simulcast-signature.ts';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { addPlatform } from '../../../../src/bidding/simulcast/platform-registry.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { createSubscription } from '../../../../src/webhooks/webhook-subscriptions.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aToken, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { type Collector, startCollector, treeOf } from '../../../support/otlp-collector.ts';
import { programToRun } from '../../../support/program.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Receiver, startReceiver } from '../../../support/webhook-receiver.ts';

const CEILING = '98765432';
const FOLLOWED = ['bid decided', 'bid projected', 'lot sold', 'invoice made', 'delivery tried', 'mail sent'];

/** Each span with its children, and its process; what is decided again appears once. */
const WAY_OF_A_BID = [
  [
    'rostrum-web POST /api/v1/lots/{lot}/bids',
    [
      'rostrum-web commit',
      ['rostrum-worker projection', ['rostrum-worker delivery']],
      [
        'rostrum-worker sale',
        ['rostrum-worker delivery'],
        ['rostrum-worker invoice', ['rostrum-worker delivery']],
        ['rostrum-worker mail'],
      ],
    ],
    ['rostrum-web decide'],
    ['rostrum-web wait'],
  ],
];

describe('the log and the traces of a whole service', () => {
  let database: MigratedDatabase;
  let redis: FreshRedis;
  let receiver: Receiver;
  let collector: Collector;
  let dataDir: string;
  let started: ChildProcess;
  let logged = '';
  let url = '';

  before(async () => {
    [database, redis, receiver, collector, dataDir] = await Promise.all([
      migratedDatabase(),
      freshRedis(),
      startReceiver(),
      startCollector(),
      mkdtemp(join(tmpdir(), 'rostrum-logs-')),
    ]);
    started = spawn(process.execPath, [...programToRun(), 'start'], {
      env: {
        ...process.env,
        NODE_ENV: 'test',
        PORT: '0',
        DATA_DIR: dataDir,
        LOG_LEVEL: 'debug',
        WEBHOOK_ALLOW_LOOPBACK: '1',
        DATABASE_URL: database.databaseUrl,
        REDIS_URL: redis.redisUrl,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    started.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      logged += text;
    });
    url = await eventually(async () => /listens on (http:\S+)/.exec(said)?.[1]);
  });
  after(async () => {
    started.kill('SIGTERM');
    await once(started, 'exit');
    await Promise.all([
      receiver.die(),
      collector.close(),
      redis.close(),
      database.drop(),
      rm(dataDir, { recursive: true, force: true }),
    ]);
  });

  const lines = () =>
    logged
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('writes of an error only what quotes no rows', () => {
    const row = Object.assign(new Error('violates a constraint'), {
      code: '23514',
      constraint: 'none_of_it',
      detail: `Failing row contains (7, ${CEILING}00).`,
    });
    const serializers: Record<string, (error: unknown) => Record<string, unknown>> = Reflect.get(
      openLog('silent', 'test'),
      symbols.serializersSym,
    );
    const written = serializers['err']?.(new Error('the projection failed', { cause: row }));
    expect(written).to.nested.include({ message: 'the projection failed', 'cause.constraint': 'none_of_it' });
    expect(JSON.stringify(written)).to.not.include(CEILING);
  });

  it('traces bids of pages and of salerooms like those of the API, and nobody who asks not to be', async () => {
    const { db } = database;
    const { appSecrets } = loadConfig({ DATA_DIR: dataDir });
    const { secret } = await addPlatform(db.knex, appSecrets, 'hall');
    const { id: auctionId } = await anAuction(db, { simulcast_platforms: ['hall'] });
    const lot = await aLot(db, { auction_id: auctionId });
    const browser = new BrowserLike(url);
    const { email } = await aUser(db, { password_hash: quickHash('a long enough password') });
    await signIn(browser, email, 'a long enough password');
    await eventually(async () => {
      const found = await fetch(`${url}/api/v1/lots/${lot.id}/journal`);
      return /"data":\[\{/.test(await found.text());
    }, 60_000);
    await browser.get(`/lots/${lot.id}`);
    const onPage = (dollars: number) => async (headers: Record<string, string>) =>
      (await browser.post(`/lots/${lot.id}/bid`, { amount: `${dollars}`, confirmed: 'yes' }, headers)).status;
    const onFloor = async (headers: Record<string, string>) => {
      const bidder = { paddle: '88', external_id: 'b-9' };
      const body = JSON.stringify({ event_id: 'e-1', sequence: 1, lot_id: lot.id, amount: '900.00', bidder });
      const seconds = Math.floor(Date.now() / 1_000);
      const signed = {
        'content-type': 'application/json',
        'x-timestamp': String(seconds),
        'x-signature': signSimulcast(secret, seconds, body),
      };
      const to = `${url}/webhooks/bid/hall`;
      return (await fetch(to, { method: 'POST', body, headers: { ...signed, ...headers } })).status;
    };
    for (const [bid, status, flag, way] of [
      [onPage(700), 303, '00', null],
      [onPage(800), 303, '01', 'POST /lots/{lot}/bid'],
      [onFloor, 200, '01', 'POST /webhooks/bid/{platform}'],
    ] as const) {
      const [trace, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
      expect(await bid({ traceparent: `00-${trace}-${parent}-${flag}` })).to.equal(status);
      const own = () => collector.spans.filter(({ traceId }) => traceId === trace);
      const ends = way === null ? [] : ['projection', way];
      await eventually(async () => ends.every((end) => own().some(({ name }) => name === end)));
      const steps = [
        ['rostrum-web commit', ['rostrum-worker projection']],
        ['rostrum-web decide'],
        ['rostrum-web wait'],
      ];
      expect(treeOf(own(), parent)).to.deep.equal(way === null ? [] : [[`rostrum-web ${way}`, ...steps]]);
    }
  });

  it('lets a bid be followed by its id, and tells nobody’s secrets', async () => {
    const { db } = database;
    const config = loadConfig({ DATA_DIR: dataDir });
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    const end = new Date(Date.now() + 4_000).toISOString();
    const closing = { end_time: end, soft_close_window_seconds: 0 };
    const { id: auctionId } = await anAuction(db, { team_id: team.id, ...closing });
    const lot = await aLot(db, { auction_id: auctionId });
    const { secret } = await createSubscription(db.knex, config.appSecrets, team.id, {
      url: `${receiver.url}/told`,
      events: ['bid.placed', 'lot.sold', 'invoice.created'],
    });
    const { token } = await aToken(db);
    let [trace, parent] = ['', ''];
    const placed = await eventually(async () => {
      [trace, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
      const found = await fetch(`${url}/api/v1/lots/${lot.id}/bids`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          traceparent: `00-${trace}-${parent}-01`,
        },
        body: JSON.stringify({ amount: '500.00', max_amount: `${CEILING}.00` }),
      });
      return found.status === 201 ? found.json() : null;
    }, 60_000);
    const bidId: string = (placed as { data: { id: string } }).data.id;
    const steps = await eventually(async () => {
      const about = lines().filter(({ bid }) => bid === bidId);
      const found = FOLLOWED.map((step) => about.filter(({ msg }) => msg === step));
      const [tried = [], mailed = []] = found.slice(-2);
      return found.every(([one]) => one !== undefined) && tried.length === 3 && mailed.length === 1 && found;
    }, 60_000);
    expect(steps.map(([one]) => one.role)).to.deep.equal(['web', ...FOLLOWED.slice(1).map(() => 'worker')]);

    const spans = await eventually(async () => {
      const own = collector.spans.filter(({ traceId }) => traceId === trace);
      return own.filter(({ name }) => name === 'mail').length === 1 && own;
    });
    expect(treeOf(spans, parent)).to.deep.equal(WAY_OF_A_BID);
    // The seller's fee follows from the auction's end, which nobody requested.
    const ofTheBid = receiver.received.filter(({ text }) => !text.includes('platform_fee'));
    const traceparents = ofTheBid.map(({ headers }) => headers['traceparent']);
    const deliveries = spans.filter(({ name }) => name === 'delivery').map(({ spanId }) => spanId);
    expect(traceparents.sort()).to.deep.equal(deliveries.map((spanId) => `00-${trace}-${spanId}-01`).sort());
    const mails = spans.filter(({ name }) => name === 'mail').map(({ spanId }) => spanId);
    const mailed = await readdir(join(dataDir, 'mail'));
    const letters = await Promise.all(mailed.map((name) => readFile(join(dataDir, 'mail', name), 'utf8')));
    const named = letters.flatMap(
      (text) => text.split('\n\n', 1)[0]?.match(/(?<=^traceparent: ).*$/gm) ?? [],
    );
    expect(named.filter((context) => context.includes(trace)).sort()).to.deep.equal(
      mails.map((spanId) => `00-${trace}-${spanId}-01`).sort(),
    );
    await fetch(`${url}/api/v1/lots/${lot.id}`, { headers: { traceparent: `00-${'z'.repeat(5_000)}` } });
    const own = await eventually(async () => collector.spans.find(({ name }) => name.startsWith('GET ')));
    expect(own.parentSpanId ?? '').to.equal('');
    const auction = await anAuction(db, { team_id: team.id });
    const refused = await aLot(db, { auction_id: auction.id });

    // Postgres refuses an entry, and quotes the whole row in its details.
    await db.knex.raw(`ALTER TABLE bids ADD CONSTRAINT none_of_it CHECK (listed IS NULL) NOT VALID`);
    const { token: other } = await aToken(db);
    await eventually(async () => {
      const { status } = await fetch(`${url}/api/v1/lots/${refused.id}/bids`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${other}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ max_amount: `${CEILING}.00` }),
      });
      return status === 201;
    }, 60_000);
    await eventually(async () => lines().find(({ msg }) => /set aside/.test(msg)));
    const secrets = {
      token,
      CEILING,
      cents: `${CEILING}00`,
      secret,
      appSecret: config.appSecrets[0],
      paymentSecret: config.paymentWebhookSecret,
    };
    for (const [name, value] of Object.entries(secrets))
      for (const [what, text] of Object.entries({ log: logged, traces: JSON.stringify(collector.spans) }))
        expect(text.includes(value), `${name} is in the ${what}`).to.equal(false);
  });
});
