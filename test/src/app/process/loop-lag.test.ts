import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { processMetrics } from '../../../../src/app/process/loop-lag.ts';

describe('the delay of the event loop', () => {
  it('shows how long nothing else could run, to every reader', async () => {
    const registry = new Registry();
    processMetrics(registry);
    await sleep(150);
    const blockedUntil = performance.now() + 400;
    while (performance.now() < blockedUntil);
    await sleep(150);
    for (const _reader of ['Prometheus', 'the office']) {
      const metric = await registry.getSingleMetric('nodejs_eventloop_lag_max_seconds')!.get();
      expect(metric.values[0]!.value).to.be.within(0.25, 5);
    }
  });
});
