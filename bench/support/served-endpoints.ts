/** Endpoints served alone, without accounts, sessions and limits: what a benchmark measures is theirs. */
import { Registry } from 'prom-client';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { createHttpApp, type HttpAppOptions } from '../../adapters/http/mount.ts';
import { type Listening, listen } from '../../adapters/http/server.ts';

/** Serves them on a free port of this machine. */
export function serveAlone(endpoints: readonly Endpoint[], log: HttpAppOptions['log']): Promise<Listening> {
  const app = createHttpApp({
    endpoints,
    authenticate: () => null,
    sessions: null,
    rateLimiter: null,
    rateLimitPerMinute: 0,
    readiness: async () => [],
    metrics: new Registry(),
    trustProxy: [],
    openapi: { title: 'Bench', version: '1.0.0' },
    log,
  });
  return listen({ app, host: '127.0.0.1', port: 0 });
}
