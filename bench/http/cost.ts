/**
 * What a recorded bid costs end to end: the processor time of web, worker, Redis and Postgres from the first bid until
 * the projection has all of them, and how long bids take meanwhile, beside Koa with a row lock. `npm run bench:http --
 * --cost` calls it; with `--other` another build alternates with this one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { openLink } from '../../adapters/redis/link.ts';
import { readLag } from '../../src/bidding/projection/lag.ts';
import { cpuOfFamilyUs, cpuOfProcessUs, parentOf } from '../support/cpu.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';
import type { Marketplace } from './marketplace.ts';
import type { Options } from './report.ts';
import { lockRows, rowLockTables, sweep } from './row-lock.ts';
import {
  bidsOf,
  CLI,
  type Generator,
  instruct,
  type Server,
  sampleAnswer,
  startOther,
  startWeb,
  startWorker,
  stop,
} from './servers.ts';

const PARTS = ['web', 'worker', 'Postgres', 'Redis', 'all'] as const;
type Cost = Record<(typeof PARTS)[number] | 'perSecond' | 'p50Ms' | 'p99Ms', number>;

const LOADS = ['many lots', 'one hot lot'] as const;
const BARE = 'bare `node:http`';
/** Row locks, on lots that nobody else bids on. */
const ROW_LOCK = 'row lock';
const ROW_LOCK_SET = 3;

interface Field {
  readonly market: Marketplace;
  readonly generator: Generator;
  readonly connections: number;
  readonly postmaster: number;
  /** Resolves when Postgres has every bid. */
  caughtUp(): Promise<void>;
}

/** Measures this build, another alternating with it, and bare `node:http`; prints the table and records it. */
export async function measureCost(
  market: Marketplace,
  generator: Generator,
  options: Options,
): Promise<void> {
  const load = loadNow();
  const database = openDatabase(market.databaseUrl);
  const redis = await openLink(market.redisUrl);
  const { rows } = await database.knex.raw('SELECT pg_backend_pid() AS pid');
  const field: Field = {
    market,
    generator,
    connections: options.connections,
    postmaster: parentOf(Number(rows[0].pid)),
    async caughtUp() {
      while ((await readLag(database.knex, redis)).entries > 0) await sleep(100);
    },
  };
  const builds = { this: CLI, ...(options.other === undefined ? {} : { other: options.other }) };
  const spreads = options.shards?.map((shards) => `, ${shards} ${shards === 1 ? 'shard' : 'shards'}`) ?? [''];
  const kinds = Object.keys(builds).flatMap((build) =>
    LOADS.flatMap((name) => spreads.map((spread) => `${build}: ${name}${spread}`)),
  );
  const webs = new Map<string, Server>();
  for (const [build, cli] of Object.entries(builds))
    webs.set(
      build,
      await startWeb(market, {
        core: null,
        cli,
        node: build === 'other' ? (options.otherNode?.split(' ') ?? []) : [],
      }),
    );
  const bare = await startOther('./bare.ts', null);
  const answer = await sampleAnswer(webs.get('this')!, market.tokens[0]!, market.sets[0]![0]!);
  await instruct(bare, answer);
  const koa = await startOther('./koa-service.ts', null);
  const tablesUrl = await rowLockTables(market);
  const locks = async (load: string, pool: number, ms: number): Promise<Cost> => {
    await lockRows(koa, { tokens: market.tokens, answer }, tablesUrl, pool);
    const set = market.sets[ROW_LOCK_SET]!;
    return costOfRowLock(field, koa, load === LOADS[1] ? set.slice(-1) : set.slice(0, -1), ms);
  };
  const pools = new Map<string, number>();
  const rowLocks = options.shards === undefined ? LOADS.map((load) => `${ROW_LOCK}: ${load}`) : [];
  const measure = async (kind: string, ms: number): Promise<Cost> => {
    if (kind === BARE) return costOfBare(field, bare, ms);
    const [build, load] = kind.split(': ') as [keyof typeof builds | typeof ROW_LOCK, string];
    if (build === ROW_LOCK) return locks(load, pools.get(load)!, ms);
    const all = market.sets[spreads.findIndex((spread) => load.endsWith(spread))]!;
    const lots = load.startsWith('one hot lot') ? all.slice(-1) : all.slice(0, -1);
    return costOf(field, webs.get(build)!, builds[build]!, lots, { ms, warmMs: options.workerWarm * 1_000 });
  };
  try {
    for (const kind of kinds) await measure(kind, options.warm * 1_000);
    for (const load of rowLocks.length > 0 ? LOADS : [])
      pools.set(load, (await sweep(async (pool) => (await locks(load, pool, 1_200)).perSecond)).best);
    const samples = await interleaved([...kinds, ...rowLocks, BARE], options.rounds, (kind) =>
      measure(kind, options.seconds * 1_000),
    );
    const of = new Map(Object.entries(samples).map(([kind, all]) => [kind, medians(all)]));
    printCost(of, options, load);
  } finally {
    for (const server of [...webs.values(), bare, koa]) await stop(server);
    redis.link.destroy();
    await database.close();
  }
}

