/**
 * A marketplace to bid in, for the benches over HTTP: the embedded pair of servers with fsync on, bidders with a token
 * each, and published lots. Everything is in a temporary folder, which is deleted on close.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { type OpenLink, openLink } from '../../adapters/redis/link.ts';
import { SHARD_COUNT, shardKeys } from '../../adapters/redis/shards.ts';
import { insertUsers, markVerified } from '../../src/accounts/people/accounts.ts';
import { newPlainToken } from '../../src/accounts/tokens/tokens.ts';
import { type Addresses, openBackends } from '../../src/app/process/backends.ts';
import { changeShardCount } from '../../src/bidding/records/auction-shards.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { openLog } from '../../src/shared/log.ts';
import { anAuction, aTeam } from '../../test/support/builders.ts';
import { aPerson } from '../../test/support/engine-terms.ts';

export interface Measure {
  /** Lots and auctions of each set; each compared server has its own set. */
  readonly lots: number;
  readonly auctions: number;
  readonly sets: number;
  readonly bidders: number;
  /** Over how many shards each set's auctions are spread; default: as in a new journal. */
  readonly shards?: readonly number[];
}

export interface Marketplace extends Addresses {
  readonly dataDir: string;
  readonly tokens: readonly string[];
  readonly sets: readonly (readonly number[])[];
  /** Redis' process. */
  readonly redisPid: number;
  /** Discards logs and idempotency records, as if all were projected and old: no worker runs beside the bench. */
  forgetLogs(): Promise<void>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** Every bid counts against the largest possible limit. */
const LIMIT_CENTS = 90_000_000_000_000;
const ONE_DOLLAR = JSON.stringify([{ from_cents: 0, increment_cents: 100 }]);

/** `fill` puts in what is there before anybody bids. */
export async function openMarketplace(
  measure: Measure,
  fill: (db: Database) => Promise<void> = async () => {},
): Promise<Marketplace> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-http-'));
  const { databaseUrl, redisUrl, close } = await startEmbedded({ dataDir });
  const db = openDatabase(databaseUrl);
  await migrateToLatest(db);
  await fill(db);
  const signedUp = await signUp(db, measure.bidders);
  const tokens = signedUp.map(({ token }) => token);
  const sets = await putUp(
    { databaseUrl, redisUrl },
    db,
    measure,
    signedUp.map(({ userId }) => userId),
  );
  await db.close();
  const redis = await openLink(redisUrl);
  return {
    databaseUrl,
    redisUrl,
    dataDir,
    tokens,
    sets,
    redisPid: await pidOfRedis(redisUrl),
    forgetLogs: () => forgetLogs(redis),
    async close() {
      redis.link.destroy();
      await close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function signUp(db: Database, bidders: number): Promise<{ userId: number; token: string }[]> {
  return db.knex.transaction(async (trx) => {
    const people = Array.from({ length: bidders }, (_, index) => {
      const name = `Bidder ${index + 1}`;
      return { email: `bidder-${index + 1}@example.com`, name, password_hash: null, is_admin: false };
    });
    const users = await insertUsers(trx, people);
    const ids = users.map(({ id }) => id);
    await markVerified(trx, ids);
    const plain = ids.map(() => newPlainToken());
    const abilities = ['read', 'write'];
    await trx('tokens').insert(
      ids.map((id, at) => ({ user_id: id, name: 'bench', token_hash: plain[at]!.hash, abilities })),
    );
    return plain.map(({ token }, at) => ({ userId: Number(ids[at]), token }));
  });
}

async function putUp(
  addresses: Addresses,
  db: Database,
  measure: Measure,
  bidderIds: readonly number[],
): Promise<number[][]> {
  const backends = await openBackends(addresses, openLog('warn', 'bench'));
  const team = await aTeam(db);
  const bidders = bidderIds.map((userId) => aPerson(userId));
  const sets: number[][] = [];
  for (let set = 0; set < measure.sets; set += 1) {
    const lots: number[] = [];
    const shards = measure.shards?.[set];
    if (shards !== undefined) await changeShardCount(db.knex, shards);
    for (let at = 0; at < measure.auctions; at += 1) {
      const auction = await anAuction(db, { team_id: team.id });
      const settings = { increments: ONE_DOLLAR, registration_bid_limit_cents: LIMIT_CENTS };
      await db.knex('auctions').where('id', auction.id).update(settings);
      const rows = Array.from({ length: Math.ceil(measure.lots / measure.auctions) }, (_, n) => ({
        auction_id: auction.id,
        lot_number: n + 1,
        title: `Lot ${n + 1}`,
        slug: `bench-${auction.id}-${n}`,
        starting_bid_cents: 10_000,
        status: 'active',
      }));
      const made: { id: number }[] = await db.knex('lots').insert(rows).returning('id');
      lots.push(...made.map(({ id }) => Number(id)));
      await publishAuction(backends, auction.id);
      await backends.engine.ensureBidders(auction.id, bidders);
    }
    sets.push(lots);
  }
  await backends.close();
  return sets;
}

async function pidOfRedis(url: string): Promise<number> {
  const client = createClient({ url });
  await client.connect();
  const info = await client.info('server');
  client.destroy();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

/** Empties the logs and the idempotency keys: no projection runs in a benchmark. */
export async function forgetLogs({ link }: OpenLink): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS);
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const keys = shardKeys(shard);
    await link.del(keys.log);
    for (const day of [today - 1, today, today + 1]) await link.del(keys.keys(day));
    await link.hSet(keys.meta, { bytes: '0' });
  }
}
