/**
 * Does the arithmetic of docs/scaling.md hold? What one bid asks of each part is measured on one web process with its
 * share of the connections; the model's forecast for one, two and four is held against as many real processes,
 * alternately in one run. Also what a browser that watches costs. `npm run bench:scaling`; writes its part of
 * docs/benchmarks.md.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type Marketplace, openMarketplace } from '../http/marketplace.ts';
import { Generator, type Server, startWeb, stop } from '../http/servers.ts';
import { residentBytes } from '../support/cpu.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';
import { openListeners } from './listeners.ts';
import { type Demand, forecast } from './model.ts';

const PROCESSES = [1, 2, 4] as const;
const MAX_WEBS = 4;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly streams: number;
  readonly write: boolean;
}

type Measured = Record<'perSecond' | 'webUs' | 'redisUs' | 'loadUs' | 'p50Ms', number>;

interface Field {
  readonly market: Marketplace;
  readonly generator: Generator;
  readonly webs: readonly Server[];
  readonly seconds: number;
}

/** So many bids at once on so many of the lots, routed over the web processes. */
interface Load {
  readonly webs: number;
  readonly connections: number;
  readonly share: number;
}

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const market = await openMarketplace({ lots: 400, auctions: 8, sets: 1, bidders: options.connections });
  const generator = await Generator.start(null);
  const webs: Server[] = [];
  try {
    for (let at = 0; at < MAX_WEBS; at += 1)
      webs.push(await startWeb(market, { core: null, environment: OPEN }));
    const field: Field = { market, generator, webs, seconds: options.seconds };
    const loads = loadsOf(options.connections);
    const kinds = Object.keys(loads);
    for (const kind of kinds) await bid(field, loads[kind]!);
    const samples = await interleaved(kinds, options.rounds, (kind) => bid(field, loads[kind]!));
    const of = Object.fromEntries(kinds.map((kind) => [kind, medians(samples[kind]!)]));
    const watching = await costOfWatching(field, options);
    report(of, watching, options, load);
  } finally {
    for (const web of webs) await stop(web);
    generator.close();
    await market.close();
  }
}

/** The streams of this bench come from one address. */
const OPEN = { MAX_CONNECTIONS_PER_ADDRESS: '0' };

const partOf = (processes: number) => `a part of ${processes}`;
const allOf = (processes: number) => `all of ${processes}`;
const ALONE = 'one bid alone';

function loadsOf(connections: number): Record<string, Load> {
  const loads: Record<string, Load> = { [ALONE]: { webs: 1, connections: 1, share: 1 } };
  for (const processes of PROCESSES) {
    loads[partOf(processes)] = { webs: 1, connections: connections / processes, share: 1 / processes };
    loads[allOf(processes)] = { webs: processes, connections, share: 1 };
  }
  return loads;
}

async function bid({ market, generator, webs, seconds }: Field, load: Load): Promise<Measured> {
  const taking = webs.slice(0, load.webs);
  const all = market.sets[0]!;
  const lots = all.slice(0, Math.round(all.length * load.share));
  const pids = taking.map(({ child }) => child.pid!);
  const { loaded, eachUs } = await generator.put(
    {
      urls: taking.map(({ url }) => url),
      connections: load.connections,
      tokens: market.tokens,
      lots,
      routed: load.webs > 1,
      warmMs: 800,
      ms: seconds * 1_000,
    },
    [market.redisPid, ...pids],
  );
  const [redisUs = 0, ...websUs] = eachUs;
  await market.forgetLogs();
  const { 201: recorded = 0, 422: _refused, ...others } = loaded.statuses;
  if (recorded === 0 || Object.keys(others).length > 0) throw new Error(JSON.stringify(loaded.statuses));
  return {
    perSecond: recorded / loaded.seconds,
    webUs: websUs.reduce((sum, us) => sum + us, 0) / recorded,
    redisUs: redisUs / recorded,
    loadUs: loaded.cpuUs / recorded,
    p50Ms: loaded.p50Ms,
  };
}

