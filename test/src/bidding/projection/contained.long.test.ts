/**
 * What Postgres refuses delays only its own lot: random histories of which a share cannot be written, in every known
 * way, with what is set aside, what is written nevertheless, and what a retry repairs.
 */
import { expect } from 'chai';
import { openDatabase } from '../../../../adapters/postgres/database.ts';
import { shardOf } from '../../../../adapters/redis/shards.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { type Projection, startProjection } from '../../../../src/bidding/projection/projection.ts';
import { retryFailures } from '../../../../src/bidding/projection/retry.ts';
import { type Failure, readFailures } from '../../../../src/bidding/projection/set-aside.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { pick, randomOf, voidSome } from '../../../support/bidding-play.ts';
import { aUser } from '../../../support/builders.ts';
import { databaseCutAt } from '../../../support/cut-connection.ts';
import { projectedRows, takeBack } from '../../../support/projected-rows.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { ShardProjector } from '../../../support/shard-projector.ts';
import { slowness } from '../../../support/slowness.ts';
import { behind, bidBy, type HarmedLot, openLots, REFUSED, type Refused, until, WRITTEN } from './harms.ts';

describe('what Postgres refuses of the journal', () => {
  let server: FreshRedis;
  let house: AuctionHouse;
  let projection: Projection | null = null;

  beforeEach(async () => {
    server = await freshRedis();
    house = await openHouse(server.redisUrl);
    await house.db.knex.raw(`
      ALTER TABLE bids ADD CONSTRAINT refuses_for_a_test CHECK (amount_cents <> 92000013);
      CREATE TABLE refused_lots (id bigint PRIMARY KEY);
      CREATE FUNCTION refuse_lot() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT 1 FROM refused_lots WHERE id = NEW.lot_id) THEN RAISE EXCEPTION 'not this lot'; END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER refuses_lots BEFORE INSERT ON bids FOR EACH ROW EXECUTE FUNCTION refuse_lot();
    `);
  });

  afterEach(async () => {
    await projection?.close();
    projection = null;
    await house.close();
    await server.close();
  });

  const mend = () =>
    house.db.knex.raw('ALTER TABLE bids DROP CONSTRAINT refuses_for_a_test; TRUNCATE refused_lots');

  const retry = () => retryFailures({ knex: house.db.knex, onLotClosed: [] });

  for (const seed of [1, 2]) {
    it(`holds up nothing else, and a retry mends what can be mended (seed ${seed})`, async () => {
      const random = randomOf(seed);
      const lots = await openLots(house, 6, 4);
      const users = await Promise.all(Array.from({ length: 4 }, () => aUser(house.db)));
      const reported: Failure[] = [];
      projection = await startProjection({
        ...house,
        database: house.db,
        scripts: REDIS_SCRIPTS,
        onFailure: (failure) => void reported.push(failure),
      });
      const harmed = new Map<number, Refused>();
      const kinds = [...REFUSED, ...WRITTEN].map((kind) => ({ kind, round: 1 + Math.floor(random() * 8) }));
      const left = [...lots];
      let slowestMs = 0;
      for (let round = 0; round < 10; round += 1) {
        for (const { kind } of kinds.filter((one) => one.round === round)) {
          const [lot] = left.splice(Math.floor(random() * left.length), 1) as [HarmedLot];
          await kind.harm(house, lot);
          if ('said' in kind) harmed.set(lot.id, kind as Refused);
        }
        await Promise.all(
          lots.map(({ id }) =>
            house.submit(
              id,
              bidBy(pick(random, users).id, 10_000 * (round + 1) + Math.floor(random() * 500)),
            ),
          ),
        );
        if (round % 4 === 3) await voidSome(house, left[0]!.auctionId, left[0]!.id, random);
        const slow = slowness();
        const started = performance.now();
        const others = lots.filter(({ id }) => !harmed.has(id));
        await until(
          `round ${round}: ${[...harmed.values()].map(({ name }) => name).join(', ')}`,
          1_000 * slow,
          async () => {
            return (await behind(house, others)).length === 0;
          },
        );
        slowestMs = Math.max(slowestMs, (performance.now() - started) / slow);
      }
      expect(slowestMs).to.be.below(1_000);
      await until(
        'the harmed lots are set aside',
        2_000 * slowness(),
        async () => reported.length >= harmed.size,
      );
      const failures = await readFailures(house.db.knex);
      expect(reported).to.deep.equal(failures);
      expect(failures.map((failure) => failure.lot_id)).to.have.members([...harmed.keys()]);
      for (const { lot_id, error, shard, auction_id } of failures) {
        expect(error, harmed.get(lot_id!)!.name).to.match(harmed.get(lot_id!)!.said);
        expect(shard).to.equal(shardOf(auction_id!, null));
      }
      const verified = await verifyJournal({ ...house, knex: house.db.knex }, null);
      expect(verified).to.include({ ok: false, failures: harmed.size });
      await mend();
      const mended = [...harmed].filter(([, kind]) => kind.mended).map(([id]) => id);
      const retried = await retry();
      expect(retried).to.include({ tried: harmed.size, resolved: mended.length });
      expect(retried.left.map(({ lot_id }) => lot_id)).to.not.include.members(mended);
      const open = lots.filter(({ id }) => !harmed.has(id) || mended.includes(id));
      expect(await behind(house, open)).to.deep.equal([]);
      await Promise.all(open.map(({ id }) => house.submit(id, bidBy(users[0]!.id, 200_000_000))));
      await until('mended lots go on', 60_000, async () => (await behind(house, open)).length === 0);
      for (const { id } of open) {
        const one = await verifyJournal({ ...house, knex: house.db.knex }, id);
        expect(one.difference ?? null).to.equal(null);
      }
    });
  }

  it('sets aside records and bidders too; lots continue by the newest record', async () => {
    const [lot, other] = (await openLots(house, 1, 2)) as [HarmedLot, HarmedLot];
    const record = (await house.journal.loadRecord(lot.auctionId))!;
    const user = await aUser(house.db);
    await house.bid(lot.id, user.id, 5_000);
    await house.journal.saveRecord({ ...record, version: record.version + 1, premiumBps: 20_000 });
    const { bidder } = (await house.journal.loadBidders(lot.auctionId, [`u:${user.id}`])).get(
      `u:${user.id}`,
    )!;
    await house.journal.saveBidder(lot.auctionId, { ...bidder!, limitCents: -1 }, 'a\u0000b');
    await house.bid(other.id, (await aUser(house.db)).id, 7_000);
    const projector = new ShardProjector(shardOf(lot.auctionId, null), parts());
    await project(projector);
    const failures = await readFailures(house.db.knex);
    expect(failures.map(({ lot_id, sequence }) => [lot_id, sequence])).to.deep.equal([
      [null, null],
      [null, null],
    ]);
    expect(await behind(house, [lot, other])).to.deep.equal([]);
    const sold = { result: 'sold', hammerCents: 10_000, winner: null, currency: null } as const;
    const floor = { platform: 'floor', sequence: 1 };
    await house.submit(lot.id, {
      type: 'record_sale',
      bidId: `hammer-${Math.random()}`,
      salt: 'salt',
      auctionRuns: true,
      ...sold,
      floor,
    });
    // One that has just been started knows what is set aside from Postgres alone.
    await project(new ShardProjector(shardOf(lot.auctionId, null), parts()));
    const fact = await house.db.knex('events').where('event_key', `lot-${lot.id}-closed`).first();
    expect(fact.data).to.include({ hammer_price: '100.00', premium: '200.00' });
  });

  it('takes one of two bids that have the same id, whether or not they come together', async () => {
    const [first, second, other] = (await openLots(house, 1, 3)) as [HarmedLot, HarmedLot, HarmedLot];
    const user = await aUser(house.db);
    const twin = { ...bidBy(user.id, 5_000), bidId: 'a-twin' };
    for (const lot of [first, second, other]) await house.submit(lot.id, bidBy(user.id, 2_000));
    await house.submit(first.id, twin);
    await house.submit(second.id, { ...twin, straightCents: 6_000 });
    await house.submit(other.id, bidBy(user.id, 7_000));
    await project(new ShardProjector(shardOf(first.auctionId, null), parts()));
    const failures = await readFailures(house.db.knex);
    expect(failures.map(({ lot_id }) => lot_id)).to.deep.equal([second.id]);
    expect(failures[0]?.error).to.match(/twice|duplicate key/);
    expect(await behind(house, [first, other])).to.deep.equal([]);
    const row = await house.db.knex('bids').where('bid_id', 'a-twin').first();
    expect(row).to.include({ lot_id: first.id, amount_cents: 5_000 });
  });

  const parts = () => ({ database: house.db, redis: house.redis, onLotClosed: [] });

  async function project(projector: ShardProjector): Promise<void> {
    for (;;) {
      const step = await projector.step();
      if (step.messages === 0 && !step.more) return;
    }
  }

  /** One auction with a lot for each kind of harm and two without, some of it after the harm. */
  async function harmedAuction(): Promise<{ auctionId: number; lots: HarmedLot[] }> {
    const lots = await openLots(house, 1, REFUSED.length + 2);
    const users = await Promise.all([aUser(house.db), aUser(house.db)]);
    const all = (cents: number) =>
      Promise.all(lots.map(({ id }, at) => house.submit(id, bidBy(users[at % 2]!.id, cents))));
    await all(2_000);
    await Promise.all(REFUSED.map(({ harm }, at) => harm(house, lots[at]!)));
    await all(3_000);
    await all(100_000_000);
    return { auctionId: lots[0]!.auctionId, lots };
  }

  /** Everything that is set aside, without ids and times. */
  async function setAside(): Promise<unknown[]> {
    const { rows } = await house.db.knex.raw(`
      SELECT f.shard, f.subject, f.sequence, f.error, f.attempts,
        (SELECT json_agg(s.frame ORDER BY s.id) FROM projection_set_aside s WHERE s.failure_id = f.id) AS frames
      FROM projection_failures f ORDER BY f.subject`);
    return rows;
  }

  async function outcome(auctionId: number): Promise<unknown> {
    const { events, ...rows } = await projectedRows(house.db.knex, auctionId);
    const byKey = events.sort((a, b) => (String(a['event_key']) < String(b['event_key']) ? -1 : 1));
    return { ...rows, events: byKey, setAside: await setAside() };
  }

  it('loses and duplicates nothing, interrupted at any statement, and with two at once', async () => {
    const { auctionId } = await harmedAuction();
    const shard = shardOf(auctionId, null);
    await project(new ShardProjector(shard, parts()));
    const undisturbed = await outcome(auctionId);
    const again = async () => {
      await house.db.knex('projection_failures').delete();
      await takeBack(house.db.knex, auctionId, shard);
    };
    await again();
    let cuts = 0;
    for (let statement = 0; ; statement += 3) {
      const when = statement % 2 === 0 ? 'before' : 'after';
      const database = databaseCutAt(house.databaseUrl, { statement, when });
      await project(new ShardProjector(shard, { ...parts(), database })).catch(() => undefined);
      const at = database.cutAt();
      await database.close();
      if (at === null) break;
      cuts += 1;
    }
    expect(cuts).to.be.greaterThan(15);
    await project(new ShardProjector(shard, parts()));
    expect(await outcome(auctionId)).to.deep.equal(undisturbed);
    await again();
    const second = openDatabase(house.databaseUrl);
    const both = [house.db, second].map((database) =>
      project(new ShardProjector(shard, { ...parts(), database, segmentChars: 1 })),
    );
    await Promise.all([...both, retry().catch(() => undefined)]);
    await second.close();
    const disturbed = (await outcome(auctionId)) as { setAside: { attempts: number }[] };
    for (const row of disturbed.setAside) row.attempts = 1;
    expect(disturbed).to.deep.equal(undisturbed);
  });
});
