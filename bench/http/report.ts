/** How the HTTP bench reports its samples: the table, the goals, the chart and the part of docs/benchmarks.md. */
import { writeChart } from '../support/chart.ts';
import { markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import type { Sweep } from './row-lock.ts';

export const KINDS = [
  'bare',
  'stub',
  'Rostrum',
  'Rostrum, limit on',
  'row lock',
  'Rostrum, hot',
  'row lock, hot',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly auctions: number;
  readonly warm: number;
  readonly workerWarm: number;
  readonly quick: boolean;
  readonly profile: boolean;
  readonly write: boolean;
  readonly keep?: string;
  /** Measure the cost by process instead. */
  readonly cost: boolean;
  /** Measure one bid alone instead. */
  readonly alone: boolean;
  /** Numbers of shards to measure, one after the other. */
  readonly shards?: readonly number[];
  /** Another build's command line, to alternate with this one. */
  readonly other?: string;
  /** Options that Node gets for it. */
  readonly otherNode?: string;
  readonly lots: number;
}

/** Shares are of one core, and of the answers. */
export type Sample = Record<
  'perSecond' | 'cpuUs' | 'p50Ms' | 'p99Ms' | 'refused' | 'serverBusy' | 'generatorBusy',
  number
>;

export interface Report {
  readonly of: Readonly<Record<Kind, Sample>>;
  readonly pools: Readonly<Record<'many' | 'hot', Sweep>>;
  /** The machine's load before it. */
  readonly load: string;
}

const TITLES: Readonly<Record<Kind, string>> = {
  bare: '1,000 lots: bare `node:http`, the same bytes',
  stub: '1,000 lots: Koa, router, koa-body, a stub',
  Rostrum: '1,000 lots: **Rostrum**',
  'Rostrum, limit on': '1,000 lots: Rostrum, limit of requests on',
  'row lock': '1,000 lots: Koa and `SELECT … FOR UPDATE`',
  'Rostrum, hot': 'one hot lot: **Rostrum**',
  'row lock, hot': 'one hot lot: Koa and `SELECT … FOR UPDATE`',
};
const HEAD = [
  'server',
  'recorded/s',
  'processor µs/bid',
  'p50 ms',
  'p99 ms',
  'refused',
  'server’s core',
  'load’s core',
];

/** Prints everything, and records it if requested. */
export function report({ of, pools, load }: Report, options: Options): void {
  const rows = KINDS.map((kind) => [TITLES[kind], ...cellsOf(of[kind])]);
  printTable(HEAD, rows);
  const goals = goalsOf(of);
  printTable(['compared', 'measured', 'to reach'], goals);
  const sweepHead = ['row lock', ...pools.many.rates.map(([size]) => `${size} connections`)];
  const sweeps = (['many', 'hot'] as const).map((name) => [
    name === 'many' ? '1,000 lots' : 'one hot lot',
    ...pools[name].rates.map(([, rate]) => shown(rate)),
  ]);
  printTable(sweepHead, sweeps);
  if (!options.write) return;
  draw(of);
  writeSection(
    'http',
    `## Bids over HTTP

${options.connections} kept connections, one bid at a time on each, with a token and an idempotency key, on 1,000 lots of ${options.auctions} auctions and on one; every recorded bid is on disk before it is
answered (Redis with \`appendfsync always\`, Postgres with \`fsync\` on). The compared server is pinned to one core, the load and Redis to
the other; Postgres may use both. Bare \`node:http\` parses the same JSON and answers the same bytes. Medians of ${options.rounds} alternating rounds of
${options.seconds} s. A bid that is not above one that arrived earlier is refused; refusals are not counted as bids, but their
processor time is.

${markdownTable(HEAD, rows)}

${markdownTable(['compared', 'measured', 'to reach'], goals)}

![Bids per second over HTTP](bench-http.svg)

Bids per second of the row lock by the connections of its pool; the best was measured:

${markdownTable(sweepHead, sweeps)}

${measuredOn('npm run bench:http', load)}`,
  );
}

function cellsOf(sample: Sample): string[] {
  const { perSecond, cpuUs, p50Ms, p99Ms, refused, serverBusy, generatorBusy } = sample;
  const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
  return [
    ...[perSecond, cpuUs, p50Ms, p99Ms].map(shown),
    ...[refused, serverBusy, generatorBusy].map(percent),
  ];
}

function goalsOf(of: Report['of']): string[][] {
  const { bare, Rostrum: web, 'row lock': lock, 'Rostrum, hot': hot, 'row lock, hot': lockHot } = of;
  const times = (value: number) => `${shown(value)} ×`;
  return [
    ['processor time of a bid, beside bare', times(web.cpuUs / bare.cpuUs), '≤ 2.2 ×'],
    ['the same on a hot lot', times(hot.cpuUs / bare.cpuUs), '≤ 2.2 ×'],
    ['rate on one core, beside bare', times(web.perSecond / bare.perSecond), '≥ 0.45 ×'],
    ['the same on a hot lot', times(hot.perSecond / bare.perSecond), '≥ 0.45 ×'],
    ['rate beside the row lock, 1,000 lots', times(web.perSecond / lock.perSecond), '≥ 10 ×'],
    ['rate beside the row lock, one hot lot', times(hot.perSecond / lockHot.perSecond), '≥ 18 ×'],
    ['p99 beside the row lock’s, 1,000 lots', times(web.p99Ms / lock.p99Ms), '≤ 0.12 ×'],
    ['p99 beside the row lock’s, one hot lot', times(hot.p99Ms / lockHot.p99Ms), '≤ 0.12 ×'],
  ];
}

function draw(of: Report['of']): void {
  const bar = (label: string, kind: Kind, accent = false) => ({ label, value: of[kind].perSecond, accent });
  writeChart('bench-http.svg', {
    title: 'Bids over HTTP, recorded on disk',
    unit: 'bids per second on one core',
    scale: 'logarithmic',
    groups: [
      {
        title: '1,000 lots',
        bars: [
          bar('bare node:http, nothing recorded', 'bare'),
          bar('Koa with a stub, nothing recorded', 'stub'),
          bar('Rostrum', 'Rostrum', true),
          bar('Koa and a row lock', 'row lock'),
        ],
      },
      {
        title: 'One hot lot',
        bars: [bar('Rostrum', 'Rostrum, hot', true), bar('Koa and a row lock', 'row lock, hot')],
      },
    ],
  });
}
