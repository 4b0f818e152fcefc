/**
 * Two web processes compared with one: both taking bids on the same lots, and each on its own half as a balancer that
 * hashes on the lot gives them out, alternately in one run. `npm run bench:processes`; writes its part of
 * docs/benchmarks.md.
 */
import { Command } from 'commander';
import { type Marketplace, openMarketplace } from '../http/marketplace.ts';
import {
  bidsOf,
  Generator,
  OTHER_CORE,
  pin,
  SERVER_CORE,
  type Server,
  startWeb,
  stop,
} from '../http/servers.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, medians } from '../support/rounds.ts';

const KINDS = ['one', 'two, fighting', 'two, routed', 'one, hot', 'two, hot'] as const;
type Kind = (typeof KINDS)[number];

const TITLES: Readonly<Record<Kind, string>> = {
  one: '200 lots: one process',
  'two, fighting': '200 lots: two, both serve all of them',
  'two, routed': '200 lots: two, each serves its half',
  'one, hot': 'one hot lot: one process',
  'two, hot': 'one hot lot: two, both serve it',
};

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly quick: boolean;
  readonly write: boolean;
}

type Sample = Record<'perSecond' | 'cpuUs' | 'refused' | 'p99Ms', number>;

interface Field {
  readonly market: Marketplace;
  readonly generator: Generator;
  /** The first works alone, the two others together. */
  readonly webs: readonly Server[];
}

async function main(options: Options): Promise<void> {
  const load = loadNow();
  const market = await openMarketplace({ lots: 200, auctions: 8, sets: 3, bidders: options.connections });
  const generator = await Generator.start(OTHER_CORE);
  pin(market.redisPid, OTHER_CORE);
  const webs: Server[] = [];
  try {
    for (let at = 0; at < 3; at += 1) webs.push(await startWeb(market, { core: SERVER_CORE }));
    const field: Field = { market, generator, webs };
    for (const kind of KINDS) await sample(field, kind, options);
    const samples = await interleaved(KINDS, options.rounds, (kind) => sample(field, kind, options));
    report(
      Object.fromEntries(KINDS.map((kind) => [kind, medians(samples[kind])])) as Record<Kind, Sample>,
      options,
      load,
    );
  } finally {
    for (const web of webs) await stop(web);
    generator.close();
    await market.close();
  }
}

async function sample({ market, generator, webs }: Field, kind: Kind, options: Options): Promise<Sample> {
  const taking = kind.startsWith('one') ? webs.slice(0, 1) : webs.slice(1);
  const set = market.sets[kind.startsWith('one') ? 0 : kind === 'two, routed' ? 2 : 1]!;
  const measured = await generator.put(
    {
      urls: taking.map(({ url }) => url),
      connections: options.connections,
      tokens: market.tokens,
      lots: kind.endsWith('hot') ? set.slice(-1) : set.slice(0, -1),
      routed: kind === 'two, routed',
      warmMs: 800,
      ms: options.seconds * 1_000,
    },
    taking.map(({ child }) => child.pid!),
  );
  await market.forgetLogs();
  return bidsOf(measured, kind);
}

function report(of: Readonly<Record<Kind, Sample>>, options: Options, load: string): void {
  const head = ['web processes', 'recorded/s', 'processor µs/bid', 'p99 ms', 'refused'];
  const rows = KINDS.map((kind) => {
    const { perSecond, cpuUs, p99Ms, refused } = of[kind];
    return [TITLES[kind], shown(perSecond), shown(cpuUs), shown(p99Ms), `${(refused * 100).toFixed(1)} %`];
  });
  const times = (one: number, other: number) => `${shown(one / other)} ×`;
  const goals = [
    ['processor time of a bid, competing', times(of['two, fighting'].cpuUs, of.one.cpuUs), '≤ 1.25 ×'],
    ['the same on a hot lot', times(of['two, hot'].cpuUs, of['one, hot'].cpuUs), '≤ 1.25 ×'],
    ['processor time of a bid, routed', times(of['two, routed'].cpuUs, of.one.cpuUs), '≤ 1.05 ×'],
    ['recorded on a hot lot', times(of['two, hot'].perSecond, of['one, hot'].perSecond), '≥ 0.8 ×'],
  ];
  const goalHead = ['two processes beside one', 'measured', 'to reach'];
  printTable(head, rows);
  printTable(goalHead, goals);
  if (!options.write) return;
  writeSection(
    'processes',
    `## Two web processes

The same ${options.connections} connections to one web process, and split evenly between two, all on one core, with the load and Redis on the
other: the cost of two processes that compete for the same lots, and of two that do not. The processor time is that of all
web processes divided by recorded bids; refused bids arrived after a higher one. Medians of ${options.rounds} alternating rounds of ${options.seconds} s.

${markdownTable(head, rows)}

${markdownTable(goalHead, goals)}

${measuredOn('npm run bench:processes', load)}`,
  );
}

const number = (text: string): number => Number(text);
const given = new Command('bench:processes')
  .option('--rounds <n>', 'of which the median is taken', number, 7)
  .option('--seconds <n>', 'of load for each measurement', number, 3)
  .option('--connections <n>', 'that bid at once', number, 64)
  .option('--quick', 'three short rounds, nothing written', false)
  .option('--no-write', 'leave docs/benchmarks.md as it is')
  .parse()
  .opts<Options>();
await main(given.quick ? { ...given, rounds: 3, seconds: 1, write: false } : given);
process.exit(0);
