/**
 * One of the compared servers in its own process: `serve.ts baseline|uncached|cached`, addresses in the environment.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openBackends } from '../../src/app/process/backends.ts';
import { catalogEndpoints } from '../../src/app/web/catalog.endpoints.ts';
import { CACHE_TIMES } from '../../src/shared/caching/cache-times.ts';
import { openLog } from '../../src/shared/log.ts';
import { serveAlone } from '../support/served-endpoints.ts';
import { baselineServer } from './baseline.ts';
import { NO_CACHE } from './routes.ts';

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
  const { url } = await serveAlone(
    catalogEndpoints(backends, kind === 'cached' ? CACHE_TIMES : NO_CACHE),
    log,
  );
  process.send?.({ url });
}

process.on('disconnect', () => process.exit(0));
await main(process.argv[2] ?? '');
