/**
 * The same marketplace small and large: bids, what a reader of the catalog waits for, the memory of a web process and
 * the projection's lag, at 10,000, 100,000 and a million lots with ten times as many bids, a tenth as many people and a
 * thousandth as many viewers of one lot. The sizes alternate; beside each figure stands the law that it grows by.
 * `npm run bench:size`; writes its part of docs/benchmarks.md and a chart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Command } from 'commander';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { openLink } from '../../adapters/redis/link.ts';
import { readLag } from '../../src/bidding/projection/lag.ts';
import { type Marketplace, openMarketplace } from '../http/marketplace.ts';
import { Generator, type Server, startWeb, startWorker, stop } from '../http/servers.ts';
import { openListeners } from '../scaling/listeners.ts';
import { writeChart } from '../support/chart.ts';
import { cpuOfProcessUs, residentBytes } from '../support/cpu.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, median, medians } from '../support/rounds.ts';
import { fill, type Size, sizeOf } from './fill.ts';
import { grown, growthOf } from './fit.ts';

interface Options {
  readonly lots: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly write: boolean;
}

/** What is measured, and how it is called. */
const FIGURES = {
  bidsPerSecond: 'bids recorded a second',
  bidP99Ms: 'p99 of a bid, ms',
  webUs: 'web process, µs a bid',
  workerUs: 'worker, µs a bid',
  lagSeconds: 'projection behind at most, s',
  webMib: 'memory of the web process, MiB',
  watchedMs: 'a bid that all viewers see, ms',
  listMs: 'lots by three filters, ms',
  searchMs: 'lots by two words, ms',
  lotMs: 'a lot, ms',
  historyMs: 'bids of a lot, ms',
} as const;
type Figure = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Figure[];
type Measured = Record<Figure, number>;

/** One marketplace with its processes. */
interface Town {
  readonly size: Size;
  readonly market: Marketplace;
  readonly web: Server;
  readonly worker: Server;
  /** Seconds that Postgres is behind the journal. */
  lag(): Promise<number>;
  close(): Promise<void>;
}

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const sizes = [options.lots / 100, options.lots / 10, options.lots].map(sizeOf);
  const generator = await Generator.start(null);
  const towns = new Map<string, Town>();
  try {
    for (const size of sizes) towns.set(String(size.lots), await openTown(size, options.connections));
    const kinds = [...towns.keys()];
    const measured = (kind: string) => measure(towns.get(kind)!, generator, options);
    for (const kind of kinds) await measured(kind);
    const samples = await interleaved(kinds, options.rounds, measured);
    report(sizes, new Map(sizes.map(({ lots }) => [lots, medians(samples[String(lots)]!)])), options, load);
  } finally {
    for (const town of towns.values()) await town.close();
    generator.close();
  }
}

async function openTown(size: Size, bidders: number): Promise<Town> {
  const market = await openMarketplace({ lots: 1_000, auctions: 16, sets: 1, bidders }, (db) =>
    fill(db, size),
  );
  const web = await startWeb(market, { core: null, environment: { MAX_CONNECTIONS_PER_ADDRESS: '0' } });
  const worker = { child: startWorker(market), url: '' };
  const db = openDatabase(market.databaseUrl);
  const redis = await openLink(market.redisUrl);
  return {
    ...{ size, market, web, worker },
    lag: async () => (await readLag(db.knex, redis)).seconds,
    async close() {
      redis.link.destroy();
      await db.close();
      for (const server of [web, worker]) await stop(server);
      await market.close();
    },
  };
}

async function measure(town: Town, generator: Generator, options: Options): Promise<Measured> {
  return {
    ...(await bidding(town, generator, options)),
    watchedMs: await watched(town, generator, options),
    ...(await reading(town, options)),
  };
}

async function bidding(
  { market, web, worker, lag }: Town,
  generator: Generator,
  { connections, seconds }: Options,
): Promise<Pick<Measured, 'bidsPerSecond' | 'bidP99Ms' | 'webUs' | 'workerUs' | 'lagSeconds' | 'webMib'>> {
  const pids = [web.child.pid!, worker.child.pid!];
  const before = pids.map(cpuOfProcessUs);
  const running = generator.put(
    {
      ...{ urls: [web.url], connections, tokens: market.tokens, lots: market.sets[0]!.slice(1) },
      ...{ warmMs: 0, ms: seconds * 1_000 },
    },
    [],
  );
  let isOver = false;
  const ended = running.finally(() => {
    isOver = true;
  });
  let lagSeconds = 0;
  // The load ends first; then Postgres catches up.
  for (let behind = 1; !isOver || behind > 0; await sleep(100)) {
    behind = await lag();
    lagSeconds = Math.max(lagSeconds, behind);
  }
  const { loaded } = await ended;
  const { 201: recorded = 0, 422: _refused, ...others } = loaded.statuses;
  if (recorded === 0 || Object.keys(others).length > 0) throw new Error(JSON.stringify(loaded.statuses));
  const [webUs, workerUs] = pids.map((pid, at) => (cpuOfProcessUs(pid) - before[at]!) / recorded);
  return {
    bidsPerSecond: recorded / loaded.seconds,
    bidP99Ms: loaded.p99Ms,
    webUs: webUs!,
    workerUs: workerUs!,
    lagSeconds,
    webMib: residentBytes(web.child.pid!) / 1_048_576,
  };
}

