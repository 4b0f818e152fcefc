/**
 * Postgres' errors about a full disk, a damaged page or conflicting writers, for one lot or for everything: one lot
 * waits alone and continues by itself; if it is everything, nothing is set aside permanently and nothing lost.
 */
import { expect } from 'chai';
import { type Database, openDatabase } from '../../../../adapters/postgres/database.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { type Projection, startProjection } from '../../../../src/bidding/projection/projection.ts';
import { countFailures, type Failure } from '../../../../src/bidding/projection/set-aside.ts';
import { REDIS_SCRIPTS } from '../../../../src/shared/project-root.ts';
import { type AuctionHouse, openHouse } from '../../../support/auction-house.ts';
import { aUser } from '../../../support/builders.ts';
import { type FreshRedis, freshRedis } from '../../../support/redis-servers.ts';
import { behind, bidBy, type HarmedLot, openLots, until } from './harms.ts';

/** Raised by a trigger for the lots of `troubled_lots`; those of the whole server come from Postgres itself below. */
const CODES: Readonly<Record<string, string>> = {
  'two transactions in each other’s way': '40001',
  'a deadlock': '40P01',
  'a missing right': '42501',
  'a full tablespace': '53100',
  'no memory': '53200',
  'a configured limit': '53400',
  'a file that cannot be read': '58030',
  'a failed allocation': 'XX000',
  'a damaged page': 'XX001',
  'a damaged index': 'XX002',
};

/** How many kinds are tried at once. */
const AT_ONCE = 4;

/** What is revoked from the projection's role; its connections are ended each time. */
const WITHDRAWN: Readonly<Record<string, readonly [take: string, giveBack: string]>> = {
  'too many connections': ['CONNECTION LIMIT 0', 'CONNECTION LIMIT -1'],
  'a server that takes no writes': [
    'SET default_transaction_read_only = on',
    'SET default_transaction_read_only = off',
  ],
  'a password that has changed': ['NOLOGIN', 'LOGIN'],
};

describe('what may be wrong with a row as with the server', () => {
  let server: FreshRedis;
  let house: AuctionHouse;
  let limited: Database;
  let role: string;
  let projection: Projection;
  let lots: HarmedLot[];
  let user: number;
  const told: Failure[] = [];
  const failed: unknown[] = [];

  before(async () => {
    server = await freshRedis();
    house = await openHouse(server.redisUrl);
    role = `projector_${Date.now()}`;
    await house.db.knex.raw(`
      CREATE TABLE troubled_lots (id bigint PRIMARY KEY, code text NOT NULL);
      CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        DECLARE raised text;
        BEGIN
          SELECT code INTO raised FROM troubled_lots WHERE id = NEW.id;
          IF raised IS NOT NULL THEN RAISE EXCEPTION 'troubled' USING ERRCODE = raised; END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER troubles BEFORE UPDATE ON lots FOR EACH ROW EXECUTE FUNCTION trouble();
      CREATE ROLE ${role} LOGIN PASSWORD 'projector';
      GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role};
    `);
    const url = new URL(house.databaseUrl);
    Object.assign(url, { username: role, password: 'projector' });
    limited = openDatabase(url.href);
    lots = await openLots(house, 4, 4);
    user = (await aUser(house.db)).id;
    projection = await startProjection({
      ...house,
      database: limited,
      scripts: REDIS_SCRIPTS,
      onFailure: (failure) => void told.push(failure),
      onError: (error) => void failed.push(error),
    });
  });

  after(async () => {
    await projection.close();
    await limited.close();
    await house.db.knex.raw(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await house.close();
    await server.close();
  });

  let cents = 1_000;
  async function bidOnAll(): Promise<void> {
    cents += 1_000;
    await Promise.all(lots.map(({ id }) => house.submit(id, bidBy(user, cents))));
  }
  const trouble = (which: readonly HarmedLot[], code: string) =>
    house.db.knex('troubled_lots').insert(which.map(({ id }) => ({ id, code })));
  const waiting = (): Promise<number[]> => house.db.knex('projection_failures').pluck('lot_id');
  const isThere = async (which: readonly HarmedLot[]) => (await behind(house, which)).length === 0;

  async function reconnect(as: string): Promise<void> {
    const { knex } = house.db;
    await knex.raw(`ALTER ROLE ${role} ${as}`);
    await knex.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?', [role]);
  }

  async function recovers(name: string): Promise<void> {
    await house.db.knex('troubled_lots').delete();
    await until(`${name} is over`, 60_000, () => isThere(lots));
    expect(await waiting(), name).to.deep.equal([]);
  }

  it('delays only its own lots, which continue by themselves', async () => {
    const startedMs = performance.now();
    await bidOnAll();
    await until('all is projected', 60_000, () => isThere(lots));
    // A second, and what a busy machine needs without any trouble.
    const withinMs = 1_000 + 10 * (performance.now() - startedMs);
    const codes = Object.values(CODES);
    for (let at = 0; at < codes.length; at += AT_ONCE) {
      const troubled = lots.filter((_, n) => n % 5 === 0).slice(0, codes.length - at);
      for (const [n, lot] of troubled.entries()) await trouble([lot], codes[at + n]!);
      await bidOnAll();
      const others = lots.filter((lot) => !troubled.includes(lot));
      await until(`the others at ${at}`, withinMs, () => isThere(others));
      expect(await waiting()).to.have.members(troubled.map(({ id }) => id));
      await recovers(`round ${at}`);
    }
    expect(await countFailures(house.db.knex)).to.equal(0);
    expect([told, failed]).to.deep.equal([[], []]);
  });

  it('is reported if it lasts, and delays only its own lot', async () => {
    const [lot] = lots as [HarmedLot];
    await trouble([lot], 'XX001');
    await house.submit(lot.id, bidBy(user, 900_000));
    await until('it waits', 60_000, async () => (await waiting()).length === 1);
    await house.db.knex('projection_failures').update({ created_at: new Date(Date.now() - 60_000) });
    await until('it is told of', 60_000, async () => told.length === 1);
    expect(told.splice(0)[0]).to.include({ lot_id: lot.id, transient: true, error: 'troubled' });
    await recovers('a damaged page that was mended');
  });

  it('keeps everything when the second factor is all there is', async () => {
    for (const [name, code] of Object.entries(CODES).slice(-2)) {
      failed.length = 0;
      await trouble(lots, code);
      await bidOnAll();
      await until(name, 60_000, async () => failed.length > 0 || (await waiting()).length > 0);
      await recovers(name);
    }
    for (const [name, [take, giveBack]] of Object.entries(WITHDRAWN)) {
      failed.length = 0;
      await reconnect(take);
      await bidOnAll();
      await until(`${name} is noticed`, 60_000, async () => failed.length > 1);
      expect(await waiting(), name).to.deep.equal([]);
      await reconnect(giveBack);
      await recovers(name);
    }
    expect(told).to.deep.equal([]);
    expect(await verifyJournal({ ...house, knex: house.db.knex }, null)).to.include({ ok: true });
  });
});
