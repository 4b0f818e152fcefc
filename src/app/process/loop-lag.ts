/**
 * How late the event loop is, under the names that prom-client gives it. prom-client's own monitor wakes a process a
 * hundred times a second, more than all else that an idle one does; a timer that fires ten times a second finds every
 * delay that anybody could notice.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

const EVERY_MS = 100;
/** Each reader is shown what happened in the last one to two of these. */
const WINDOW_MS = 15_000;
/** For prom-client's own monitor, which cannot be left out: never. */
const NEVER_MS = 2_000_000_000;

const FIGURES: Readonly<Record<string, (lag: RecordableHistogram) => number>> = {
  min: (lag) => lag.min,
  max: (lag) => lag.max,
  mean: (lag) => lag.mean,
  stddev: (lag) => lag.stddev,
  p50: (lag) => lag.percentile(50),
  p90: (lag) => lag.percentile(90),
  p99: (lag) => lag.percentile(99),
};

/** Registers prom-client's metrics of a process, with this measure of the event loop in the place of its own. */
export function processMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  readLag ??= measureLag();
  const read = readLag;
  for (const [figure, of] of Object.entries(FIGURES)) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `The ${figure} of the recorded event loop delays.`,
      registers: [registry],
      aggregator: figure === 'min' ? 'min' : figure === 'max' ? 'max' : 'average',
      collect() {
        const lag = read();
        this.set(lag.count === 0 ? 0 : of(lag) / 1e9);
      },
    });
  }
}

/** One measure for the whole process. */
let readLag: (() => RecordableHistogram) | null = null;

/** Measures from now on. */
function measureLag(): () => RecordableHistogram {
  let windows = [createHistogram(), createHistogram()] as const;
  let turnedMs = performance.now();
  let dueMs = turnedMs + EVERY_MS;
  setInterval(() => {
    const nowMs = performance.now();
    const lateNs = Math.max(1, Math.round((nowMs - dueMs) * 1e6));
    for (const window of windows) window.record(lateNs);
    dueMs = nowMs + EVERY_MS;
    if (nowMs - turnedMs < WINDOW_MS) return;
    windows = [windows[1], createHistogram()];
    turnedMs = nowMs;
  }, EVERY_MS).unref();
  return () => windows[0];
}
