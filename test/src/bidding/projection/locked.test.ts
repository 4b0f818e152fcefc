/**
 * Rows locked by another session delay only what has to be written to them: it waits by itself, in order, and is
 * written soon after they are released. It is reported only if that takes long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { shardOf } from '../../../../adapters/redis/shards.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { retryLockWaits } from '../../../../src/bidding/projection/lock-waits.ts';
import { type Projection, startProjection } from '../../../../src/bidding/projection/projection.ts';
import { countFailures, type Failure, readFailures } from '../../../../src/bidding/projection/set-aside.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { voidSome } from '../../../support/bidding-play.ts';
import { aUser } from '../../../support/builders.ts';
import { databaseCutAt } from '../../../support/cut-connection.ts';
import { projectedRows, takeBack } from '../../../support/projected-rows.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { ShardProjector } from '../../../support/shard-projector.ts';
import { behind, bidBy, type HarmedLot, openLots, until } from './harms.ts';

/** A row that is held, and what is written to it. */
interface Held {
  readonly name: string;
  readonly hold: (trx: Knex.Transaction, lot: HarmedLot) => Promise<unknown>;
  /** Something that needs the row; default: the bids that all lots get. */
  readonly need?: (house: AuctionHouse, lot: HarmedLot) => Promise<unknown>;
}

const HELD: readonly Held[] = [
  { name: 'a lot', hold: (trx, { id }) => trx('lots').where({ id }).forUpdate().select('id') },
  {
    name: 'a lot that is changed',
    hold: (trx, { id }) => trx('lots').where({ id }).update({ title: 'Held' }),
  },
  {
    name: 'a lot’s state',
    hold: (trx, { id }) => trx('lot_states').where('lot_id', id).forUpdate().select('lot_id'),
  },
  {
    name: 'a row behind a trigger',
    hold: (trx, { id }) => trx('priced_lots').where({ id }).forUpdate().select('id'),
  },
  {
    name: 'a bid that is voided',
    hold: (trx, { id }) => trx('bids').where('lot_id', id).forUpdate().select('bid_id'),
    need: (house, { id, auctionId }) => voidSome(house, auctionId, id, Math.random),
  },
  {
    name: 'the auction of a lot that is withdrawn',
    hold: (trx, { auctionId }) => trx('auctions').where('id', auctionId).forUpdate().select('id'),
    need: (house, { id }) => house.submit(id, { type: 'withdraw', reason: 'a test', byAdmin: true }),
  },
];

