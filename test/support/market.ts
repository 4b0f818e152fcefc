/**
 * A whole marketplace for tests: a database and a Redis of its own, the platform in this process, and on request
 * worker processes of their own and the HTTP side. Everything is real; close() ends all of it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { listen } from '../../adapters/http/server.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import type { AuctionRecord } from '../../engine/auction/record.ts';
import type { Answer } from '../../engine/lot/answers.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { type Backends, openBackends } from '../../src/app/process/backends.ts';
import { composeWeb } from '../../src/app/web/compose.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { changeAuction } from '../../src/selling/auctions/seller-auctions.ts';
import type { AuctionStatus } from '../../src/shared/statuses/auction-statuses.ts';
import { placeBid } from './auction-house.ts';
import { migratedDatabase } from './migrated-database.ts';
import { programToRun } from './program.ts';
import { type FreshRedis, freshRedis, type RedisCluster, startRedisCluster } from './redis-servers.ts';

export interface Market extends Backends {
  readonly db: Database;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** Starts `rostrum worker` as a process, with further variables; resolves when it reports that it is ready. */
  worker(env?: Readonly<Record<string, string>>): Promise<WorkerProcess>;
  /** Starts `rostrum web` as a process, with further variables; resolves when it listens. */
  webProcess(env?: Readonly<Record<string, string>>): Promise<WebProcess>;
  /** Serves HTTP in this process; gives its address. */
  web(): Promise<string>;
  /** Another platform on the same servers, as in another process. */
  another(): Promise<Backends>;
  publish(auctionId: number): Promise<void>;
  /** A bid by a user; the answer, refusals included. */
  bid(lotId: number, userId: number, straightCents: number | null, ceilingCents?: number): Promise<Answer>;
}

export interface WorkerProcess {
  readonly pid: number;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface WebProcess extends WorkerProcess {
  readonly url: string;
}

const silent = pino({ level: 'silent' });

/** Opens a market on a Redis of its own, or on a cluster. */
export async function openMarket(options: { readonly cluster?: boolean } = {}): Promise<Market> {
  const redis = options.cluster ? await startRedisCluster() : await freshRedis();
  const redisUrl = addressOf(redis);
  const database = await migratedDatabase();
  const addresses = { databaseUrl: database.databaseUrl, redisUrl };
  const backends = await openBackends(addresses, silent);
  const ending: (() => Promise<unknown>)[] = [];
  return {
    ...backends,
    db: database.db,
    ...addresses,
    async worker(env = {}) {
      const worker = (await startProcess('worker', addresses, /worker ready/, env)).process;
      ending.push(() => worker.kill('SIGTERM'));
      return worker;
    },
    async webProcess(env = {}) {
      const web = await startWeb(addresses, env);
      ending.push(() => web.kill('SIGTERM'));
      return web;
    },
    async web() {
      const config = loadConfig({ NODE_ENV: 'test', RATE_LIMIT_PER_MINUTE: '0', ...SECRETS });
      const side = await composeWeb(config, backends, silent);
      const listening = await listen({ app: side.app, host: '127.0.0.1', port: 0 });
      ending.push(async () => {
        await listening.close();
        await side.close();
      });
      return listening.url;
    },
    async another() {
      const other = await openBackends(addresses, silent);
      ending.push(() => other.close());
      return other;
    },
    async publish(auctionId) {
      await publishAuction(backends, auctionId);
    },
    async bid(lotId, userId, straightCents, ceilingCents) {
      const result = await backends.engine.submit(
        lotId,
        placeBid(userId, straightCents, ceilingCents ?? null),
      );
      if (result.kind !== 'answer') throw new Error(`no answer to a bid: ${result.kind}`);
      return result.answer;
    },
    async close() {
      for (const end of ending.reverse()) await end();
      await backends.close();
      await database.drop();
      await redis.close();
    },
  };
}

const SECRETS = {
  APP_SECRET: 'only-for-tests',
  PAYMENT_WEBHOOK_SECRET: 'only-for-tests',
  SIMULCAST_SECRETS: 'floor=only-for-tests',
};

function addressOf(redis: FreshRedis | RedisCluster): string {
  if ('redisUrl' in redis) return redis.redisUrl;
  return `redis-cluster://${redis.nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`;
}

async function startWeb(addresses: Addresses, env: Readonly<Record<string, string>>): Promise<WebProcess> {
  const { process: started, said } = await startProcess('web', addresses, /http:\/\/\S+/, env);
  return { ...started, url: said.replace(/\/+$/, '') };
}

interface Addresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Starts a command of the command line; resolves with its output when it is ready. */
async function startProcess(
  command: 'web' | 'worker',
  addresses: Addresses,
  ready: RegExp,
  more: Readonly<Record<string, string>> = {},
): Promise<{ process: WorkerProcess; said: string }> {
  const env = {
    ...process.env,
    ...SECRETS,
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    ...(command === 'web' ? { PORT: '0', RATE_LIMIT_PER_MINUTE: '0' } : {}),
    ...more,
  };
  const child = spawn(process.execPath, [...programToRun(), command], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await says(child, ready);
  return {
    said,
    process: {
      pid: child.pid!,
      async kill(signal = 'SIGKILL') {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill(signal);
        await once(child, 'exit');
      },
    },
  };
}

function says(child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout!.on('data', (text: Buffer) => {
      said += String(text);
      const found = ready.exec(said);
      if (found !== null) resolve(found[0]);
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}: ${said}`)));
  });
}

/** Waits until `look` gives something that is not null or false; throws when it takes too long. */
export async function eventually<T>(
  check: () => Promise<T | null | undefined | false>,
  withinMs = 120_000,
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > until) throw new Error(`not seen within ${withinMs} ms`);
    await sleep(25);
  }
}

/** Moves an auction as its seller does, or as an admin in the team; gives its status and record then. */
export async function moveAuction(
  market: Pick<Backends, 'knex' | 'engine' | 'journal'>,
  auctionId: number,
  to: AuctionStatus,
  isAdmin = false,
): Promise<{ status: AuctionStatus; record: AuctionRecord | null }> {
  const { team_id: teamId } = await market.knex('auctions').where('id', auctionId).first('team_id');
  const { status } = await changeAuction(
    { ...market, takesCurrency: () => true },
    { teamId, userId: null, isStaff: isAdmin },
    auctionId,
    { status: to },
  );
  return { status, record: await market.journal.loadRecord(auctionId) };
}

/** The time in the given milliseconds by the journal's clock, as rows store it. */
export function isoIn(market: Pick<Market, 'journal'>, ms: number): string {
  return new Date(market.journal.nowUs() / 1_000 + ms).toISOString();
}
