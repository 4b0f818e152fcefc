/**
 * Counts answers and their times for `/metrics`. The request path only adds to plain numbers; the Prometheus text is
 * made from them at each scrape, which keeps label hashing off the hot routes.
 */
import { Counter, type Metric, type Registry } from 'prom-client';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

/** The counts of one route. */
export class RouteCounts {
  readonly method: string;
  readonly route: string;
  readonly byStatus = new Map<number, number>();
  /** One more than the bounds: the last holds what is slower than all of them. */
  readonly buckets = new Array<number>(BUCKETS_S.length + 1).fill(0);
  sumS = 0;

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  add(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    let at = 0;
    while (seconds > (BUCKETS_S[at] ?? Number.POSITIVE_INFINITY)) at += 1;
    this.buckets[at] = (this.buckets[at] ?? 0) + 1;
    this.sumS += seconds;
  }
}

/** Registers `http_requests_total` and `http_request_duration_seconds` over the routes added later. */
export class RequestMetrics {
  readonly #routes: RouteCounts[] = [];

  constructor(registry: Registry) {
    const routes = this.#routes;
    new Counter({
      name: 'http_requests_total',
      help: 'Answers by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { method, route, byStatus } of routes) {
          for (const [status, count] of byStatus) this.inc({ method, route, status: String(status) }, count);
        }
      },
    });
    // Cast: the library's type wants its own class; the registry calls `get` and `reset` alone.
    registry.registerMetric(new DurationMetric(routes) as unknown as Metric);
  }

  route(method: string, path: string): RouteCounts {
    const counts = new RouteCounts(method, path);
    this.#routes.push(counts);
    return counts;
  }
}

/** A histogram in prom-client's reading form, without its bookkeeping per observation. */
class DurationMetric {
  readonly name = 'http_request_duration_seconds';
  readonly help = 'Time from the request head to the answer, by route.';
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #routes: readonly RouteCounts[];

  constructor(routes: readonly RouteCounts[]) {
    this.#routes = routes;
  }

  async get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: this.#routes.flatMap((counts) => this.#valuesOf(counts)) };
  }

  #valuesOf({ method, route, buckets, sumS }: RouteCounts): object[] {
    const values: object[] = [];
    let total = 0;
    buckets.forEach((count, at) => {
      total += count;
      const le = BUCKETS_S[at] ?? '+Inf';
      values.push({ metricName: `${this.name}_bucket`, labels: { le, method, route }, value: total });
    });
    if (total === 0) return [];
    values.push({ metricName: `${this.name}_sum`, labels: { method, route }, value: sumS });
    values.push({ metricName: `${this.name}_count`, labels: { method, route }, value: total });
    return values;
  }

  reset(): void {
    // The registry's reset is for tests of prom-client's own metrics; ours live as long as the routes.
  }
}
