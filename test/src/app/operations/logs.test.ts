/**
 * What a whole service writes while bids are made: every line is JSON, a bid is found by its id from the decision to
 * the delivery, and nothing that is anybody's secret is in it. Errors of Postgres, which quote rows, keep theirs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { symbols } from 'pino';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { createSubscription } from '../../../../src/webhooks/webhook-subscriptions.ts';
import { aLot, anAuction, aTeam, aToken, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { programToRun } from '../../../support/program.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Receiver, startReceiver } from '../../../support/webhook-receiver.ts';

const CEILING = '98765432';

describe('the log of a whole service', function () {
  this.timeout(150_000);
  let database: MigratedDatabase;
  let redis: FreshRedis;
  let receiver: Receiver;
  let dataDir: string;
  let started: ChildProcess;
  let logged = '';
  let url = '';

  before(async () => {
    [database, redis, receiver, dataDir] = await Promise.all([
      migratedDatabase(),
      freshRedis(),
      startReceiver(),
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
    url = await eventually(async () => /listens on (http:\S+)/.exec(said)?.[1], 90_000);
  });
  after(async () => {
    started.kill('SIGTERM');
    await once(started, 'exit');
    await Promise.all([
      receiver.die(),
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

  it('lets a bid be followed by its id, and tells nobody’s secrets', async () => {
    const { db } = database;
    const config = loadConfig({ DATA_DIR: dataDir });
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    const auction = await anAuction(db, { team_id: team.id });
    const lot = await aLot(db, { auction_id: auction.id });
    const { secret } = await createSubscription(db.knex, config.appSecrets, team.id, {
      url: `${receiver.url}/told`,
      events: ['bid.placed'],
    });
    const { token } = await aToken(db);
    const place = () =>
      fetch(`${url}/api/v1/lots/${lot.id}/bids`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ amount: '500.00', max_amount: `${CEILING}.00` }),
      });
    const answer = await eventually(async () => {
      const found = await place();
      return found.status === 201 ? found.json() : null;
    }, 20_000);
    const bidId: string = (answer as { data: { id: string } }).data.id;
    await receiver.until((received) => received.some(({ text }) => text.includes(bidId)));
    const steps = await eventually(async () => {
      const about = lines().filter(({ bid }) => bid === bidId);
      const found = ['bid decided', 'bid projected', 'delivery tried'].map((step) =>
        about.find(({ msg }) => msg === step),
      );
      return found.every((one) => one !== undefined) && found;
    });
    expect(steps.map(({ role }) => role)).to.deep.equal(['web', 'worker', 'worker']);

    // Postgres refuses an entry, and quotes the whole row in its details.
    await db.knex.raw(`ALTER TABLE bids ADD CONSTRAINT none_of_it CHECK (listed IS NULL) NOT VALID`);
    await fetch(`${url}/api/v1/lots/${lot.id}/bids`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${(await aToken(db)).token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ max_amount: `${CEILING}.00` }),
    });
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
      expect(logged.includes(value), `${name} is in the log`).to.equal(false);
  });
});
