/**
 * A backup taken while bids come in, restored into empty servers: the journal verifies, no answer is lost that was
 * given before it, and everything continues from there.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../../../adapters/postgres/database.ts';
import { openLink } from '../../../../adapters/redis/link.ts';
import { shardKeys, shardOf } from '../../../../adapters/redis/shards.ts';
import { FolderStorage } from '../../../../adapters/storage/folder.ts';
import { backUp } from '../../../../src/app/backup/back-up.ts';
import { readManifest } from '../../../../src/app/backup/manifest.ts';
import { restore } from '../../../../src/app/backup/restore-backup.ts';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import type { Projection } from '../../../../src/bidding/projection/projection.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import { OLD_MIGRATIONS } from '../../../support/old-migrations.ts';
import { projectionOf } from '../../../support/projection.ts';
import { redisCommand } from '../../../support/redis-replicas.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('a backup', () => {
  let service: Service;
  let projection: Projection;
  let folder: string;
  let storage: FolderStorage;
  let token: string;
  const lotIds: number[] = [];
  const opened: (() => Promise<unknown>)[] = [];

  before(async () => {
    service = await startService();
    projection = await projectionOf(service.backends);
    folder = await mkdtemp(join(tmpdir(), 'rostrum-backup-'));
    storage = new FolderStorage(join(folder, 'media-of-the-service'));
    await writeFile(join(folder, 'picture'), 'a picture');
    await storage.put('abcdef.jpg', join(folder, 'picture'));
    token = await service.tokenFor(await aUser(service.database));
    const auction = await anAuction(service.database);
    for (let at = 0; at < 5; at += 1)
      lotIds.push((await aLot(service.database, { auction_id: auction.id })).id);
    await service.publish();
  });
  after(async () => {
    await projection.close();
    for (const close of opened.reverse()) await close();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const bid = (at: Service, lotId: number, key: string, dollars: number) =>
    at.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token,
      body: { amount: `${dollars}.00` },
      headers: { 'idempotency-key': key },
    });

  /** Empty servers, with a database and a Redis of their own. */
  async function emptyServers(): Promise<{ database: MigratedDatabase; redis: FreshRedis }> {
    const [database, redis] = await Promise.all([migratedDatabase(), freshRedis()]);
    opened.push(
      () => redis.close(),
      () => database.drop(),
    );
    return { database, redis };
  }

  async function restoreInto(
    target: string,
    database: MigratedDatabase,
    redis: FreshRedis,
    files: FolderStorage,
  ) {
    const db = openDatabase(database.databaseUrl);
    const link = await openLink(redis.redisUrl);
    try {
      return await restore(
        { database: db, redis: link, storage: files, onProgress: () => undefined },
        target,
      );
    } finally {
      link.link.destroy();
      await db.close();
    }
  }

  it('taken alongside bids comes back whole, with every answer that was given before it', async () => {
    const before = await Promise.all(lotIds.map((lotId) => bid(service, lotId, `first-${lotId}`, 1_000)));
    expect(before.map(({ status }) => status)).to.deep.equal(lotIds.map(() => 201));
    // As on a server that has counted far more transactions than the one that it is restored into.
    await eventually(async () => (await projection.lag()).entries === 0);
    await service.database.knex('events').update({ tx: '9000000000' });
    let isTaking = true;
    const bidding = (async () => {
      for (let dollars = 2_000; isTaking; dollars += 1_000) {
        for (const lotId of lotIds)
          expect((await bid(service, lotId, `k-${dollars}`, dollars)).status).to.equal(201);
        await new Promise((done) => setTimeout(done, 20));
      }
    })();
    const target = join(folder, 'backup');
    const steps = new Set<string>();
    const manifest = await backUp(
      {
        database: service.backends.database,
        redis: service.backends.redis,
        storage,
        version: '1',
        copiesMedia: true,
        onProgress: (what) => steps.add(what),
      },
      target,
    );
    isTaking = false;
    await bidding;
    expect([...steps].sort()).to.deep.equal(['journal', 'media', 'postgres']);
    expect(manifest.media).to.deep.include({ mode: 'copy', files: 1 });

    const { database, redis } = await emptyServers();
    const files = new FolderStorage(join(folder, 'media-restored'));
    const restored = await restoreInto(target, database, redis, files);
    expect(restored).to.deep.include({ mediaRestored: 1, mediaMissing: [] });
    expect((await files.head('abcdef.jpg'))?.sizeBytes).to.equal(9);
    const db = openDatabase(database.databaseUrl);
    opened.push(() => db.close());
    const back = await startService({ database: { db, databaseUrl: database.databaseUrl }, redis });
    opened.push(() => back.close());
    expect(await verifyJournal(back.backends, null)).to.include({ ok: true, lots: lotIds.length });
    // The projection catches up with what the journal has beyond the snapshot of Postgres.
    const catching = await projectionOf(back.backends);
    opened.push(() => catching.close());
    await eventually(async () => (await catching.lag()).entries === 0);
    expect(await verifyJournal(back.backends, null)).to.include({ ok: true, lots: lotIds.length });
    for (const [at, lotId] of lotIds.entries()) {
      const again = await bid(back, lotId, `first-${lotId}`, 1_000);
      expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
      expect(again.body).to.deep.equal(before[at]?.body);
      expect((await bid(back, lotId, 'after', 900_000)).status).to.equal(201);
    }
    // Events come in order after those of before, although this server counts its transactions anew.
    await eventually(async () => {
      const { rows } = await db.knex.raw(
        'select count(*)::int as count from events where tx >= pg_snapshot_xmin(pg_current_snapshot())',
      );
      return rows[0].count === 0;
    });
  });

  const partsOf = (onProgress: (what: string) => void = () => undefined) => {
    const { database, redis } = service.backends;
    return { database, redis, storage, version: '1', copiesMedia: true, onProgress };
  };
  const messageOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Error) => error.message,
    );

  it('that was interrupted anywhere is refused by a restore, can be continued, and is for its owner alone', async () => {
    const { database, redis } = await emptyServers();
    for (const [what, again] of [
      ['journal', ['journal', 'media', 'postgres']],
      ['postgres', ['journal', 'media', 'postgres']],
      ['media', ['media']],
    ] as const) {
      const path = join(folder, `broken-off-in-${what}`);
      const breakOff = (now: string) => {
        if (now === what) throw new Error('pulled out');
      };
      expect(await messageOf(backUp(partsOf(breakOff), path))).to.equal('pulled out');
      expect(await messageOf(restoreInto(path, database, redis, storage))).to.match(
        /holds no complete backup|is not complete: run `rostrum backup` on it again/,
      );
      const half = await readManifest(path);
      const steps = new Set<string>();
      const whole = await backUp(
        partsOf((now) => steps.add(now)),
        path,
      );
      expect([...steps].sort(), what).to.deep.equal(again);
      if (what === 'media') expect([half?.finishedAt, half?.tables]).to.deep.equal([null, whole.tables]);
      for (const name of ['postgres', 'journal', 'manifest.json'])
        expect((await stat(join(path, name))).mode & 0o077, name).to.equal(0);
    }
  });

  it('is the only one in its deployment, and is finished from the journal that it was begun with', async () => {
    const path = join(folder, 'one-of-two');
    let second: Promise<string> | null = null;
    await backUp(
      partsOf(() => {
        second ??= messageOf(backUp(partsOf(), path));
      }),
      path,
    );
    expect(await second).to.match(/^a backup of this deployment is already running$/);
    expect(await messageOf(backUp(partsOf(), path))).to.match(
      /holds a complete backup; name an empty folder$/,
    );
    const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
    await writeFile(
      join(path, 'manifest.json'),
      JSON.stringify({ ...manifest, finishedAt: null, epoch: 'another' }),
    );
    expect(await messageOf(backUp(partsOf(), path))).to.match(
      /begun before a failover, or of another deployment/,
    );
  });

  it('says what is wrong instead of restoring half of it', async () => {
    const refusal = (target: string, database: MigratedDatabase, redis: FreshRedis) =>
      messageOf(restoreInto(target, database, redis, storage));
    const { database, redis } = await emptyServers();
    expect(await refusal(join(folder, 'nowhere'), database, redis)).to.match(/holds no complete backup/);
    const target = join(folder, 'backup');
    const own = { ...database, databaseUrl: service.databaseUrl };
    expect(await refusal(target, own, redis)).to.match(/^DATABASE_URL: this database holds a marketplace/);
    expect(await refusal(target, database, service.redis)).to.match(/with --only postgres it is kept/);
    const manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'));
    const spoil = (changes: object) =>
      writeFile(join(target, 'manifest.json'), JSON.stringify({ ...manifest, ...changes }));
    await spoil({ tables: { ...manifest.tables, users: 7 } });
    expect(await refusal(target, database, redis)).to.match(/users has \d+ rows, not 7: it is damaged/);
    expect(await redisCommand(redis, ['DBSIZE'])).to.equal('0');
    const [shard = '', count] = Object.entries<number>(manifest.journal)[0] ?? [];
    await spoil({ journal: { ...manifest.journal, [shard]: 99 } });
    expect(await refusal(target, database, redis)).to.include(`has ${count} keys, not 99: it is damaged`);
    await spoil({});
    for (const [file, isThere, said] of [
      [`journal/${shard}.jsonl.gz`, true, /unexpected end of file$/],
      ['postgres/users.jsonl.gz', false, /no such file/],
      ['media.jsonl.gz', true, /unexpected end of file$/],
    ] as const) {
      const bytes = await readFile(join(target, file));
      if (isThere) await writeFile(join(target, file), bytes.subarray(0, bytes.length - 9));
      else await rm(join(target, file));
      expect(await refusal(target, database, redis))
        .to.match(/^the backup is damaged: /)
        .and.match(said);
      await writeFile(join(target, file), bytes);
      expect(await redisCommand(redis, ['DBSIZE'])).to.equal('0');
    }
    await spoil({ migrations: OLD_MIGRATIONS.slice(1) });
    expect(await refusal(target, database, redis)).to.match(/another schema/);
    await spoil({ finishedAt: null });
    expect(await refusal(target, database, redis)).to.match(/is not complete/);
    await spoil({ migrations: OLD_MIGRATIONS }); // Their schema is the first release's.
    expect(await refusal(target, database, redis)).to.match(/restore it with that version, then/);
  });

  it('of Postgres alone, older than the retained journal, is reported and bridged', async () => {
    const { knex, epoch, redis } = service.backends;
    await eventually(async () => (await projection.lag()).entries === 0);
    await projection.close();
    const { auction_id: auctionId, shard: own } = await knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where('l.id', lotIds[0])
      .first('l.auction_id', 'a.shard');
    const shard = shardOf(auctionId, own);
    await knex('projection_positions').where({ shard }).update({ stream_id: '1-1', messages: 1 });
    const { log } = shardKeys(shard);
    await redis.link.send(log, ['XTRIM', log, 'MAXLEN', '0']);
    await epoch.check();
    expect(epoch.trouble).to.match(/^Postgres is older than what the journal still has \(shards \d+\)/);
    expect((await verifyJournal(service.backends, null)).difference).to.equal(epoch.trouble);
    expect(await messageOf(rebuildJournal({ ...service.backends, onLotClosed: [] }))).to.match(
      /--discard-unprojected/,
    );
    const resumed = await rebuildJournal(
      { ...service.backends, onLotClosed: [] },
      { discard: async () => undefined },
    );
    expect(resumed.map(({ lotId }) => lotId).sort()).to.deep.equal([...lotIds].sort());
    expect(epoch.trouble).to.equal(null);
    expect((await bid(service, lotIds[0] ?? 0, 'rebuilt', 950_000)).status).to.equal(201);
  });

  it('of Redis alone, older in one shard, is rebuilt with what another shard holds and Postgres did not have yet', async () => {
    const { knex, epoch } = service.backends;
    const lotId = lotIds[1] ?? 0;
    const { shard: own, id } = await knex('auctions').first('id', 'shard');
    const shard = shardOf(id, own) === 0 ? 1 : 0;
    expect((await bid(service, lotId, 'only-in-redis', 960_000)).status).to.equal(201);
    await knex('projection_positions')
      .insert({ shard, stream_id: '99999999999999-0', messages: 0 })
      .onConflict('shard')
      .merge();
    await epoch.check();
    expect(epoch.trouble).to.match(/^Redis is older than what was acknowledged from it/);
    await rebuildJournal({ ...service.backends, onLotClosed: [] });
    const again = await bid(service, lotId, 'only-in-redis', 960_000);
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
  });
});
