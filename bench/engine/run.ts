/**
 * The engine compared with what people would build instead: a row lock, a function call and a script call per bid,
 * alternately in one run, each on servers that have every commit on disk before they answer. `npm run bench:engine`;
 * writes its part of docs/benchmarks.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type EmbeddedServers, startEmbedded } from '../../adapters/embedded/servers.ts';
import { writeChart } from '../support/chart.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, median } from '../support/rounds.ts';
import { luaPerBid } from './lua-per-bid.ts';
import { bidTables, functionCall, rowLock } from './postgres.ts';
import { rostrum } from './rostrum.ts';
import {
  bidsPerSecond,
  type Contender,
  type Load,
  type Prices,
  type Scenario,
  scenarios,
} from './scenarios.ts';

const KINDS = ['row lock', 'function', 'Lua per bid', 'Rostrum'] as const;
type Kind = (typeof KINDS)[number];

/** The engine's goals, as multiples of the row lock and of Lua per bid. */
const GOALS: Readonly<Record<string, readonly [rowLock: number, lua: number]>> = {
  hot: [150, 3],
  even: [40, 2],
  zipf: [40, 2],
};

const POOLS = [1, 2, 4, 8, 16, 32];
const SWEPT = { 'row lock': rowLock, function: functionCall } as const;

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly waiting: number;
  readonly waitingMany: number;
  readonly only?: string;
  readonly quick: boolean;
  readonly write: boolean;
}

interface Measured {
  readonly scenario: Scenario;
  readonly rates: Readonly<Record<Kind, number>>;
  readonly pools: Readonly<Record<keyof typeof SWEPT, number>>;
}

type Sweep = [scenario: string, kind: string, ...rates: string[]];

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-engine-'));
  const servers = await startEmbedded({ dataDir });
  try {
    const chosen = scenarios({ hot: options.waiting, many: options.waitingMany }).filter(
      ({ name }) => options.only === undefined || name === options.only,
    );
    const sweeps: Sweep[] = [];
    const measured: Measured[] = [];
    for (const scenario of chosen) measured.push(await measure(servers, scenario, options, sweeps));
    report(measured, sweeps, options, load);
  } finally {
    await servers.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(
  servers: EmbeddedServers,
  scenario: Scenario,
  { rounds, seconds, quick }: Options,
  sweeps: Sweep[],
): Promise<Measured> {
  const tablesUrl = await bidTables(servers.databaseUrl, scenario);
  const tablePrices: Prices = new Map();
  const pools = { 'row lock': 0, function: 0 };
  const sweepLoad = { warmMs: 200, ms: quick ? 300 : 700 };
  for (const kind of ['row lock', 'function'] as const) {
    const rates: number[] = [];
    for (const size of POOLS) {
      const contender = SWEPT[kind](tablesUrl, size);
      rates.push(await bidsPerSecond(contender, scenario, tablePrices, sweepLoad));
      await contender.close();
    }
    pools[kind] = POOLS[rates.indexOf(Math.max(...rates))]!;
    sweeps.push([scenario.name, kind, ...rates.map(shown)]);
  }
  const contenders: Record<Kind, { readonly contender: Contender; readonly prices: Prices }> = {
    'row lock': { contender: rowLock(tablesUrl, pools['row lock']), prices: tablePrices },
    function: { contender: functionCall(tablesUrl, pools.function), prices: tablePrices },
    'Lua per bid': { contender: await luaPerBid(servers.redisUrl, scenario), prices: new Map() },
    Rostrum: { contender: await rostrum(servers.redisUrl, scenario), prices: new Map() },
  };
  const load: Load = { warmMs: 300, ms: seconds * 1_000 };
  try {
    const samples = await interleaved(KINDS, rounds, (kind) =>
      bidsPerSecond(contenders[kind].contender, scenario, contenders[kind].prices, load),
    );
    const rates = Object.fromEntries(KINDS.map((kind) => [kind, median(samples[kind])]));
    return { scenario, rates: rates as Record<Kind, number>, pools };
  } finally {
    for (const { contender } of Object.values(contenders)) await contender.close();
  }
}

function report(
  measured: readonly Measured[],
  sweeps: readonly Sweep[],
  options: Options,
  load: string,
): void {
  const sweepHead = ['load', 'contender', ...POOLS.map((size) => `${size} connections`)];
  const head = ['load', ...KINDS.map((kind) => `${kind}/s`), '× row lock (to reach)', '× Lua (to reach)'];
  const rows = measured.map(({ scenario, rates }) => {
    const [lock, lua] = GOALS[scenario.name]!;
    return [
      scenario.title,
      ...KINDS.map((kind) => shown(rates[kind])),
      `${shown(rates.Rostrum / rates['row lock'])} (${lock})`,
      `${shown(rates.Rostrum / rates['Lua per bid'])} (${lua})`,
    ];
  });
  printTable(sweepHead, sweeps);
  printTable(head, rows);
  if (!options.write) return;
  writeChart('bench-engine.svg', {
    title: 'Durable bids per second, every commit on disk',
    unit: 'bids per second',
    scale: 'logarithmic',
    groups: measured.map(({ scenario, rates }) => ({
      title: scenario.title,
      bars: KINDS.map((kind) => ({ label: kind, value: rates[kind], accent: kind === 'Rostrum' })),
    })),
  });
  writeSection(
    'engine',
    `## The engine

Bids recorded in a second, each on disk before it is answered (Redis with \`appendfsync always\`, Postgres with \`fsync\` on), without
HTTP. Rostrum has all its features on: an idempotency key and a limit for every bid, ceilings, the hash chain. The others check the end and the amount, store the bid and
update the lot: \`SELECT … FOR UPDATE\` in a transaction, one plpgsql function call, one Lua script call per
bid. Medians of ${options.rounds} alternating rounds of ${options.seconds} s.

${markdownTable(head, rows)}

![Durable bids per second](bench-engine.svg)

The two on Postgres, each with its fastest number of connections and eight bidders waiting for each connection (more only wait longer):

${markdownTable(sweepHead, sweeps)}

${measuredOn('npm run bench:engine', load)}`,
  );
}

const number = (text: string): number => Number(text);
const given = new Command('bench:engine')
  .option('--rounds <n>', 'of which the median is taken', number, 5)
  .option('--seconds <n>', 'of load for each measurement', number, 1.5)
  .option('--waiting <n>', 'bidders that wait at the hot lot', number, 1_000)
  .option('--waiting-many <n>', 'bidders that wait at the 1,000 lots', number, 4_000)
  .option('--only <load>', 'hot, even or zipf')
  .option('--quick', 'three short rounds, nothing written', false)
  .option('--no-write', 'leave docs/benchmarks.md and the chart as they are')
  .parse()
  .opts<Options>();
await main(given.quick ? { ...given, rounds: 3, seconds: 0.6, write: false } : given);
process.exit(0);
