/**
 * What growth costs: many bids on a lot, many lots in a process, ten thousand closes in one second, and a projection
 * that has to keep up. `npm run bench:growth`; writes its part of docs/benchmarks.md.
 */
import { Command } from 'commander';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { closingRace } from './closing.ts';
import { type Compared, lotsWithManyBids, manyResidentLots } from './lots.ts';
import { flood, steadyProjection } from './projecting.ts';
import { type BenchServers, startServers } from './servers.ts';

const PARTS = ['bids', 'lots', 'closing', 'projection'] as const;
type Part = (typeof PARTS)[number];

interface Options {
  readonly rounds: number;
  readonly bids: number;
  readonly lots: number;
  readonly closes: number;
  readonly rate: number;
  readonly seconds: number;
  readonly only?: Part;
  readonly quick: boolean;
  readonly write: boolean;
}

type Row = [what: string, figures: string, measured: string, toReach: string];

const HEAD = ['what', 'figures', 'measured', 'to reach'];

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const servers = await startServers();
  const rows: Row[] = [];
  try {
    for (const part of PARTS) {
      if (options.only !== undefined && options.only !== part) continue;
      rows.push(...(await MEASURES[part](servers, options)));
    }
  } finally {
    await servers.close();
  }
  printTable(HEAD, rows);
  if (options.write && options.only === undefined) write(rows, options, load);
}

const MEASURES: Readonly<Record<Part, (servers: BenchServers, options: Options) => Promise<Row[]>>> = {
  async bids(servers, { bids, rounds }) {
    const { bid, reload } = await lotsWithManyBids(servers, { many: bids, rounds, each: 4_000 });
    return [
      comparison(`a bid on a lot that has 100 bids, and ${shown(bids)}`, bid, 1.3),
      comparison('loading such lots from their snapshots', reload, 1.3),
    ];
  },
  async lots(servers, { lots, rounds }) {
    const cost = await manyResidentLots(servers, { many: lots, rounds, each: 4_000 });
    return [comparison(`a bid where 1,000 lots are resident, and ${shown(lots)}`, cost, 2)];
  },
  async closing(servers, { closes, quick }) {
    const race = await closingRace(servers, { lots: closes, rounds: quick ? 1 : 2 });
    const of = ({ last, middle }: { last: number; middle: number }) =>
      `${shown(last)} ms (median ${shown(middle)} ms)`;
    return [
      [
        `${shown(closes)} lots due in one second beside ${shown(race.bidsPerSecond)} bids/s, half the peak: the last closed`,
        `sweep ${of(race.sweep)}, BullMQ ${of(race.bullmq)}`,
        `${shown(race.sweep.last / race.bullmq.last)} ×`,
        '≤ 0.2 ×',
      ],
    ];
  },
  async projection(servers, { rate, seconds, quick }) {
    const steady = await steadyProjection(servers, { rate, seconds });
    const flooded = await flood(servers, quick ? 4 : 8);
    return [
      [
        `the projection at ${shown(rate)} bids/s for ${steady.seconds} s`,
        `${shown(steady.placedPerSecond)} placed/s; caught up ${shown(steady.caughtUpMs)} ms after the last; ${shown(steady.cpuUs)} µs of its process and ${shown(steady.postgresUs)} µs of Postgres a bid`,
        `${shown(steady.lagSeconds)} s behind at most in the second half`,
        '≤ 5 s',
      ],
      [
        'a flood into small logs',
        `${shown(flooded.acknowledged)} acknowledged, ${shown(flooded.overloaded)} refused as overloaded, caught up after ${shown(flooded.caughtUpMs / 1_000)} s`,
        `${shown(flooded.acknowledged - flooded.projected)} lost`,
        '0 lost',
      ],
    ];
  },
};

function comparison(what: string, { small, large, times }: Compared, max: number): Row {
  return [what, `${shown(small)} and ${shown(large)} µs`, `${shown(times)} ×`, `≤ ${max} ×`];
}

function write(rows: readonly Row[], { rounds }: Options, load: string): void {
  writeSection(
    'growth',
    `## Growth

Processor time is that of the engine's process and of Redis together; medians of ${rounds} alternating rounds, for closings of two. Every commit is on
disk, Postgres' too. The sweep and BullMQ's worker (delayed jobs, 200 at once) close through the same engine in a process of their own.

${markdownTable(HEAD, rows)}

${measuredOn('npm run bench:growth', load)}`,
  );
}

const number = (text: string): number => Number(text);
const given = new Command('bench:growth')
  .option('--rounds <n>', 'of which the median is taken', number, 5)
  .option('--bids <n>', 'on the large lot', number, 100_000)
  .option('--lots <n>', 'that are resident in the large process', number, 100_000)
  .option('--closes <n>', 'lots that are due in one second', number, 10_000)
  .option('--rate <n>', 'bids a second that are to be projected', number, 1_500)
  .option('--seconds <n>', 'of that rate', number, 60)
  .option('--only <part>', PARTS.join(', '))
  .option('--quick', 'smaller and shorter, nothing written', false)
  .option('--no-write', 'leave docs/benchmarks.md as it is')
  .parse()
  .opts<Options>();
const QUICK = { rounds: 3, bids: 20_000, lots: 10_000, closes: 2_000, seconds: 8, write: false };
await main(given.quick ? { ...given, ...QUICK } : given);
process.exit(0);
