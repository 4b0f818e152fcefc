/**
 * The background side as its own process: closing, projection, and everything that may wait. Any number may run.
 */
import { setPriority } from 'node:os';
import { Registry } from 'prom-client';
import { createHttpApp } from '../../adapters/http/mount.ts';
import { openLog } from '../shared/log.ts';
import type { Config } from './config/config.ts';
import { startWorkerJobs } from './jobs/worker-jobs.ts';
import { openBackends, type Servers } from './process/backends.ts';
import { metricsText } from './process/family-metrics.ts';
import { listenAt } from './process/listening.ts';
import { endWith, isChild, sendToParent } from './process/process-life.ts';
import { readinessOf } from './process/readiness.ts';
import { openTracing } from './process/traces.ts';
import { collectAlone } from './process/young-generation.ts';
import { API_INFO } from './web/openapi-info.ts';

/**
 * How far a worker gives way to web processes on the same machine (`nice`): what it does can wait some milliseconds
 * longer, a bid is waited for. Where nobody else wants the processor, it changes nothing.
 */
const NICE = 5;

/** Runs until the process is told to stop. With `PORT` given it serves its probes there, but not under `start`. */
export async function runWorker(config: Config, servers: Servers): Promise<void> {
  collectAlone();
  giveWay();
  const log = openLog(config.logLevel, 'worker');
  const backends = await openBackends(servers, log, {
    durability: config.bidDurability,
    sealKeys: config.sealKeys,
    tracing: await openTracing(config, 'worker', log),
  });
  const metrics = new Registry();
  if (isChild()) metricsText(metrics);
  const jobs = await startWorkerJobs(config, backends, metrics, log);
  const probes =
    config.portGiven && !isChild()
      ? await listenAt(
          config,
          createHttpApp({
            endpoints: [],
            authenticate: () => null,
            sessions: null,
            rateLimiter: null,
            rateLimitPerMinute: 0,
            readiness: () => readinessOf(backends, config),
            metrics,
            ...(config.metricsToken === null ? {} : { metricsToken: config.metricsToken }),
            trustProxy: [],
            openapi: API_INFO,
            log,
          }),
        )
      : null;
  endWith(async () => {
    await probes?.close();
    await jobs.close();
    await backends.close();
    await servers.close();
  }, log);
  if (isChild()) sendToParent({ ready: 'worker' });
  else console.log(`worker ready${probes === null ? '' : `, probes at ${probes.url}`}`);
}

function giveWay(): void {
  try {
    setPriority(NICE);
  } catch {
    // A sandbox may forbid it: then it runs as it is.
  }
}
