/**
 * One of the compared servers as a process of its own: `serve.ts baseline|uncached|cached`, addresses in the
 * environment.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createHttpApp } from '../../adapters/http/mount.ts';
import { listen } from '../../adapters/http/server.ts';
import { openBackends } from '../../src/app/process/backends.ts';
import { catalogEndpoints } from '../../src/app/web/catalog.endpoints.ts';
import { API_INFO } from '../../src/app/web/openapi-info.ts';
import { CACHE_TIMES, NO_CACHE } from '../../src/shared/caching/cache-times.ts';
import { openLog } from '../../src/shared/log.ts';
import { baselineServer } from './baseline.ts';

const CONNECTIONS = 10;

async function main(kind: string): Promise<void> {
  const databaseUrl = process.env['DATABASE_URL'] ?? '';
  const redisUrl = process.env['REDIS_URL'] ?? '';
  if (kind === 'baseline') {
    const server = baselineServer(databaseUrl, CONNECTIONS).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    return;
  }
  const log = openLog('warn', kind);
  const backends = await openBackends({ databaseUrl, redisUrl }, log, { connections: CONNECTIONS });
  const app = createHttpApp({
    endpoints: catalogEndpoints(backends, kind === 'cached' ? CACHE_TIMES : NO_CACHE),
    authenticate: () => null,
    sessions: null,
    rateLimiter: null,
    rateLimitPerMinute: 0,
    readiness: async () => [],
    metrics: new Registry(),
    trustProxy: [],
    openapi: API_INFO,
    log,
  });
  const { url } = await listen({ app, host: '127.0.0.1', port: 0 });
  process.send?.({ url });
}

process.on('disconnect', () => process.exit(0));
await main(process.argv[2] ?? '');
