/**
 * A journal, an engine and a database without a web side: what tests of the projection and of what reads its rows
 * drive bids with. The Redis is handed in, so that a test may bring a cluster or kill one.
 */
import type { Database } from '../../adapters/postgres/database.ts';
import { writeEpoch } from '../../adapters/redis/epoch.ts';
import { type JournalGuard, unguarded } from '../../adapters/redis/guarded-script.ts';
import { type OpenLink, openLink } from '../../adapters/redis/link.ts';
import { RedisPubSub } from '../../adapters/redis/pub-sub.ts';
import { RedisJournal } from '../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../adapters/redis/shard-directory.ts';
import { Engine } from '../../engine/actor/engine.ts';
import type { CommandResult } from '../../engine/actor/pending-command.ts';
import type { AcceptedBid } from '../../engine/lot/answers.ts';
import type { Command, PlaceBid } from '../../engine/lot/commands.ts';
import { findShardIn } from '../../src/bidding/records/auction-shards.ts';
import { LotLookup } from '../../src/bidding/records/lot-lookup.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { newBidId, newSalt, nodeDigest, nodeRandomness } from '../../src/shared/node-crypto.ts';
import { REDIS_SCRIPTS } from '../../src/shared/project-root.ts';
import { aPerson } from './engine-terms.ts';
import { type MigratedDatabase, migratedDatabase } from './migrated-database.ts';

export interface AuctionHouse {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly redis: OpenLink;
  readonly redisUrl: string;
  readonly pubSub: RedisPubSub;
  readonly guard: JournalGuard;
  readonly journal: RedisJournal;
  readonly engine: Engine;
  /** Puts an auction and its lots into the journal. */
  publish(auctionId: number): Promise<void>;
  /** A straight bid, or with `ceilingCents` alone a proxy bid, of a user who may bid. Throws when it is refused. */
  bid(
    lotId: number,
    userId: number,
    straightCents: number | null,
    ceilingCents?: number,
  ): Promise<AcceptedBid>;
  submit(lotId: number, command: Command): Promise<CommandResult>;
  /** Another engine on the same journal, as in another process. */
  another(): Promise<Engine>;
  close(): Promise<void>;
}

export async function openHouse(redisUrl: string): Promise<AuctionHouse> {
  const database: MigratedDatabase = await migratedDatabase();
  const { db } = database;
  const redis = await openLink(redisUrl);
  const pubSub = await RedisPubSub.open(redisUrl);
  const epoch = newBidId();
  const guard = unguarded(epoch);
  await writeEpoch(redis, epoch);
  await db.knex('journal_meta').insert({ epoch });
  const journals: RedisJournal[] = [];
  const build = async () => {
    const journal = await new RedisJournal(redis, {
      guard,
      shards: new ShardDirectory(findShardIn(db.knex)),
      scripts: REDIS_SCRIPTS,
    }).start();
    journals.push(journal);
    const isLive = async (auctionId: number, lotId: number) =>
      (await journal.load(auctionId, lotId)) !== null;
    const lotLookup = new LotLookup(db.knex, isLive, async () => null);
    const engine = new Engine({ journal, digest: nodeDigest, random: nodeRandomness }, lotLookup);
    return { journal, engine };
  };
  const { journal, engine } = await build();
  return {
    db,
    databaseUrl: database.databaseUrl,
    redis,
    redisUrl,
    pubSub,
    guard,
    journal,
    engine,
    async publish(auctionId) {
      await publishAuction({ knex: db.knex, journal, engine }, auctionId);
    },
    async bid(lotId, userId, straightCents, ceilingCents) {
      const result = await engine.submit(lotId, placeBid(userId, straightCents, ceilingCents ?? null));
      if (result.kind !== 'answer' || result.answer.kind !== 'bid') {
        throw new Error(`the bid was not taken: ${JSON.stringify(result)}`);
      }
      return result.answer;
    },
    submit: (lotId, command) => engine.submit(lotId, command),
    another: async () => (await build()).engine,
    async close() {
      for (const one of journals) one.stop();
      pubSub.close();
      redis.link.destroy();
      await database.drop();
    },
  };
}

export function placeBid(
  userId: number,
  straightCents: number | null,
  ceilingCents: number | null,
): PlaceBid {
  return {
    type: 'place_bid',
    bidId: newBidId(),
    salt: newSalt(),
    bidder: aPerson(userId),
    channel: 'online',
    straightCents,
    ceilingCents,
    currency: null,
    confirm: true,
    floor: null,
  };
}