interface Watching {
  /** Processor time of the web process for one bid on one browser's screen. */
  readonly eventUs: number;
  /** Resident memory of the web process for each open stream. */
  readonly bytes: number;
}

/** The same few bids on a lot that nobody watches, and on one that many do, in a process that has done nothing else. */
async function costOfWatching({ market, generator }: Field, options: Options): Promise<Watching> {
  const web = await startWeb(market, { core: null, environment: OPEN });
  const [quiet, watched] = market.sets[0]!.slice(-2) as [number, number];
  const pid = web.child.pid!;
  const bids = (lot: number) => ({
    urls: [web.url],
    connections: 1,
    tokens: market.tokens,
    lots: [lot],
    warmMs: 500,
    ms: options.seconds * 1_000,
  });
  try {
    const alone = await generator.put(bids(quiet), [pid]);
    const ownUs = alone.cpuUs / alone.loaded.statuses[201]!;
    const before = residentBytes(pid);
    const listeners = await openListeners(web.url, watched, market.tokens, options.streams);
    const bytes = (residentBytes(pid) - before) / options.streams;
    const { loaded, cpuUs } = await generator.put(bids(watched), [pid]);
    const accepted = loaded.statuses[201]!;
    await sleep(1_000);
    const heard = listeners.heard();
    listeners.close();
    if (heard < accepted * options.streams)
      throw new Error(`${heard} bids heard of ${accepted} on each stream`);
    return { eventUs: (cpuUs / accepted - ownUs) / options.streams, bytes };
  } finally {
    await stop(web);
  }
}

function report(
  of: Readonly<Record<string, Measured>>,
  watching: Watching,
  options: Options,
  load: string,
): void {
  const cores = availableParallelism();
  const head = [
    'web processes',
    'µs a bid: web',
    'Redis',
    'load',
    'forecast/s',
    'bound by',
    'measured/s',
    '×',
  ];
  const rows = PROCESSES.map((processes) => {
    const part = of[partOf(processes)]!;
    const demand: Demand = { ...part, aloneMs: of[ALONE]!.p50Ms };
    const { perSecond, bound } = forecast(demand, {
      cores,
      webProcesses: processes,
      connections: options.connections,
    });
    const { perSecond: measured } = of[allOf(processes)]!;
    const figures = [part.webUs, part.redisUs, part.loadUs, perSecond].map(shown);
    return [processes, ...figures, bound, shown(measured), shown(measured / perSecond)];
  });
  const watchHead = ['a browser watching a lot', 'measured'];
  const watchRows = [
    ['processor time of the web process for a bid on its screen', `${shown(watching.eventUs)} µs`],
    ['memory of the web process for its stream', `${shown(watching.bytes / 1_024)} KiB`],
  ];
  printTable(head, rows);
  printTable(watchHead, watchRows);
  if (!options.write) return;
  writeSection(
    'scaling',
    `## Scaling: the model beside the machine

${options.connections} connections, 400 lots of 8 auctions, nothing pinned. A bid's cost is measured on one web process with its share of
the lots and connections; the forecast is the lowest of four bounds (\`bench/scaling/model.ts\`), compared with what that many
processes achieved. A bid alone takes ${shown(of[ALONE]!.p50Ms)} ms from request to answer. No worker runs. Medians of ${options.rounds} alternating rounds of ${options.seconds} s.

${markdownTable(head, rows)}

${options.streams} streams of one lot:

${markdownTable(watchHead, watchRows)}

${measuredOn('npm run bench:scaling', load)}`,
  );
}

const number = (text: string): number => Number(text);
await main(
  new Command('bench:scaling')
    .option('--rounds <n>', 'of which the median is taken', number, 5)
    .option('--seconds <n>', 'of load for each measurement', number, 3)
    .option('--connections <n>', 'that bid at once', number, 64)
    .option('--streams <n>', 'that watch one lot', number, 1_000)
    .option('--no-write', 'leave docs/benchmarks.md as it is')
    .parse()
    .opts<Options>(),
);
process.exit(0);
