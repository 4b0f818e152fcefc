/**
 * Whether the projection keeps up with a steady rate of bids, what a projected bid costs, and what happens in a flood
 * that it cannot keep up with: bids are refused as `Overloaded`, and every acknowledged bid is in Postgres afterwards.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { Overloaded } from '../../engine/actor/journal.ts';
import { type ProjectionLag, readLag } from '../../src/bidding/projection/lag.ts';
import { type BenchEngine, benchEngine, bidder } from '../engine/rostrum.ts';
import { cpuOfFamilyUs, cpuOfProcessUs, parentOf } from '../support/cpu.ts';
import type { BenchServers } from './servers.ts';

export interface Steady {
  readonly sentPerSecond: number;
  readonly placedPerSecond: number;
  readonly seconds: number;
  /** The largest lag in the second half, and how long catching up took afterwards. */
  readonly lagSeconds: number;
  readonly caughtUpMs: number;
  /** Processor time of the projecting process, and of Postgres, for each bid. */
  readonly cpuUs: number;
  readonly postgresUs: number;
}

export interface Flood {
  readonly acknowledged: number;
  readonly overloaded: number;
  readonly projected: number;
  readonly caughtUpMs: number;
}

const AUCTIONS = 32;
const LOTS = 320;
const BIDDERS = 50;
/** Small, so that a flood fills it soon: 256 KiB are some two hundred bids. */
const FLOOD_LOG_BYTES = 256 * 1024;
const FLOODED_LOTS = 40;
const PATIENCE_MS = 120_000;

/** `rate` bids a second for `seconds`, spread over 320 lots, on a Postgres that has every commit on disk. */
export async function steadyProjection(
  servers: BenchServers,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<Steady> {
  const stage = await openStage(servers, 256 * 1024 * 1024);
  const cpuBefore = cpuOfProcessUs(stage.child.pid!);
  const postgresBefore = cpuOfFamilyUs(stage.postmaster);
  const started = performance.now();
  const lags: ProjectionLag[] = [];
  let running = true;
  const watching = (async () => {
    while (running) {
      await sleep(500);
      if (performance.now() - started > seconds * 500) lags.push(await stage.lag());
    }
  })();
  const under: Promise<boolean>[] = [];
  let sent = 0;
  while (performance.now() - started < seconds * 1_000) {
    const due = ((performance.now() - started) / 1_000) * rate;
    while (sent < due) under.push(stage.bid(sent++));
    await sleep(2);
  }
  await Promise.all(under);
  const tookMs = performance.now() - started;
  running = false;
  await watching;
  const caughtUpMs = await stage.caughtUp();
  const cpuUs = (cpuOfProcessUs(stage.child.pid!) - cpuBefore) / sent;
  const postgresUs = (cpuOfFamilyUs(stage.postmaster) - postgresBefore) / sent;
  await stage.close();
  return {
    sentPerSecond: rate,
    placedPerSecond: (sent / tookMs) * 1_000,
    seconds,
    lagSeconds: Math.max(...lags.map((lag) => lag.seconds)),
    caughtUpMs,
    cpuUs,
    postgresUs,
  };
}

/** As many bids as the engine accepts, into small logs. */
export async function flood(servers: BenchServers, seconds: number): Promise<Flood> {
  const stage = await openStage(servers, FLOOD_LOG_BYTES);
  const until = performance.now() + seconds * 1_000;
  let [acknowledged, overloaded, count] = [0, 0, 0];
  const loop = async () => {
    while (performance.now() < until) {
      try {
        if (await stage.bid(count++, FLOODED_LOTS)) acknowledged += 1;
      } catch (fault) {
        if (!(fault instanceof Overloaded)) throw fault;
        overloaded += 1;
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: 1_000 }, loop));
  const caughtUpMs = await stage.caughtUp();
  const rows = await stage.database.knex('bids').count<{ n: string | number }[]>('* as n');
  await stage.close();
  return { acknowledged, overloaded, projected: Number(rows[0]!.n), caughtUpMs };
}

interface Stage {
  readonly child: ChildProcess;
  /** Postgres' first process. */
  readonly postmaster: number;
  readonly database: Database;
  /** Places the nth bid on the first `lots` in rotation. Rejects as the engine does. */
  bid(nth: number, lots?: number): Promise<boolean>;
  lag(): Promise<ProjectionLag>;
  /** Waits until all is projected; returns how long that took, in ms. */
  caughtUp(): Promise<number>;
  close(): Promise<void>;
}

async function openStage(servers: BenchServers, maxLogBytes: number): Promise<Stage> {
  await servers.empty();
  const database = openDatabase(servers.databaseUrl);
  await database.knex.raw('DROP SCHEMA public CASCADE');
  await database.knex.raw('CREATE SCHEMA public');
  await migrateToLatest(database);
  await database.knex.raw(ROWS, [AUCTIONS, LOTS, AUCTIONS]);
  const child = fork(
    fileURLToPath(new URL('./projector.ts', import.meta.url)),
    [servers.databaseUrl, servers.redisUrl, String(maxLogBytes)],
    { execArgv: process.execArgv },
  );
  await once(child, 'message');
  const bench = await benchEngine(servers.redisUrl, { maxLogBytes });
  const each = LOTS / AUCTIONS;
  for (let auction = 0; auction < AUCTIONS; auction += 1) {
    const lotIds = Array.from({ length: each }, (_, index) => auction * each + index + 1);
    await bench.addAuction({ auctionId: auction + 1, lotIds, bidders: BIDDERS });
  }
  const { rows } = await database.knex.raw('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(Number(rows[0].pid));
  const stage = { child, postmaster, database, ...placing(bench), ...watching(bench, database) };
  await stage.caughtUp();
  return {
    ...stage,
    async close() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
      await bench.close();
      await database.close();
    },
  };
}

function placing({ engine }: BenchEngine): Pick<Stage, 'bid'> {
  const placeBid = bidder(engine);
  const prices = new Map<number, number>();
  return {
    async bid(nth, lots = LOTS) {
      const lot = 1 + ((nth * 7) % lots);
      const amountCents = (prices.get(lot) ?? 0) + 100;
      prices.set(lot, amountCents);
      return placeBid(lot, nth % BIDDERS, amountCents);
    },
  };
}

function watching({ redis }: BenchEngine, { knex }: Database): Pick<Stage, 'lag' | 'caughtUp'> {
  return {
    lag: () => readLag(knex, redis),
    async caughtUp() {
      const started = performance.now();
      while ((await readLag(knex, redis)).entries > 0) {
        if (performance.now() - started > PATIENCE_MS) throw new Error('the projection does not catch up');
        await sleep(50);
      }
      return performance.now() - started;
    },
  };
}

const ROWS = `
  WITH team AS (INSERT INTO teams (name, slug, approved_at) VALUES ('Sellers', 'sellers', now()) RETURNING id),
  sales AS (
    INSERT INTO auctions (team_id, title, slug, status, start_time, end_time)
    SELECT team.id, 'Sale ' || n, 'sale-' || n, 'active', now(), now() + interval '1 day'
    FROM team, generate_series(1, ?::int) n RETURNING id)
  INSERT INTO lots (auction_id, lot_number, title, slug, starting_bid_cents, status)
  SELECT (n - 1) / (given.lots / given.auctions) + 1, (n - 1) % (given.lots / given.auctions) + 1, 'Lot ' || n, 'lot-' || n, 100, 'active'
  FROM (SELECT ?::int AS lots, ?::int AS auctions) given, generate_series(1, given.lots) n
  WHERE (SELECT count(*) FROM sales) > 0`;