/** One bidder's bids on a lot that many watch: each has gone to every screen before the next comes. */
async function watched({ market, web, size }: Town, generator: Generator, options: Options): Promise<number> {
  const lot = market.sets[0]![0]!;
  const listeners = await openListeners(web.url, lot, market.tokens, size.viewers);
  try {
    const load = { urls: [web.url], connections: 1, tokens: market.tokens, lots: [lot] };
    return (await generator.put({ ...load, warmMs: 500, ms: options.seconds * 1_000 }, [])).loaded.p50Ms;
  } finally {
    listeners.close();
  }
}

/** One reader after the other, each asking for what nobody has asked for lately. */
async function reading(
  { web, size }: Town,
  { seconds }: Options,
): Promise<Pick<Measured, 'listMs' | 'searchMs' | 'lotMs' | 'historyMs'>> {
  const lot = () => 1 + Math.floor(Math.random() * size.lots);
  const took = async (pathOf: (at: number) => string) => {
    const requests = Array.from({ length: 400 }, (_, at) => ({ path: pathOf(at) }));
    const result = await autocannon({ url: web.url, requests, duration: seconds, connections: 1 });
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${pathOf(0)}: ${result.non2xx} answers were no 2xx`);
    return (1_000 * result.duration) / result['2xx'];
  };
  return {
    listMs: await took((at) => `/api/v1/lots?state=TX&road_access=true&min_acres=${at}.5`),
    searchMs: await took((at) => `/api/v1/lots?search=ranch+${WORDS[at % WORDS.length]}&min_acres=${at}`),
    lotMs: await took(() => `/api/v1/lots/${lot()}`),
    historyMs: await took(() => `/api/v1/lots/${2 * Math.ceil(lot() / 2)}/bids`),
  };
}

const WORDS = ['prairie', 'valley', 'creek', 'mesa', 'timber', 'river', 'summit', 'harbor', 'canyon'];

function report(
  sizes: readonly Size[],
  measured: ReadonlyMap<number, Measured>,
  options: Options,
  load: string,
): void {
  const laws = new Map(
    NAMES.map((name) => [name, growthOf(new Map([...measured].map(([lots, all]) => [lots, all[name]])))]),
  );
  const head = ['', ...sizes.map(({ lots }) => `${shown(lots)} lots`), '× for ten times the size'];
  const rows = NAMES.map((name) => [
    FIGURES[name],
    ...sizes.map(({ lots }) => shown(measured.get(lots)![name])),
    shown(10 ** laws.get(name)!.exponent),
  ]);
  printTable(head, rows);
  if (!options.write) return;
  writeChart('bench-size.svg', {
    title: 'A marketplace as it grows: measured, and the law through it',
    unit: 'each in its own unit',
    scale: 'logarithmic',
    groups: NAMES.map((name) => ({
      title: FIGURES[name],
      bars: sizes.flatMap(({ lots }) => [
        { label: `${shown(lots)} lots`, value: measured.get(lots)![name], accent: true },
        { label: 'law', value: grown(laws.get(name)!, lots) },
      ]),
    })),
  });
  const { bids, people, viewers, lots } = sizes.at(-1)!;
  const processor = median([...measured.values()].map(({ webUs }) => webUs));
  writeSection(
    'size',
    `## A marketplace as it grows

${shown(lots)} lots with ${shown(bids)} bids of ${shown(people)} people, and a tenth and a hundredth of it, each with its own Postgres, Redis, web process
and worker, measured alternately: ${options.connections} connections on 1,000 open lots of 16 auctions; one bidder on a lot that ${shown(viewers)} browsers watch (and a
tenth, and a hundredth); one reader of pages that nobody has just asked for. The last column is the power law through the three. Medians of
${options.rounds} rounds of ${options.seconds} s; a bid costs the web process ${shown(processor)} µs.

![measured beside the law](bench-size.svg)

${markdownTable(head, rows)}

${measuredOn('npm run bench:size', load)}`,
  );
}

const number = (text: string): number => Number(text);
await main(
  new Command('bench:size')
    .option('--lots <n>', 'of the largest', number, 1_000_000)
    .option('--rounds <n>', 'of which the median is taken', number, 5)
    .option('--seconds <n>', 'of load for each measurement', number, 3)
    .option('--connections <n>', 'that bid at once', number, 64)
    .option('--no-write', 'leave docs/benchmarks.md as it is')
    .parse()
    .opts<Options>(),
);
process.exit(0);
