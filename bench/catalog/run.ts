/**
 * The catalog under load, beside raw `pg` behind bare `node:http` on the same database in the same run: baseline, uncached and
 * cached take turns, five rounds each, and the medians are compared. Also how long Postgres itself works on every page.
 * Run it by `npm run bench:catalog -- --lots 500000`; the made database is kept under `--data` for the next run.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import autocannon from 'autocannon';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { printTable } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';
import { type Explained, explain, statements } from './explain.ts';
import { generateCatalog } from './generate.ts';
import { makeLive } from './live.ts';

interface Options {
  readonly lots: number;
  readonly auctions: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly data: string;
  readonly explain: boolean;
  readonly json?: string;
}

const KINDS = ['baseline', 'uncached', 'cached'] as const;
type Kind = (typeof KINDS)[number];

interface Route {
  readonly name: string;
  readonly baseline: string;
  readonly service: string;
  /** The share of the baseline to reach without a cache, and with one. */
  readonly uncached: number;
  readonly cached: number | null;
}

const BOX = 'bbox=-100,30,-98,31';
const ROUTES: readonly Route[] = [
  {
    name: 'auctions, category and search',
    baseline: '/auctions?category_id=2&search=prairie',
    service: '/api/v1/auctions?category_id=2&search=prairie',
    uncached: 0.9,
    cached: 5,
  },
  {
    name: 'lots, three filters',
    baseline: '/lots?state=TX&min_acres=300&road_access=true',
    service: '/api/v1/lots?state=TX&min_acres=300&road_access=true',
    uncached: 0.9,
    cached: 5,
  },
  { name: 'lot detail', baseline: '/lot?id=7', service: '/api/v1/lots/7', uncached: 0.55, cached: null },
  {
    name: 'map of a box',
    baseline: `/map?${BOX}`,
    service: `/api/v1/lots/geojson?${BOX}`,
    uncached: 0.9,
    cached: 5,
  },
  {
    name: 'category tree',
    baseline: '/tree',
    service: '/api/v1/categories?tree=true',
    uncached: 0.55,
    cached: 5,
  },
];

type Measured = Record<'perSecond' | 'p99Ms', number>;

async function main(options: Options): Promise<void> {
  const servers = await startEmbedded({ dataDir: resolve(options.data) });
  const db = openDatabase(servers.databaseUrl, { statementTimeoutMs: 0 });
  try {
    await migrateToLatest(db);
    await fill(db, options);
    const explained = options.explain ? await explainAll(db, options.lots) : [];
    await makeLive(
      servers,
      ROUTES.map(({ service }) => service),
    );
    const measured = await measureAll(servers, options);
    const rows = report(measured);
    if (options.json !== undefined) {
      const plans = explained.map(({ name, milliseconds }) => ({ name, milliseconds }));
      await writeFile(options.json, `${JSON.stringify({ options, rows, plans }, null, 2)}\n`);
    }
  } finally {
    await db.close();
    await servers.close();
  }
}

async function fill(db: Database, { auctions, lots }: Options): Promise<void> {
  const row = (await db.knex('lots').count<{ n: number }[]>('* as n'))[0];
  if (Number(row?.n) === lots) return;
  if (Number(row?.n) > 0)
    throw new Error('this data folder holds another number of lots: name another --data');
  await generateCatalog(db, { auctions, lots });
}

async function explainAll(db: Database, lots: number): Promise<Explained[]> {
  const all: Explained[] = [];
  for (const [name, statement] of statements(lots)) all.push(await explain(db, name, statement));
  printTable(
    ['statement', 'ms in Postgres'],
    all.map(({ name, milliseconds }) => [name, milliseconds.toFixed(1)]),
  );
  return all;
}

async function measureAll(
  servers: { readonly databaseUrl: string; readonly redisUrl: string },
  { rounds, seconds, connections }: Options,
): Promise<Map<string, Measured>> {
  const env = { ...process.env, DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl };
  const children = new Map<Kind, { readonly child: ChildProcess; readonly url: string }>();
  for (const kind of KINDS) {
    const child = fork(new URL('./serve.ts', import.meta.url), [kind], {
      env,
      execArgv: ['--import', 'tsx'],
    });
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    children.set(kind, { child, url });
  }
  const bar = new SingleBar({ format: 'measuring {bar} {value}/{total} {what}' });
  bar.start(rounds * ROUTES.length * KINDS.length, 0, { what: '' });
  const sampled = new Map(
    ROUTES.flatMap((route) => KINDS.map((kind) => [`${route.name}|${kind}`, { route, kind }] as const)),
  );
  try {
    const samples = await interleaved([...sampled.keys()], rounds, async (key) => {
      const { route, kind } = sampled.get(key)!;
      const path = kind === 'baseline' ? route.baseline : route.service;
      const sample = await measure(children.get(kind)!.url + path, seconds, connections);
      bar.increment(1, { what: `${route.name}, ${kind}` });
      return sample;
    });
    return new Map(Object.entries(samples).map(([key, of]) => [key, medians(of)]));
  } finally {
    bar.stop();
    for (const { child } of children.values()) child.disconnect();
  }
}

async function measure(url: string, seconds: number, connections: number): Promise<Measured> {
  await autocannon({ url, duration: 1, connections });
  const result = await autocannon({ url, duration: seconds, connections });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} answers were no 2xx`);
  return { perSecond: result.requests.average, p99Ms: result.latency.p99 };
}

function report(measured: ReadonlyMap<string, Measured>) {
  const shownRows: string[][] = [];
  const rows = ROUTES.map((route) => {
    const of = (kind: Kind) => measured.get(`${route.name}|${kind}`)!;
    const [baseline, uncached, cached] = [of('baseline'), of('uncached'), of('cached')];
    const times = (one: Measured) => one.perSecond / baseline.perSecond;
    const shown = (one: Measured, goal: number | null) =>
      `${times(one).toFixed(2)} (${goal === null ? '–' : goal})`;
    shownRows.push([
      route.name,
      ...[baseline, uncached].flatMap((one) => [one.perSecond.toFixed(0), one.p99Ms.toFixed(0)]),
      shown(uncached, route.uncached),
      cached.perSecond.toFixed(0),
      cached.p99Ms.toFixed(0),
      shown(cached, route.cached),
    ]);
    return { route: route.name, baseline, uncached, cached };
  });
  printTable(
    [
      'route',
      'baseline/s',
      'p99 ms',
      'uncached/s',
      'p99 ms',
      '× (to reach)',
      'cached/s',
      'p99 ms',
      '× (to reach)',
    ],
    shownRows,
  );
  return rows;
}

const number = (text: string): number => Number.parseInt(text, 10);

const { auctions, ...given } = new Command('bench:catalog')
  .option('--lots <n>', 'lots to make', number, 500_000)
  .option('--auctions <n>', 'auctions to make; one for every 250 lots when not given', number)
  .option('--seconds <n>', 'of load for each measurement', number, 3)
  .option('--rounds <n>', 'of which the median is taken', number, 5)
  .option('--connections <n>', 'that ask at once', number, 16)
  .option('--data <folder>', 'where the database is kept', '.data/bench')
  .option('--no-explain', 'leave out what Postgres says of each page')
  .option('--json <file>', 'write the figures there')
  .parse()
  .opts<Omit<Options, 'auctions'> & { auctions?: number }>();
await main({ ...given, auctions: auctions ?? Math.max(1, Math.round(given.lots / 250)) });
