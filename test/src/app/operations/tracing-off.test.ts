/**
 * Where traces are off, no process loads anything of OpenTelemetry, but for the interface without works that
 * prom-client loads for itself.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { openTracing } from '../../../../src/app/process/traces.ts';
import { runWeb } from '../../../../src/app/web.ts';
import { runWorker } from '../../../../src/app/worker.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { slowness } from '../../../support/slowness.ts';

const require = createRequire(import.meta.url);

const loaded = () => Object.keys(require.cache).filter((path) => /@opentelemetry\/(?!api\/)/.test(path));

describe('traces', () => {
  const log = openLog('silent', 'test');

  it('are off unless their endpoint is set, and then none of their code is loaded', async () => {
    expect([runWeb, runWorker].every((run) => typeof run === 'function')).to.equal(true);
    for (const off of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }])
      expect(await openTracing(loadConfig(off), 'web', log)).to.equal(null);
    expect(loaded()).to.deep.equal([]);
    const on = await openTracing(
      loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }),
      'web',
      log,
    );
    expect(loaded()).to.not.deep.equal([]);
    // Nobody listens there: that costs the span, and a short wait at the end.
    on?.begin('a span').end();
    await on?.close();
  });

  it('cost spans and nothing else while their collector accepts everything and answers nothing', async () => {
    const requests: string[] = [];
    const collector = createServer(({ url = '' }) => requests.push(url));
    await once(collector.listen(0, '127.0.0.1'), 'listening');
    const address = collector.address();
    const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
    const on = await openTracing(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), 'web', log);
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    const tookMs: number[] = [];
    for (let n = 0; n < 20_000; n += 1) {
      const beganMs = performance.now();
      on?.begin('a span').end();
      tookMs.push(performance.now() - beganMs);
      if (n % 1_000 === 0) await new Promise((done) => setImmediate(done));
    }
    const beganMs = performance.now();
    await on?.close();
    expect(performance.now() - beganMs).to.be.below(5_000 * slowness());
    expect(tookMs.sort((a, b) => a - b)[tookMs.length >> 1]).to.be.below(5 * slowness());
    expect(requests[0]).to.equal('/v1/traces');
    collector.closeAllConnections();
    await once(collector.close(), 'close');
  });

  it('are refused with values that do not fit', () => {
    const bad = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_SDK_DISABLED: 'perhaps',
    };
    for (const [name, value] of Object.entries(bad))
      expect(() => loadConfig({ [name]: value }), name).to.throw(name);
  });
});