async function costOf(
  { market, generator, connections, postmaster, caughtUp }: Field,
  web: Server,
  cli: string,
  lots: readonly number[],
  { ms, warmMs }: { readonly ms: number; readonly warmMs: number },
): Promise<Cost> {
  const worker = startWorker(market, cli);
  await settled(worker.pid!);
  const load = { urls: [web.url], connections, tokens: market.tokens, lots, warmMs: 0 };
  // A worker that has just started runs code that is not compiled yet, unlike the web process and the bare server.
  await generator.put({ ...load, ms: warmMs }, []);
  await caughtUp();
  const read = () => [
    cpuOfProcessUs(web.child.pid!),
    cpuOfProcessUs(worker.pid!),
    cpuOfFamilyUs(postmaster),
    cpuOfProcessUs(market.redisPid),
  ];
  const before = read();
  const { loaded } = await generator.put({ ...load, ms }, []);
  await caughtUp();
  const after = read();
  await stop({ child: worker, url: '' });
  const { 201: recorded = 0, 422: _refused, ...others } = loaded.statuses;
  if (recorded === 0 || Object.keys(others).length > 0) throw new Error(JSON.stringify(loaded.statuses));
  const [webUs, workerUs, postgresUs, redisUs] = after.map((us, at) => (us - before[at]!) / recorded);
  const { p50Ms, p99Ms, seconds } = loaded;
  return {
    web: webUs!,
    worker: workerUs!,
    Postgres: postgresUs!,
    Redis: redisUs!,
    all: webUs! + workerUs! + postgresUs! + redisUs!,
    perSecond: recorded / seconds,
    p50Ms,
    p99Ms,
  };
}

async function costOfBare(
  { market, generator, connections }: Field,
  bare: Server,
  ms: number,
): Promise<Cost> {
  const load = {
    urls: [bare.url],
    connections,
    tokens: market.tokens,
    lots: market.sets[0]!,
    warmMs: 300,
    ms,
  };
  const { loaded, cpuUs } = await generator.put(load, [bare.child.pid!]);
  const web = cpuUs / (loaded.statuses[201] ?? 1);
  const { p50Ms, p99Ms } = loaded;
  return {
    web,
    worker: 0,
    Postgres: 0,
    Redis: 0,
    all: web,
    perSecond: (loaded.statuses[201] ?? 0) / loaded.seconds,
    p50Ms,
    p99Ms,
  };
}

async function costOfRowLock(
  { market, generator, connections, postmaster }: Field,
  koa: Server,
  lots: readonly number[],
  ms: number,
): Promise<Cost> {
  const load = { urls: [koa.url], connections, tokens: market.tokens, lots, warmMs: 700, ms };
  const before = cpuOfFamilyUs(postmaster);
  const measured = await generator.put(load, [koa.child.pid!]);
  const { loaded } = measured;
  // Postgres' time is that of the warming too.
  const postgresUs = (cpuOfFamilyUs(postmaster) - before) * (ms / (ms + load.warmMs));
  const { perSecond, cpuUs, p99Ms } = bidsOf(measured, ROW_LOCK);
  const postgres = postgresUs / (perSecond * loaded.seconds);
  return {
    web: cpuUs,
    worker: 0,
    Postgres: postgres,
    Redis: 0,
    all: cpuUs + postgres,
    perSecond,
    p50Ms: loaded.p50Ms,
    p99Ms,
  };
}

/** Waits until a started process is nearly idle. */
async function settled(pid: number): Promise<void> {
  await sleep(700);
  for (let before = cpuOfProcessUs(pid), quiet = 0; quiet < 2; ) {
    await sleep(300);
    const now = cpuOfProcessUs(pid);
    quiet = now - before < 40_000 ? quiet + 1 : 0;
    before = now;
  }
}

function printCost(of: ReadonlyMap<string, Cost>, options: Options, load: string): void {
  const bareUs = of.get(BARE)!.web;
  const head = ['µs for each bid', ...PARTS, 'all, × bare', 'web, × bare', 'bids/s', 'p50 ms', 'p99 ms'];
  const rows = [...of].map(([kind, cost]) => [
    kind.replace(/^this: /, ''),
    ...PARTS.map((part) => shown(cost[part])),
    ...[cost.all / bareUs, cost.web / bareUs, cost.perSecond, cost.p50Ms, cost.p99Ms].map(shown),
  ]);
  printTable(head, rows);
  if (options.shards !== undefined) return;
  const goals = goalsOf(of);
  printTable(['compared', 'measured', 'to reach'], goals);
  if (!options.write) return;
  const lots = `${options.lots} lots of ${options.auctions} auctions`;
  writeSection(
    'http-cost',
    `### What a bid costs, by process

Processor time from the first bid until the projection has all of them, divided by the recorded bids; ${options.connections} connections,
${lots} and one lot of them, nothing pinned to a core, the worker warmed up under load for ${options.workerWarm} s, medians of ${options.rounds} alternating rounds of
${options.seconds} s. The row lock has the pool that was fastest for its load.

${markdownTable(head, rows)}

${markdownTable(['compared', 'measured', 'to reach'], goals)}

${measuredOn('npm run bench:http -- --cost', load)}`,
  );
}

/** Everything with a worker that projects. */
function goalsOf(of: ReadonlyMap<string, Cost>): string[][] {
  const bare = of.get(BARE)!;
  const reach = [
    ['many lots', 6.5, 2.8, 0.5, 4.5],
    ['one hot lot', 4.5, 2, 0.25, 28],
  ] as const;
  return reach.flatMap(([load, all, web, p99, rate]) => {
    const [own, lock] = [of.get(`this: ${load}`)!, of.get(`${ROW_LOCK}: ${load}`)!];
    const row = (what: string, value: number, goal: string) => [
      `${load}: ${what}`,
      `${shown(value)} ×`,
      goal,
    ];
    return [
      row('processor time of a bid, beside bare', own.all / bare.web, `≤ ${all} ×`),
      row('that of the web process', own.web / bare.web, `≤ ${web} ×`),
      row('p99 beside the row lock’s', own.p99Ms / lock.p99Ms, `≤ ${p99} ×`),
      row('rate beside the row lock', own.perSecond / lock.perSecond, `≥ ${rate} ×`),
    ];
  });
}
