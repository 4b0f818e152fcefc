/**
 * What the office's `Live` page shows, calculated from the metrics of all processes: rates over the last seconds,
 * shares of histograms, and the largest or the sum of what each process reads. `app` gathers the processes' figures.
 */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { BID_OUTCOMES } from '../../../engine/lot/events.ts';

/** Names of the metrics that are gathered; `docs/operations.md` says what each means. */
export const WATCHED = [
  'rostrum_bids_total',
  'rostrum_commit_seconds',
  'rostrum_commit_conflicts_total',
  'rostrum_closing_delay_seconds',
  'rostrum_projection_lag_seconds',
  'rostrum_projection_lag_entries',
  'rostrum_projection_failures',
  'rostrum_streams',
  'rostrum_lots_resident',
  'rostrum_queue_depth',
  'rostrum_webhook_deliveries_total',
  'rostrum_mail_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
] as const;

type Name = (typeof WATCHED)[number];

/** A metric as `prom-client` reads it. */
export type Figure = Omit<MetricObjectWithValues<MetricValue<string>>, 'collect'>;

export interface ProcessFigures {
  readonly id: string;
  readonly role: 'web' | 'worker';
  readonly host: string;
  readonly pid: number;
  /** When they were read, by the clock of Redis. */
  readonly atMs: number;
  readonly now: readonly Figure[];
  /** The same some seconds before, and when. */
  readonly before: readonly Figure[];
  readonly beforeMs: number;
}

export interface Counted {
  readonly labels: readonly string[];
  /** A second, over the last seconds. */
  readonly rate: number;
  /** Since the processes began. */
  readonly total: number;
}

