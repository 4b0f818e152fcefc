/**
 * A restore onto servers that are not empty: the journal that the deployment continues, beside which only Postgres is
 * restored; another journal; and the remains of a killed restore.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../../../adapters/postgres/database.ts';
import { renameEpoch, shardEpochs, writeEpoch } from '../../../../adapters/redis/epoch.ts';
import { type OpenLink, openLink } from '../../../../adapters/redis/link.ts';
import { beginUnfinished, isUnfinished } from '../../../../adapters/redis/unfinished-restore.ts';
import { FolderStorage } from '../../../../adapters/storage/folder.ts';
import { backUp } from '../../../../src/app/backup/back-up.ts';
import { restore } from '../../../../src/app/backup/restore-backup.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { startProjection } from '../../../../src/bidding/projection/projection.ts';
import { invoiceClosedLots } from '../../../../src/billing/invoices/winner-invoices.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('a restore', () => {
  let service: Service;
  let folder: string;
  let storage: FolderStorage;
  let token: string;
  let lotId: number;
  const lots: number[] = [];
  let buyerId: number;
  const ending: (() => Promise<unknown>)[] = [];

  before(async () => {
    service = await startService();
    ending.push(() => service.close());
    folder = await mkdtemp(join(tmpdir(), 'rostrum-restore-'));
    ending.push(() => rm(folder, { recursive: true, force: true }));
    storage = new FolderStorage(join(folder, 'media'));
    token = await service.tokenFor(await aUser(service.database));
    const auction = await anAuction(service.database);
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
    await service.publish();
    expect((await bid(service, 'before', 1_000)).status).to.equal(201);
    const { database, redis } = service.backends;
    const parts = { database, redis, storage, version: '1', copiesMedia: false, onProgress: () => undefined };
    await backUp(parts, join(folder, 'backup'));
    expect((await bid(service, 'behind', 2_000)).status).to.equal(201);
    // Of the account and the auction of today the backup knows nothing.
    const buyer = await aUser(service.database);
    const later = await anAuction(service.database);
    for (const price of [50_000, null])
      lots.push((await aLot(service.database, { auction_id: later.id, buy_now_price_cents: price })).id);
    await service.publish();
    const path = `/api/v1/lots/${lots[0]}/buy-now`;
    const body = { currency: 'usd' };
    const bought = await service.call('POST', path, { token: await service.tokenFor(buyer), body });
    expect(bought.body.data?.outcome, bought.text).to.equal('won');
    buyerId = buyer.id;
  });
  after(async () => {
    for (const end of ending.reverse()) await end();
  });

  const bid = (at: Service, key: string, dollars: number, on = lotId) =>
    at.call('POST', `/api/v1/lots/${on}/bids`, {
      token,
      body: { amount: `${dollars}.00` },
      headers: { 'idempotency-key': key },
    });

  async function anEmptyDatabase(): Promise<{ target: MigratedDatabase; database: Database }> {
    const target = await migratedDatabase();
    const database = openDatabase(target.databaseUrl);
    ending.push(
      () => target.drop(),
      () => database.close(),
    );
    return { target, database };
  }

  async function anEmptyRedis(): Promise<{ server: FreshRedis; redis: OpenLink }> {
    const server = await freshRedis();
    const redis = await openLink(server.redisUrl);
    ending.push(
      () => server.close(),
      async () => redis.link.destroy(),
    );
    return { server, redis };
  }

  const restoreInto = (database: Database, redis: OpenLink, more: object = {}) =>
    restore({ database, redis, storage, onProgress: () => undefined, ...more }, join(folder, 'backup'));
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );

  it('of Postgres alone continues with the existing journal, whatever failovers have renamed it', async () => {
    const { target, database } = await anEmptyDatabase();
    const { redis } = service.backends;
    const alone = { postgresOnly: true };
    const other = await anEmptyRedis();
    expect(await refusal(restoreInto(database, other.redis, alone))).to.match(
      /^REDIS_URL: this Redis is empty/,
    );
    await writeEpoch(other.redis, 'of somebody else');
    await other.redis.link.send('', ['HSET', '{s00}:rec', '1', '{}']);
    expect(await refusal(restoreInto(database, other.redis, alone))).to.match(
      /^REDIS_URL: .* holds a different journal/,
    );
    expect(await refusal(restoreInto(database, redis))).to.match(
      /^REDIS_URL: .* with --only postgres it is kept/,
    );

    await renameEpoch(redis, 'after a failover');
    await renameEpoch(redis, 'after another one');
    const { made, keys } = await restoreInto(database, redis, alone);
    expect([keys, made?.accounts.includes(buyerId), made?.lots]).to.deep.equal([0, true, lots]);
    const back = await startService({
      database: { db: target.db, databaseUrl: target.databaseUrl },
      redis: service.redis,
    });
    ending.push(() => back.close());
    expect(back.backends.epoch.trouble).to.equal(null);
    const { knex } = back.backends;
    const onLotClosed = [invoiceClosedLots];
    const projection = await startProjection({ ...back.backends, scripts: REDIS_SCRIPTS, onLotClosed });
    ending.push(() => projection.close());
    await eventually(async () => (await projection.lag()).entries === 0);
    expect(await verifyJournal(back.backends, null)).to.include({ ok: true, lots: 3 });
    const rows = await knex('lots')
      .whereIn('id', lots)
      .orderBy('id')
      .select('status', 'title', 'winner_user_id');
    expect(rows[0]).to.include({ status: 'sold', winner_user_id: buyerId });
    expect(rows[1]).to.include({ status: 'active', title: 'Lot 2 (its description is lost)' });
    const invoice = await knex('invoices').where('lot_id', lots[0]).first('user_id');
    expect(invoice).to.deep.equal({ user_id: buyerId });
    expect((await back.get(`/api/v1/lots/${lots[1]}`)).body.data.status).to.equal('active');
    const onAnother = await bid(back, 'on-the-other', 4_000, lots[1]);
    expect(onAnother.status, onAnother.text).to.equal(201);
    expect(await refusal(rebuildJournal({ ...back.backends, onLotClosed: [] }))).to.match(
      /in order: there is nothing to rebuild/,
    );
    const again = await bid(back, 'behind', 2_000);
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
    expect((await bid(back, 'afterwards', 3_000)).status).to.equal(201);
    const { id, current_team_id: teamId } = await aUser(back.database);
    expect(Math.min(id, teamId ?? 0)).to.be.greaterThan(1_000_000);
    // The first service's Postgres, as one from before both: it may go on as well.
    await eventually(async () => {
      await service.backends.epoch.check();
      return service.backends.epoch.name === 'after another one';
    });
  });

  it('that was killed is continued, wherever it was', async () => {
    const { target, database } = await anEmptyDatabase();
    const { server, redis } = await anEmptyRedis();
    // While keys are loaded.
    await beginUnfinished(redis);
    await redis.link.send('', ['HSET', '{s00}:rec', '1', 'half']);
    const whole = await restoreInto(database, redis);
    expect(await isUnfinished(redis)).to.equal(false);
    const { epoch } = await target.db.knex('journal_meta').first('epoch');
    expect(new Set(await shardEpochs(redis))).to.deep.equal(new Set([epoch]));
    // Before Postgres was committed: what Redis has is nobody's.
    await writeEpoch(redis, `restoring ${epoch}`);
    const next = await anEmptyDatabase();
    expect(await restoreInto(next.database, redis)).to.deep.equal(whole);
    // After that: it only has its name to be given.
    const meta = await next.target.db.knex('journal_meta').first('epoch');
    await writeEpoch(redis, `restoring ${meta.epoch}`);
    await next.target.db.knex('journal_meta').update({ previous_epoch: `restoring ${meta.epoch}` });
    expect(await restoreInto(next.database, redis)).to.deep.equal(whole);
    const { databaseUrl, db } = next.target;
    const back = await startService({ database: { db, databaseUrl }, redis: server });
    ending.push(() => back.close());
    expect(await verifyJournal(back.backends, null)).to.include({ ok: true, lots: 1 });
    expect((await bid(back, 'before', 1_000)).headers.get('idempotency-replayed')).to.equal('true');
    expect(await refusal(restoreInto(next.database, redis))).to.match(
      /^DATABASE_URL: .* holds a marketplace/,
    );
  });
});
