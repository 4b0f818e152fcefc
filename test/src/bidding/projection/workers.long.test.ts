/**
 * The projection as workers run it: shared out, taken over, followed within moments, trimmed, and with closed lots
 * leaving.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openDatabase } from '../../../../adapters/postgres/database.ts';
import { LogTrimmer } from '../../../../adapters/redis/log-trimmer.ts';
import { logBytes, logEnd, readLog } from '../../../../adapters/redis/shard-log.ts';
import { shardOf } from '../../../../adapters/redis/shards.ts';
import { readArchivedState } from '../../../../src/bidding/journal/archived-history.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import { readLag } from '../../../../src/bidding/projection/lag.ts';
import { type Projection, startProjection } from '../../../../src/bidding/projection/projection.ts';
import { trimProjected } from '../../../../src/bidding/projection/trimming.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { playAuction } from '../../../support/bidding-play.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { projectedRows } from '../../../support/projected-rows.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { ShardProjector } from '../../../support/shard-projector.ts';

describe('workers of the projection', () => {
  let server: FreshRedis;
  let house: AuctionHouse;

  before(async () => {
    server = await freshRedis();
    house = await openHouse(server.redisUrl);
  });

  after(async () => {
    await house.close();
    await server.close();
  });

  const start = (database = house.db): Promise<Projection> =>
    startProjection({
      database,
      redis: house.redis,
      pubSub: house.pubSub,
      guard: house.guard,
      scripts: REDIS_SCRIPTS,
      claimEveryMs: 100,
    });

  async function caughtUp(): Promise<void> {
    const until = performance.now() + 60_000;
    while ((await readLag(house.db.knex, house.redis)).entries > 0) {
      if (performance.now() > until) throw new Error('the projection did not catch up');
      await sleep(20);
    }
  }

  it('takes over from a worker whose database session ends, and closes cleanly', async () => {
    const second = openDatabase(house.databaseUrl);
    const workers = [await start(), await start(second)];
    await playAuction(house, { rounds: 5, seed: 21 });
    await house.db.knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'rostrum locks' AND datname = current_database()`,
    );
    const { auctionId, bidIds } = await playAuction(house, { rounds: 15, seed: 22 });
    await workers[0]!.close();
    await playAuction(house, { rounds: 5, seed: 23 });
    await caughtUp();
    await workers[1]!.close();
    await second.close();
    const { bids } = await projectedRows(house.db.knex, auctionId);
    expect(bids.map((bid) => bid['bid_id'])).to.have.members(bidIds);
  });

  it('continues where a worker was killed, under load', async () => {
    let child = await worker();
    let playing = true;
    const plays = Promise.all([31, 32].map((seed) => playAuction(house, { rounds: 100, seed, atOnce: 4 })));
    const done = plays.finally(() => {
      playing = false;
    });
    for (let kills = 0; kills < 2 || playing; kills += 1) {
      await sleep(100 + 150 * kills);
      child.kill('SIGKILL');
      child = await worker();
    }
    const played = await done;
    await caughtUp();
    child.kill('SIGKILL');
    for (const { auctionId, bidIds } of played) {
      const rows = await projectedRows(house.db.knex, auctionId);
      expect(rows.bids.map((bid) => bid['bid_id'])).to.have.members(bidIds);
      for (const lot of rows.lots) {
        const live = await house.journal.load(auctionId, Number(lot['id']));
        expect(lot).to.include({
          sequence: live!.sequence,
          head_hash: live!.hash,
          bid_count: live!.bidCount,
        });
      }
    }
  });

  async function worker(): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, house.databaseUrl, house.redisUrl], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    return child;
  }

  it('trims what is projected and old, never more, and keeps the count of bytes', async () => {
    const { auctionId } = await playAuction(house, { rounds: 30, seed: 41 });
    const shard = shardOf(auctionId, null);
    const messages = await readLog(house.redis, shard, null, 1_000);
    const parts = { database: house.db, redis: house.redis, onLotClosed: [], segmentChars: 1 };
    const projector = new ShardProjector(shard, parts);
    for (let steps = 0; steps < 21; steps += 1) await projector.step();
    const position = projector.position;
    expect(position?.streamId).to.equal(messages[20]!.id);
    const trimmer = new LogTrimmer(house.redis, house.guard, REDIS_SCRIPTS);
    const trim = (keepMs: number, crowdedBytes: number) =>
      trimProjected(house.redis, trimmer, [shard], () => position, { keepMs, crowdedBytes });
    expect(await trim(60_000, 1e9)).to.equal(0);
    expect(await trim(60_000, 10)).to.equal(21);
    expect(await trim(0, 10)).to.equal(0);
    const left = await readLog(house.redis, shard, null, 1_000);
    expect(left.map(({ id }) => id)).to.deep.equal(messages.slice(21).map(({ id }) => id));
    expect(await logBytes(house.redis, shard)).to.equal(left.reduce((sum, { chars }) => sum + chars, 0));
    expect((await logEnd(house.redis, shard)).lastId).to.equal(messages.at(-1)!.id);
  });

  it('lets closed lots leave Redis, and knows how they ended', async () => {
    const projection = await start();
    const { auctionId, lotIds } = await playAuction(house, { rounds: 20, seed: 51, close: true });
    await caughtUp();
    const ends = await Promise.all(lotIds.map((lotId) => house.journal.load(auctionId, lotId)));
    expect(await archiveClosedLots({ knex: house.db.knex, redis: house.redis })).to.equal(0);
    expect(await archiveClosedLots({ knex: house.db.knex, redis: house.redis }, 0)).to.equal(lotIds.length);
    for (const [at, lotId] of lotIds.entries()) {
      expect(await house.journal.load(auctionId, lotId)).to.equal(null);
      expect(await readArchivedState(house.db, lotId)).to.deep.equal(ends[at]);
    }
    await projection.close();
  });

  it('starts an auction with its first lot, and follows its record', async () => {
    const projection = await start();
    const later = new Date(Date.now() + 300).toISOString();
    const auction = await anAuction(house.db, { status: 'scheduled', start_time: later });
    const lot = await aLot(house.db, { auction_id: auction.id, status: 'scheduled' });
    await house.publish(auction.id);
    await caughtUp();
    expect(await statusOf(auction.id)).to.equal('scheduled');
    await sleep(400);
    await house.submit(lot.id, { type: 'advance' });
    await caughtUp();
    expect(await statusOf(auction.id)).to.equal('active');
    const record = (await house.journal.loadRecord(auction.id))!;
    const pauses = [{ fromUs: house.journal.nowUs(), toUs: null }];
    await house.journal.saveRecord({ ...record, version: 2, pauses, confirmFactor: 3 });
    await caughtUp();
    expect(await statusOf(auction.id)).to.equal('paused');
    const ended = [{ ...pauses[0]!, toUs: house.journal.nowUs() }];
    await house.journal.saveRecord({
      ...record,
      version: 3,
      pauses: ended,
      softClose: { windowSeconds: 9, extensionSeconds: 8, maxExtensions: 7 },
    });
    await caughtUp();
    const row = await house.db.knex('auctions').where('id', auction.id).first();
    expect(row).to.include({
      status: 'active',
      record_version: 3,
      increments: null,
      soft_close_window_seconds: 9,
      soft_close_max_extensions: 7,
    });
    expect(row.pauses).to.deep.equal(ended);
    await house.journal.saveRecord({ ...record, version: 4, cancelled: true });
    await house.submit(lot.id, { type: 'advance' });
    await caughtUp();
    expect(await statusOf(auction.id)).to.equal('cancelled');
    const facts = await house.db.knex('events').where('auction_id', auction.id).orderBy('id').select('type');
    expect(facts.map((fact) => fact.type)).to.deep.equal(['auction.started']);
    await projection.close();
  });

  async function statusOf(auctionId: number): Promise<string> {
    return (await house.db.knex('auctions').where('id', auctionId).first('status')).status;
  }
});