describe('rows that others hold locked', () => {
  let server: FreshRedis;
  let house: AuctionHouse;
  let users: number[];
  const told: Failure[] = [];
  const failed: unknown[] = [];
  let projection: Projection | null = null;
  let holder: Knex.Transaction | null = null;

  before(async () => {
    server = await freshRedis();
    house = await openHouse(server.redisUrl);
    await house.db.knex.raw(`
      CREATE TABLE slow_lots (id bigint PRIMARY KEY, seconds float NOT NULL DEFAULT 60);
      CREATE FUNCTION slow_lot() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_sleep(seconds) FROM slow_lots WHERE id = NEW.id;
          RETURN NEW;
        END $$;
      CREATE TRIGGER slows_lots BEFORE UPDATE ON lots FOR EACH ROW EXECUTE FUNCTION slow_lot();
    `);
    users = (await Promise.all([aUser(house.db), aUser(house.db)])).map(({ id }) => id);
  });

  afterEach(async () => {
    await release();
    await projection?.close();
    projection = null;
  });

  after(async () => {
    await house.close();
    await server.close();
  });

  async function start(): Promise<void> {
    projection = await startProjection({
      ...house,
      database: house.db,
      scripts: REDIS_SCRIPTS,
      onFailure: (failure) => void told.push(failure),
      onError: (error) => void failed.push(error),
    });
  }

  async function hold(): Promise<Knex.Transaction> {
    holder = await house.db.knex.transaction();
    return holder;
  }

  async function release(): Promise<void> {
    await holder?.rollback();
    holder = null;
  }

  let cents = 1_000;
  async function bidOnAll(lots: readonly HarmedLot[]): Promise<void> {
    cents += 100_000;
    await Promise.all(lots.map(({ id }, at) => house.submit(id, bidBy(users[at % 2]!, cents))));
  }

  const waiting = async (): Promise<number[]> =>
    house.db.knex('projection_failures').whereNotNull('lot_id').orderBy('lot_id').pluck('lot_id');

  async function expectWhole(lots: readonly HarmedLot[]): Promise<void> {
    expect(await waiting()).to.deep.equal([]);
    for (const { id } of lots) {
      const { difference } = await verifyJournal({ ...house, knex: house.db.knex }, id);
      expect(difference ?? null).to.equal(null);
    }
  }

  it('delay nothing else, and what waits is processed in order once they are released', async () => {
    const lots = [...(await openLots(house, 2, 7)), ...(await openLots(house, 6, 1))];
    await start();
    await bidOnAll(lots);
    const startedMs = performance.now();
    await until('all is projected', 60_000, async () => (await behind(house, lots)).length === 0);
    // A second, and what a busy machine needs without any lock.
    const withinMs = 1_000 + 10 * (performance.now() - startedMs);
    // The auctions with one lot each lend the last row: others of its auction would need it to be withdrawn too.
    const harmed = [...lots.slice(0, HELD.length - 1), lots.at(-1)!];
    const others = lots.filter((lot) => !harmed.includes(lot));
    const trx = await hold();
    for (const [at, { hold }] of HELD.entries()) await hold(trx, harmed[at]!);
    await Promise.all(HELD.map(({ need }, at) => need?.(house, harmed[at]!)));
    for (let round = 0; round < 3; round += 1) {
      await bidOnAll(lots);
      await until(`round ${round}`, withinMs, async () => (await behind(house, others)).length === 0);
    }
    const ids = harmed.map(({ id }) => id).sort((a, b) => a - b);
    await until('those that are held wait', withinMs, async () => (await waiting()).length === ids.length);
    expect(await waiting()).to.deep.equal(ids);
    expect(await countFailures(house.db.knex)).to.equal(0);
    await release();
    await until('all come through', 60_000, async () => (await behind(house, lots)).length === 0);
    await bidOnAll(lots);
    await until('they go on', 60_000, async () => (await behind(house, lots)).length === 0);
    await expectWhole(lots);
    expect([told, failed]).to.deep.equal([[], []]);
  });

  it('are reported once if they are held for long', async () => {
    const lots = await openLots(house, 1, 2);
    await start();
    await bidOnAll(lots);
    await until('all is projected', 60_000, async () => (await behind(house, lots)).length === 0);
    const trx = await hold();
    await HELD[0]!.hold(trx, lots[0]!);
    await bidOnAll(lots);
    await until('one waits', 60_000, async () => (await waiting()).length === 1);
    await house.db.knex('projection_failures').update({ created_at: new Date(Date.now() - 60_000) });
    await until('it is told of', 60_000, async () => told.length === 1);
    expect(told[0]).to.include({ lot_id: lots[0]!.id, transient: true, error: 'its row in lots is locked' });
    expect(await readFailures(house.db.knex)).to.deep.equal(told);
    await release();
    await until('it comes through', 60_000, async () => (await behind(house, lots)).length === 0);
    await expectWhole(lots);
    expect(told.splice(0)).to.have.length(1);
  });

  it('are not all that a lot may wait for: a statement that does not end delays no other lot', async () => {
    const lots = await openLots(house, 2, 8);
    await start();
    await bidOnAll(lots);
    const startedMs = performance.now();
    await until('all is projected', 60_000, async () => (await behind(house, lots)).length === 0);
    const withinMs = 1_000 + 10 * (performance.now() - startedMs);
    const [hung, ...others] = lots as [HarmedLot, ...HarmedLot[]];
    await house.db.knex('slow_lots').insert({ id: hung.id });
    for (let round = 0; round < 3; round += 1) {
      await bidOnAll(lots);
      await until(`round ${round}`, withinMs, async () => (await behind(house, others)).length === 0);
      // It is retried meanwhile, which delays nothing either.
      await sleep(300);
    }
    expect(await waiting()).to.deep.equal([hung.id]);
    expect(await countFailures(house.db.knex)).to.equal(0);
    await house.db.knex('slow_lots').delete();
    await until('it comes through', 60_000, async () => (await behind(house, lots)).length === 0);
    await expectWhole(lots);
    // Slow everywhere, for longer than a statement is given at first: nobody is set aside for that.
    await house.db.knex('slow_lots').insert(lots.map(({ id }) => ({ id, seconds: 0.05 })));
    await bidOnAll(lots);
    await until('it is waited for', 60_000, async () => (await behind(house, lots)).length === 0);
    await house.db.knex('slow_lots').delete();
    await expectWhole(lots);
    expect(told).to.deep.equal([]);
    failed.length = 0;
  });

  it('set nothing aside where a whole table is held', async () => {
    const lots = await openLots(house, 2, 2);
    await start();
    const trx = await hold();
    await trx.raw('LOCK TABLE bids IN SHARE MODE');
    await bidOnAll(lots);
    await until('it is noticed', 60_000, async () => failed.length >= 2);
    expect(await waiting()).to.deep.equal([]);
    await release();
    await until('all come through', 60_000, async () => (await behind(house, lots)).length === 0);
    failed.length = 0;
  });

  it('lose and duplicate nothing of a worker that dies at any statement', async () => {
    const lots = await openLots(house, 1, 4);
    const [{ auctionId }] = lots as [HarmedLot];
    const shard = shardOf(auctionId, null);
    const parts = { database: house.db, redis: house.redis, onLotClosed: [] };
    const project = async (database = house.db) => {
      const projector = new ShardProjector(shard, { ...parts, database });
      while ((await projector.step()).messages > 0);
    };
    await project();
    for (let round = 0; round < 3; round += 1) await bidOnAll(lots);
    await project();
    const undisturbed = await projectedRows(house.db.knex, auctionId);
    await takeBack(house.db.knex, auctionId, shard);
    const trx = await hold();
    await HELD[0]!.hold(trx, lots[1]!);
    const cuts: (string | null)[] = [];
    const cutWhile = async (every: number, work: (database: typeof house.db) => Promise<unknown>) => {
      for (let statement = 3; cuts.at(-1) !== null; statement += every) {
        const when = statement % 2 === 0 ? 'before' : 'after';
        const database = databaseCutAt(house.databaseUrl, { statement, when });
        await work(database).catch(() => undefined);
        cuts.push(database.cutAt());
        await database.close();
      }
      cuts.pop();
    };
    await cutWhile(7, project);
    expect(await waiting()).to.deep.equal([lots[1]!.id]);
    await release();
    const ignore = { onLotClosed: [], onError: () => {} };
    await cutWhile(5, ({ knex }) => retryLockWaits({ ...ignore, knex }, [shard]));
    expect(cuts.length).to.be.greaterThan(6);
    await retryLockWaits({ ...ignore, knex: house.db.knex }, [shard]);
    expect(await projectedRows(house.db.knex, auctionId)).to.deep.equal(undisturbed);
    await expectWhole(lots);
  });
});
