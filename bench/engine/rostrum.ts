/**
 * The engine on its Redis journal as a contender, with everything on: an idempotency key and a limit for every bid,
 * the hash chain, ceilings and exposures. No HTTP and no projection; the log is discarded between samples instead.
 */
import { randomUUID } from 'node:crypto';
import { writeEpoch } from '../../adapters/redis/epoch.ts';
import type { RedisJournalOptions } from '../../adapters/redis/journal-options.ts';
import { type OpenLink, openLink } from '../../adapters/redis/link.ts';
import { RedisJournal } from '../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../adapters/redis/shard-directory.ts';
import { SHARD_COUNT, shardKeys } from '../../adapters/redis/shards.ts';
import { Engine } from '../../engine/actor/engine.ts';
import { type AuctionRecord, DEFAULT_SOFT_CLOSE, userKey } from '../../engine/auction/record.ts';
import type { BidderIdentity } from '../../engine/lot/commands.ts';
import { newBidId, newSalt, nodeDigest, nodeRandomness } from '../../src/shared/node-crypto.ts';
import { REDIS_SCRIPTS } from '../../src/shared/project-root.ts';
import type { Contender, Scenario } from './scenarios.ts';

const DAY_US = 86_400_000_000;

/** The engine on a journal of its own in an empty Redis. */
export interface BenchEngine {
  readonly engine: Engine;
  readonly journal: RedisJournal;
  readonly redis: OpenLink;
  /** The journal's epoch, for another engine on it. */
  readonly epoch: string;
  /** Puts an auction and its lots into the journal, with bidders `1` to `bidders` registered. */
  addAuction(parts: AuctionParts): Promise<void>;
  /** Makes known to the engine lots that another has put into the journal. */
  knowLots(auctionId: number, lotIds: readonly number[]): void;
  /** Discards the log and the stored answers, as if all were projected and old. */
  forgetLogs(): Promise<void>;
  close(): Promise<void>;
}

export interface AuctionParts {
  readonly auctionId: number;
  readonly lotIds: readonly number[];
  readonly bidders: number;
  /** By the journal's clock; default: in a day. */
  readonly endsAtUs?: number;
}

export async function benchEngine(
  redisUrl: string,
  options: Partial<Omit<RedisJournalOptions, 'guard'>> & { readonly epoch?: string } = {},
): Promise<BenchEngine> {
  const redis = await openLink(redisUrl);
  const epoch = options.epoch ?? randomUUID();
  if (options.epoch === undefined) await writeEpoch(redis, epoch);
  const journal = await new RedisJournal(redis, {
    // As in a new journal on one server.
    shards: new ShardDirectory(async () => 0),
    ...options,
    guard: epoch,
    scripts: REDIS_SCRIPTS,
  }).start();
  const auctionOf = new Map<number, number>();
  const engine = new Engine(
    { journal, digest: nodeDigest, random: nodeRandomness },
    {
      async find(lotId) {
        const auctionId = auctionOf.get(lotId);
        return auctionId === undefined ? null : { auctionId, toOpen: null, archived: null };
      },
    },
  );
  const knowLots = (auctionId: number, lotIds: readonly number[]) => {
    for (const lotId of lotIds) auctionOf.set(lotId, auctionId);
  };
  return {
    engine,
    journal,
    redis,
    epoch,
    knowLots,
    async addAuction({ auctionId, lotIds, bidders, endsAtUs }) {
      const nowUs = journal.nowUs();
      await journal.saveRecord(recordOf(auctionId, nowUs, endsAtUs ?? nowUs + DAY_US));
      const people = Array.from({ length: bidders }, (_, index) => identity(index));
      await engine.ensureBidders(auctionId, people);
      knowLots(auctionId, lotIds);
      await Promise.all(
        lotIds.map((lotId, index) =>
          engine.open(auctionId, {
            lotId,
            lotNumber: index + 1,
            salt: newSalt(),
            startingBidCents: 100,
            reserveCents: 5_000,
            buyNowCents: null,
            consignorUserId: null,
          }),
        ),
      );
    },
    async forgetLogs() {
      const today = Math.floor(journal.nowUs() / DAY_US);
      for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
        const keys = shardKeys(shard);
        await redis.link.del(keys.log);
        for (const day of [today - 1, today, today + 1]) await redis.link.del(keys.keys(day));
        await redis.link.hSet(keys.meta, { bytes: '0' });
      }
    },
    async close() {
      journal.stop();
      redis.link.destroy();
    },
  };
}

function recordOf(auctionId: number, nowUs: number, endsAtUs: number): AuctionRecord {
  return {
    auctionId,
    version: 1,
    type: 'timed',
    privacy: 'public',
    currency: 'usd',
    startsAtUs: nowUs - 1_000_000,
    endsAtUs,
    staggerSeconds: 0,
    pauses: [],
    cancelled: false,
    increments: [{ fromCents: 0, incrementCents: 100 }],
    softClose: DEFAULT_SOFT_CLOSE,
    confirmFactor: 10,
    premiumBps: 1_000,
    taxPpm: 0,
    registrationMode: 'open',
    requireVerified: true,
    bidLimitCents: 90_000_000_000_000,
    ownerTeamId: null,
    ownerUserId: null,
  };
}

/** Bidder `index`, counted from 0, as the rules see an account. */
export function identity(index: number): BidderIdentity {
  const userId = index + 1;
  return { key: userKey(userId), userId, verified: true, suspended: false, teamIds: [userId], paddle: null };
}

/**
 * Asks the engine for one straight bid under a key of its own: false if it was too low because a later one was faster.
 */
export function bidder(engine: Engine) {
  const people: BidderIdentity[] = [];
  let count = 0;
  return async (lotId: number, index: number, amountCents: number): Promise<boolean> => {
    people[index] ??= identity(index);
    count += 1;
    const result = await engine.submit(
      lotId,
      {
        type: 'place_bid',
        bidId: newBidId(),
        salt: newSalt(),
        bidder: people[index],
        channel: 'online',
        straightCents: amountCents,
        ceilingCents: null,
        currency: null,
        confirm: true,
        floor: null,
      },
      { field: `${index}|${lotId}|key-${count}`, fingerprint: `bid|${amountCents}||` },
    );
    if (result.kind === 'answer') {
      if (result.answer.kind === 'bid') return true;
      if (result.answer.kind === 'refused' && result.answer.code === 'bid_too_low') return false;
    }
    throw new Error(`a bid on lot ${lotId} was not taken: ${JSON.stringify(result)}`);
  };
}

/** Lots and auctions of this process so far: each scenario has its own. */
let lotsMade = 0;
let auctionsMade = 0;

export async function rostrum(redisUrl: string, scenario: Scenario): Promise<Contender> {
  const bench = await benchEngine(redisUrl, { maxLogBytes: 8 * 1024 ** 3 });
  const firstLot = lotsMade;
  const each = scenario.lots / scenario.auctions;
  for (let auction = 0; auction < scenario.auctions; auction += 1) {
    const lotIds = Array.from({ length: each }, () => ++lotsMade);
    await bench.addAuction({ auctionId: ++auctionsMade, lotIds, bidders: scenario.bidders });
    await Promise.all(lotIds.map((lotId) => bench.engine.submit(lotId, { type: 'advance' })));
  }
  const bid = bidder(bench.engine);
  return {
    bid: (lot, index, amountCents) => bid(firstLot + lot, index, amountCents),
    tidy: bench.forgetLogs,
    close: bench.close,
  };
}
