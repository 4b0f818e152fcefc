/** The catalog's figures as a table on the terminal, and as a part of the document of benchmarks. */
import { type Cell, markdownTable, measuredOn, printTable, writeSection } from '../support/report.ts';
import type { Explained } from './explain.ts';
import { type Kind, type Measured, ROUTES } from './routes.ts';

export interface RouteFigures extends Readonly<Record<Kind, Measured>> {
  readonly route: string;
}

const HEAD = [
  'route',
  'baseline/s',
  'p99 ms',
  'uncached/s',
  'p99 ms',
  '× (to reach)',
  'cached/s',
  'p99 ms',
  '× (to reach)',
];

/** Prints the table and returns its data. */
export function report(measured: ReadonlyMap<string, Measured>): RouteFigures[] {
  const figures = ROUTES.map(({ name }) => {
    const of = (kind: Kind) => measured.get(`${name}|${kind}`)!;
    return { route: name, baseline: of('baseline'), uncached: of('uncached'), cached: of('cached') };
  });
  printTable(HEAD, figures.map(rowOf));
  return figures;
}

function rowOf({ route, baseline, uncached, cached }: RouteFigures): Cell[] {
  const goals = ROUTES.find(({ name }) => name === route)!;
  const rate = ({ perSecond }: Measured) =>
    perSecond < 20 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString('en-US');
  const times = ({ perSecond }: Measured, goal: number | null) =>
    `${(perSecond / baseline.perSecond).toFixed(2)} (${goal ?? '–'})`;
  const two = (one: Measured) => [rate(one), one.p99Ms.toFixed(0)];
  return [
    route,
    ...two(baseline),
    ...two(uncached),
    times(uncached, goals.uncached),
    ...two(cached),
    times(cached, goals.cached),
  ];
}

/** Into the document, with the pages that take Postgres longest. */
export function writeReport(
  figures: readonly RouteFigures[],
  explained: readonly Explained[],
  command: string,
  load: string,
): void {
  const isTotal = ({ name }: Explained) => name.endsWith('total');
  const pages = explained.filter((one) => !isTotal(one));
  const slowest = pages.toSorted((one, two) => two.milliseconds - one.milliseconds).slice(0, 12);
  const parts = [
    '## The catalog',
    measuredOn(command, load),
    'Requests a second beside raw `pg` with hand-written prepared statements behind bare `node:http`; “uncached” keeps nothing once it has answered (requests for the same data during a read share the next one), “cached” is the service as deployed.',
    markdownTable(HEAD, figures.map(rowOf)),
  ];
  if (slowest.length > 0) {
    parts.push(
      'How long Postgres works on a page by `EXPLAIN ANALYZE`, planning included; the slowest of all that are measured:',
      markdownTable(
        ['page', 'ms'],
        slowest.map(({ name, milliseconds }) => [name, milliseconds.toFixed(1)]),
      ),
    );
  }
  writeSection('catalog', parts.join('\n\n'));
}
