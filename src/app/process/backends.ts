/**
 * The backends that web and worker processes and the command line share: Postgres, Redis, the journal with its epoch,
 * and the engine on top. Opened once per process, closed once, in the opposite order.
 */
import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { watchForHangs } from '../../../adapters/postgres/hang-watch.ts';
import type { JournalGuard } from '../../../adapters/redis/guarded-script.ts';
import type { BidDurability } from '../../../adapters/redis/journal-calls.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { LogTail } from '../../../adapters/redis/log-tail.ts';
import { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { RedisJournal } from '../../../adapters/redis/redis-journal.ts';
import { ShardDirectory } from '../../../adapters/redis/shard-directory.ts';
import type { Tracing } from '../../../adapters/tracing/tracing.ts';
import { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { Seals } from '../../../engine/lot/seals.ts';
import { tracingCommands } from '../../bidding/bids/trace-commands.ts';
import { readArchivedState } from '../../bidding/journal/archived-history.ts';
import { CommitMetrics } from '../../bidding/journal/commit-metrics.ts';
import { EpochKeeper } from '../../bidding/journal/epoch-keeper.ts';
import { ServerFence } from '../../bidding/journal/server-fence.ts';
import { findShardIn } from '../../bidding/records/auction-shards.ts';
import { LotLookup } from '../../bidding/records/lot-lookup.ts';
import { LotsJournal } from '../../bidding/records/lots-journal.ts';
import type { PublishingParts } from '../../bidding/records/publishing.ts';
import type { Log } from '../../shared/log.ts';
import { nodeDigest, nodeRandomness } from '../../shared/node-crypto.ts';
import { nodeSeals } from '../../shared/node-seals.ts';
import { REDIS_SCRIPTS } from '../../shared/project-root.ts';
import { requireLayout, requirePostgres, requireRedis } from './reachable.ts';

/** Where the two servers are. */
export interface Addresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Servers that the caller opened, and closes when the work ends. */
export interface Servers extends Addresses {
  close(): Promise<void>;
}

export interface Backends extends PublishingParts {
  readonly addresses: Addresses;
  readonly database: Database;
  readonly redis: OpenLink;
  readonly pubSub: RedisPubSub;
  readonly shards: ShardDirectory;
  /** As those read it who show lots. */
  readonly journal: Journal;
  /** As it is kept: of lots that are sold together, only the one that hosts them. */
  readonly keptJournal: RedisJournal;
  /** What of the log is not projected yet. */
  readonly tail: LogTail;
  readonly commits: CommitMetrics;
  readonly epoch: EpochKeeper;
  /** The same, as whoever writes the journal asks it. */
  readonly guard: JournalGuard;
  readonly lotLookup: LotLookup;
  /** What sealed bids are sealed with. */
  readonly seals: Seals;
  /** Whether Postgres may be permanently behind: Redis does not answer, or does not have the journal. */
  isBehind(): boolean;
  /** Null where nothing is followed. */
  readonly tracing: Tracing | null;
  /** Waits for the engine's unfinished work, then closes everything. */
  close(): Promise<void>;
}

export interface BackendOptions {
  /** Postgres connections at most. */
  readonly connections?: number;
  /** Statements fail soon once Postgres is found to hang: for processes whose callers wait. */
  readonly watchesPostgres?: boolean;
  /** Where a bid has to be before it is answered; default `local`. */
  readonly durability?: BidDurability;
  /** What the keys of sealed bids are sealed with; none: no bid can be sealed or opened. */
  readonly sealKeys?: readonly string[];
  /** Follows commands and their outcomes; closed with the backends. */
  readonly tracing?: Tracing | null;
}

const EPOCH_CHECK_MS = 1_000;
const DRAIN_STEP_MS = 5;

/**
 * Opens everything. Throws `InputError` when Postgres or Redis cannot be reached, or a later release has finished its
 * upgrade; a schema that is not current is no error here.
 */
export async function openBackends(
  addresses: Addresses,
  log: Log,
  options: BackendOptions = {},
): Promise<Backends> {
  const database = openDatabase(addresses.databaseUrl, { max: options.connections ?? 10 });
  await requirePostgres(database);
  await requireLayout(database);
  const watch = options.watchesPostgres === true ? watchForHangs(database) : null;
  const { redis, pubSub, fence } = await openRedis(addresses.redisUrl, database.knex, log);
  const epoch = new EpochKeeper(database.knex, redis, fence);
  const commits = new CommitMetrics();
  const shards = new ShardDirectory(findShardIn(database.knex));
  const keptJournal = await new RedisJournal(redis, {
    guard: epoch,
    shards,
    scripts: REDIS_SCRIPTS,
    onCommit: commits.count,
    durability: options.durability ?? 'local',
  }).start();
  const journal = new LotsJournal(keptJournal, database.knex);
  const isLive = async (auctionId: number, lotId: number) =>
    (await keptJournal.load(auctionId, lotId)) !== null;
  const lotLookup = new LotLookup(database.knex, isLive, (lotId) => readArchivedState(database, lotId));
  const seals = nodeSeals(options.sealKeys ?? []);
  const engine = new Engine(
    { journal: keptJournal, digest: nodeDigest, random: nodeRandomness, seals },
    lotLookup,
  );
  const { tracing = null } = options;
  if (tracing !== null) engine.tracer = tracingCommands(tracing);
  const stopWatching = watchEpoch(epoch, log);
  await stopWatching.checked;
  return {
    addresses,
    database,
    knex: database.knex,
    redis,
    pubSub,
    shards,
    journal,
    keptJournal,
    tail: new LogTail(redis),
    commits,
    epoch,
    guard: epoch,
    lotLookup,
    engine,
    seals,
    isBehind: () => epoch.trouble !== null || !keptJournal.isInTouch,
    tracing,
    async close() {
      stopWatching();
      await engine.drained(() => new Promise((done) => setTimeout(done, DRAIN_STEP_MS)));
      keptJournal.stop();
      pubSub.close();
      await fence.close();
      redis.link.destroy();
      await watch?.close();
      await database.close();
      await tracing?.close();
    },
  };
}

interface OpenRedis {
  readonly redis: OpenLink;
  readonly pubSub: RedisPubSub;
  readonly fence: ServerFence;
}

/** The connections to Redis, and what is told at once where one of them is lost. */
async function openRedis(redisUrl: string, knex: Knex, log: Log): Promise<OpenRedis> {
  let serverLost = () => {};
  const onError = (err: Error) => {
    log.debug({ err }, 'redis link');
    serverLost();
  };
  const [redis, pubSub] = await requireRedis(redisUrl, () =>
    Promise.all([openLink(redisUrl, onError), RedisPubSub.open(redisUrl, onError)]),
  );
  const fence = new ServerFence(knex, redis, REDIS_SCRIPTS);
  serverLost = () => void fence.serverLost();
  return { redis, pubSub, fence };
}

/** Checks the epoch until it is right, and from then on now and then: a Redis may be exchanged under us. */
function watchEpoch(epoch: EpochKeeper, log: Log): (() => void) & { checked: Promise<void> } {
  let reported: string | null = null;
  let stopped = false;
  const checkEpoch = async () => {
    const trouble = await epoch.watch().then(
      () => epoch.trouble,
      (error: unknown) => String(error),
    );
    // A check that closing has cut off says nothing about the journal.
    if (stopped) return;
    if (trouble !== null && trouble !== reported) log.warn({ trouble }, 'the journal is not ready');
    reported = trouble;
  };
  const timer = setInterval(() => void checkEpoch(), EPOCH_CHECK_MS).unref();
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  return Object.assign(stop, { checked: checkEpoch() });
}