/** Seconds; null where nothing was measured. */
export interface Shares {
  readonly count: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

export interface LiveView {
  /** Over how many seconds rates are computed. */
  readonly overS: number;
  readonly bidsPerS: number;
  readonly acceptedPerS: number;
  readonly refusedPerS: number;
  readonly bids: readonly Counted[];
  readonly commits: { readonly lately: Shares; readonly all: Shares };
  readonly conflicts: Counted;
  readonly closing: { readonly lately: Shares; readonly all: Shares };
  readonly lagSeconds: number;
  readonly lagEntries: number;
  readonly failures: number;
  readonly streams: number;
  readonly lotsResident: number;
  readonly queues: readonly { readonly name: string; readonly due: number }[];
  readonly deliveries: readonly Counted[];
  readonly mails: readonly Counted[];
  readonly processes: readonly {
    readonly name: string;
    readonly streams: number;
    readonly lotsResident: number;
    readonly memoryBytes: number;
    readonly loopSeconds: number;
  }[];
}

/** What a bid came to that was taken. */
const ACCEPTED = new Set<string>(BID_OUTCOMES);
const P99 = 0.99;

export async function liveView(processes: readonly ProcessFigures[]): Promise<LiveView> {
  const [now, before] = await Promise.all([
    combined(processes.map((one) => one.now)),
    combined(processes.map((one) => one.before)),
  ]);
  const overS = Math.max(0, ...processes.map(({ atMs, beforeMs }) => (atMs - beforeMs) / 1_000));
  const counted = (name: Name, ...labels: string[]) => countedBy(now, before, name, labels, overS);
  const bids = counted('rostrum_bids_total', 'outcome', 'code');
  const ratesOf = (wanted: (outcome: string) => boolean) =>
    sum(bids.filter(({ labels: [outcome = ''] }) => wanted(outcome)).map(({ rate }) => rate));
  return {
    overS,
    bidsPerS: sum(bids.map(({ rate }) => rate)),
    acceptedPerS: ratesOf((outcome) => ACCEPTED.has(outcome)),
    refusedPerS: ratesOf((outcome) => outcome === 'refused'),
    bids,
    commits: sharesOf(now, before, 'rostrum_commit_seconds'),
    conflicts: counted('rostrum_commit_conflicts_total')[0] ?? { labels: [], rate: 0, total: 0 },
    closing: sharesOf(now, before, 'rostrum_closing_delay_seconds'),
    lagSeconds: totalOf(now, 'rostrum_projection_lag_seconds'),
    lagEntries: totalOf(now, 'rostrum_projection_lag_entries'),
    failures: totalOf(now, 'rostrum_projection_failures'),
    streams: totalOf(now, 'rostrum_streams'),
    lotsResident: totalOf(now, 'rostrum_lots_resident'),
    queues: valuesOf(now, 'rostrum_queue_depth').map(({ labels, value }) => ({
      name: String(labels['queue']),
      due: value,
    })),
    deliveries: counted('rostrum_webhook_deliveries_total', 'result'),
    mails: counted('rostrum_mail_total', 'result'),
    processes: processes.map((one) => {
      const own = byName(one.now);
      return {
        name: `${one.role} ${one.host} ${one.pid}`,
        streams: totalOf(own, 'rostrum_streams'),
        lotsResident: totalOf(own, 'rostrum_lots_resident'),
        memoryBytes: totalOf(own, 'process_resident_memory_bytes'),
        loopSeconds: totalOf(own, 'nodejs_eventloop_lag_p99_seconds'),
      };
    }),
  };
}

type Figures = ReadonlyMap<string, readonly Value[]>;
type Value = MetricValue<string> & { readonly metricName?: string };

/** Over all processes, each metric as it says itself: added up, or the largest. */
async function combined(all: readonly (readonly Figure[])[]): Promise<Figures> {
  const registry = AggregatorRegistry.aggregate(all.map((figures) => [...figures]));
  return byName(await registry.getMetricsAsJSON());
}

function byName(figures: readonly Figure[]): Figures {
  return new Map(figures.map(({ name, values }) => [name, values]));
}

function valuesOf(figures: Figures, name: Name): readonly Value[] {
  return figures.get(name) ?? [];
}

function totalOf(figures: Figures, name: Name): number {
  return sum(valuesOf(figures, name).map(({ value }) => value));
}

function countedBy(
  now: Figures,
  before: Figures,
  name: Name,
  names: readonly string[],
  overS: number,
): Counted[] {
  const earlier = totals(valuesOf(before, name), names);
  return [...totals(valuesOf(now, name), names)]
    .map(([key, total]) => ({
      labels: key === '' ? [] : key.split('\n'),
      rate: overS === 0 ? 0 : Math.max(0, total - (earlier.get(key) ?? 0)) / overS,
      total,
    }))
    .toSorted((a, b) => b.total - a.total);
}

function totals(values: readonly Value[], names: readonly string[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { labels, value } of values) {
    const key = names.map((name) => String(labels[name] ?? '')).join('\n');
    all.set(key, (all.get(key) ?? 0) + value);
  }
  return all;
}

function sharesOf(now: Figures, before: Figures, name: Name): { lately: Shares; all: Shares } {
  const all = bucketsOf(valuesOf(now, name));
  const earlier = bucketsOf(valuesOf(before, name));
  const lately = new Map([...all].map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)]));
  return { lately: sharesIn(lately), all: sharesIn(all) };
}

/** Upper bound in seconds → how many were at most that. */
function bucketsOf(values: readonly Value[]): Map<number, number> {
  const buckets = new Map<number, number>();
  for (const { labels, value, metricName } of values) {
    const { le } = labels;
    if (le === undefined || metricName?.endsWith('_bucket') === false) continue;
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return new Map([...buckets].toSorted(([a], [b]) => a - b));
}

function sharesIn(buckets: ReadonlyMap<number, number>): Shares {
  const count = buckets.get(Number.POSITIVE_INFINITY) ?? 0;
  return { count, p50: shareAt(buckets, count, 0.5), p99: shareAt(buckets, count, P99) };
}

/** Below which value a share of all lies, taken as spread evenly within a bucket; null where there is none. */
function shareAt(buckets: ReadonlyMap<number, number>, count: number, share: number): number | null {
  if (count <= 0) return null;
  let lower = 0;
  let below = 0;
  for (const [bound, upTo] of buckets) {
    if (upTo >= count * share) {
      if (bound === Number.POSITIVE_INFINITY) return lower;
      return lower + ((count * share - below) / Math.max(1, upTo - below)) * (bound - lower);
    }
    lower = bound;
    below = upTo;
  }
  return lower;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
