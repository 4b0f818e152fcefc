/**
 * The catalog under load, compared with raw `pg` behind bare `node:http` on the same database in the same run:
 * baseline, uncached and cached alternate for a few rounds, and the medians are compared. Also how long Postgres itself
 * works on every page. Run it by `npm run bench:catalog -- --lots 500000`; the made database is kept under `--data` for
 * the next run.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { loadNow, printTable } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';
import { type Explained, explain, statements } from './explain.ts';
import { generateCatalog } from './generate.ts';
import { makeLive } from './live.ts';
import { report, writeReport } from './report.ts';
import { KINDS, type Kind, type Measured, ROUTES } from './routes.ts';

interface Options {
  readonly lots: number;
  readonly auctions: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly data: string;
  readonly explain: boolean;
  readonly write: boolean;
  readonly json?: string;
}

const COMMAND = 'npm run bench:catalog --';

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const servers = await startEmbedded({ dataDir: resolve(options.data) });
  const db = openDatabase(servers.databaseUrl, { statementTimeoutMs: 0 });
  try {
    await migrateToLatest(db);
    await fill(db, options);
    const explained = options.explain ? await explainAll(db, options.lots) : [];
    await makeLive(
      servers,
      ROUTES.flatMap(({ service }) => service),
    );
    const measured = await measureAll(servers, db, options);
    const rows = report(measured);
    if (options.write) writeReport(rows, explained, `${COMMAND} --lots ${options.lots}`, load);
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
  db: Database,
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
      const { url } = children.get(kind)!;
      const paths = kind === 'baseline' ? route.baseline : route.service;
      await settled(db);
      const sample = await measure(url, paths, seconds, connections);
      bar.increment(1, { what: `${route.name}, ${kind}` });
      return sample;
    });
    return new Map(Object.entries(samples).map(([key, of]) => [key, medians(of)]));
  } finally {
    bar.stop();
    for (const { child } of children.values()) child.disconnect();
  }
}

async function measure(
  url: string,
  paths: readonly string[],
  seconds: number,
  connections: number,
): Promise<Measured> {
  const requests = paths.map((path) => ({ path }));
  await autocannon({ url, requests, duration: 1, connections });
  const result = await autocannon({ url, requests, duration: seconds, connections });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} answers were no 2xx`);
  return { perSecond: result['2xx'] / result.duration, p99Ms: result.latency.p99 };
}

/** Waits until Postgres has finished the last load's queries, which are not cancelled when their callers leave. */
async function settled({ knex }: Database): Promise<void> {
  for (;;) {
    const { rows } = await knex.raw<{ rows: { busy: number }[] }>(
      `SELECT count(*) AS busy FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
         AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    if (Number(rows[0]?.busy) === 0) return;
    await sleep(50);
  }
}

const number = (text: string): number => Number.parseInt(text, 10);

const { auctions, ...given } = new Command('bench:catalog')
  .option('--lots <n>', 'lots to make', number, 500_000)
  .option('--auctions <n>', 'auctions to make; one for every 250 lots when not given', number)
  .option('--seconds <n>', 'of load for each measurement', number, 3)
  .option('--rounds <n>', 'of which the median is taken', number, 3)
  .option('--connections <n>', 'that ask at once', number, 16)
  .option('--data <folder>', 'where the database is kept', '.data/bench')
  .option('--no-explain', 'leave out what Postgres says of each page')
  .option('--no-write', 'leave docs/benchmarks.md as it is')
  .option('--json <file>', 'write the figures there')
  .parse()
  .opts<Omit<Options, 'auctions'> & { auctions?: number }>();
await main({ ...given, auctions: auctions ?? Math.max(1, Math.round(given.lots / 250)) });
