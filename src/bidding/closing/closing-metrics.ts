/** How late lots close, for Prometheus: observed by the worker whose sweep closed one. */
import { Histogram, type Registry } from 'prom-client';

/** Gives what takes the seconds between a lot's end and its close. */
export function closingMetrics(registry: Registry): (seconds: number) => void {
  const delay = new Histogram({
    name: 'rostrum_closing_delay_seconds',
    help: 'From the end of a lot to its close, by the journal’s clock.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600],
    registers: [registry],
  });
  return (seconds) => delay.observe(seconds);
}
