/**
 * Postgres restored from an older copy beneath a running service, after the journal's log was trimmed beyond it: the
 * projection stops before the gap, every check reports it, and `journal bridge` continues from the lots' present
 * states.
 */
import { expect } from 'chai';
import pg from 'pg';
import { LogTrimmer } from '../../../../adapters/redis/log-trimmer.ts';
import { lastLogId } from '../../../../adapters/redis/shard-log.ts';
import { bridgeJournal } from '../../../../src/bidding/journal/bridge.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { LogUnfit } from '../../../../src/bidding/projection/log-fit.ts';
import { type Projection, startProjection } from '../../../../src/bidding/projection/projection.ts';
import { readShard } from '../../../../src/bidding/records/auction-shards.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { invoiceClosedLots } from '../../../../src/billing/invoices/winner-invoices.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

const LOTS = ['calm', 'busy', 'quiet', 'sold', 'untouched'] as const;
type Name = (typeof LOTS)[number];

describe('a Postgres that is older than what the journal still has', () => {
  let service: Service;
  let projection: Projection;
  let admin: pg.Client;
  let tokens: string[];
  const lots = {} as Record<Name, number>;
  const unfit: LogUnfit[] = [];
  let stood: Record<string, JsonValue>;
  let shard: number;
  let lastBidId: string;

  before(async () => {
    service = await startService();
    const { database } = service;
    const url = new URL(service.databaseUrl);
    url.pathname = '/postgres';
    admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    tokens = await Promise.all(
      [await aUser(database), await aUser(database)].map((user) => service.tokenFor(user)),
    );
    const auction = await anAuction(database);
    for (const name of LOTS)
      lots[name] = (await aLot(database, { auction_id: auction.id, buy_now_price_cents: 90_000 })).id;
    await service.publish();
    shard = await readShard(database.knex, auction.id);
    projection = await startProjection({
      ...service.backends,
      scripts: REDIS_SCRIPTS,
      onLotClosed: [invoiceClosedLots],
      claimEveryMs: 100,
      onError: (error) => {
        if (error instanceof LogUnfit) unfit.push(error);
      },
    });
  });
  after(async () => {
    await projection.close();
    await service.close();
    await admin.query(`DROP DATABASE IF EXISTS ${databaseName()}_newer WITH (FORCE)`);
    await admin.end();
  });

  const databaseName = () => new URL(service.databaseUrl).pathname.slice(1);

  async function bid(name: Name, who: number, body: object, key?: string) {
    const path = 'currency' in body ? 'buy-now' : 'bids';
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const options = { token: tokens[who], body, headers };
    return service.call('POST', `/api/v1/lots/${lots[name]}/${path}`, options);
  }

  async function bids(...some: [name: Name, who: number, body: object][]): Promise<void> {
    for (const [name, who, body] of some) {
      const answer = await bid(name, who, body, `${name}-${JSON.stringify(body)}`);
      expect(answer.status, answer.text).to.equal(201);
      lastBidId = answer.body.data.id;
    }
    await eventually(async () => (await projection.lag()).entries === 0);
  }

  /** What does not come from Postgres' copy. */
  async function standing() {
    const all: Record<string, JsonValue> = {};
    for (const name of LOTS) {
      const { status, body } = await service.get(`/api/v1/lots/${lots[name]}`);
      expect(status).to.equal(200);
      const { current_bid, bid_count, status: state, end_time, minimum_next_bid } = body.data;
      all[name] = { current_bid, bid_count, state, end_time, minimum_next_bid };
    }
    return all;
  }

  /** Nobody is connected while it runs; everybody connects again afterwards. */
  async function withoutConnections(statements: readonly string[]): Promise<void> {
    const name = databaseName();
    await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    for (const statement of statements) await admin.query(statement);
    await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
  }

  before('plays an auction, and puts Postgres back', async () => {
    const name = databaseName();
    await bids(['calm', 0, { amount: '100.00' }], ['busy', 0, { amount: '100.00' }]);
    await withoutConnections([`CREATE DATABASE ${name}_older TEMPLATE ${name}`]);
    await eventually(async () => (await service.get('/readyz')).status === 200);
    await bids(
      ['busy', 1, { max_amount: '300.00' }],
      ['quiet', 1, { amount: '150.00' }],
      ['sold', 0, { currency: 'usd' }],
    );
    const { redis } = service.backends;
    const gone = await new LogTrimmer(redis, service.backends.epoch, REDIS_SCRIPTS).trim(
      shard,
      await lastLogId(redis, shard),
    );
    expect(gone).to.be.greaterThan(5);
    await bids(['calm', 1, { amount: '200.00' }], ['busy', 0, { amount: '500.00' }]);
    stood = await standing();
    await withoutConnections([
      `ALTER DATABASE ${name} RENAME TO ${name}_newer`,
      `ALTER DATABASE ${name}_older RENAME TO ${name}`,
    ]);
    await admin.query(`ALTER DATABASE ${name}_newer WITH ALLOW_CONNECTIONS true`);
  });

  it('stops the projection before the gap, and is reported everywhere', async () => {
    await eventually(async () => unfit.length > 0);
    expect(unfit[0]?.message).to.match(/^shard \d+: Postgres is older than what the journal still has/);
    // Said once the comparison has ended; while it runs, the trouble is that it runs.
    await eventually(async () => service.backends.epoch.trouble?.startsWith('Postgres is older') ?? false);
    const trouble = service.backends.epoch.trouble ?? '';
    expect(trouble).to.match(/ \(shards \d+\): restore a newer one, or .*journal bridge/);
    const ready = await service.get('/readyz');
    expect([ready.status, ready.text.includes('journal bridge')]).to.deep.equal([503, true]);
    expect((await service.get('/metrics')).text).to.match(/^rostrum_journal_in_order 0$/m);
    expect((await verifyJournal(service.backends, null)).difference).to.equal(trouble);
    expect((await bid('calm', 0, { amount: '900.00' })).body.code).to.equal('journal_unavailable');
    const { knex } = service.database;
    const { rows } = await knex.raw('SELECT max(sequence) AS top FROM journal_entries WHERE lot_id = ?', [
      lots.calm,
    ]);
    expect(rows[0].top).to.equal(3);
    expect(await knex('projection_failures').select('error')).to.deep.equal([]);
    const rebuilt = await rebuildJournal({ ...service.backends, onLotClosed: [] }).catch(
      (error: Error) => error,
    );
    expect(rebuilt).to.have.property('message').that.includes('--discard-unprojected');
  });

  it('is bridged: every lot keeps its state, and what is missing is reported', async () => {
    const parts = { ...service.backends, onLotClosed: [invoiceClosedLots] };
    const { lots: bridged } = await bridgeJournal(parts);
    const names = bridged.map(({ lotId }) => LOTS.find((name) => lots[name] === lotId));
    expect(names).to.deep.equal(['busy', 'quiet', 'sold']);
    expect(service.backends.epoch.trouble).to.equal(null);
    await eventually(async () => (await projection.lag()).entries === 0);
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true, lots: LOTS.length });
    expect(await standing()).to.deep.equal(stood);
    const { knex } = service.database;
    const states = await knex('lots').whereIn('id', Object.values(lots)).orderBy('id').pluck('status');
    expect(states).to.deep.equal(['active', 'active', 'active', 'sold', 'active']);
    const invoiced = await knex('invoices').where('kind', 'winner').orderBy('lot_id').pluck('lot_id');
    expect(invoiced).to.deep.equal([lots.sold]);
    const again = await bridgeJournal(parts).catch((error: Error) => error);
    expect(again).to.have.property('message', 'the journal is in order: there is nothing to bridge');
  });

  it('continues from there: keys replay, lots are bid on, and no id is given twice', async () => {
    const replayed = await bid('busy', 1, { max_amount: '300.00' }, 'busy-{"max_amount":"300.00"}');
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
    await bids(['busy', 1, { amount: '700.00' }], ['quiet', 0, { amount: '800.00' }]);
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true });
    expect((await aUser(service.database)).id).to.be.greaterThan(1_000_000);
    const voided = await voidBid(service.backends, lastBidId, 'a test').catch((error: Error) => error);
    expect(voided).to.have.property('message').that.includes('entries of this lot’s journal are missing');
  });
});
