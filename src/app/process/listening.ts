/**
 * Opening the port that the configuration names. An unavailable port or address is an error of the configuration,
 * reported in one sentence; `start` checks it before it starts anything else.
 */
import { createServer } from 'node:net';
import { proxyTrust } from '../../../adapters/http/client-address.ts';
import type { HttpApp } from '../../../adapters/http/mount.ts';
import { type Listening, listen } from '../../../adapters/http/server.ts';
import { systemCodeOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';
import type { Config } from '../config/config.ts';
import { isChild } from './process-life.ts';

type Address = Pick<Config, 'host' | 'port'>;
type Limits = Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>;

/** A process behind a proxy leaves it so much time to notice, unless it ends with all that there is. */
const QUIET_MS = 3_000;

/** Serves at `HOST` and `PORT`, with the limits on connections. Throws `InputError` where it cannot. */
export async function listenAt(address: Address & Limits, app: HttpApp): Promise<Listening> {
  const limits = {
    total: address.maxConnections,
    perAddress: address.maxConnectionsPerAddress || Number.POSITIVE_INFINITY,
    isTrusted: proxyTrust(address.trustProxy),
  };
  const quietMs = isChild() || address.trustProxy.length === 0 ? 0 : QUIET_MS;
  try {
    return await listen({ app, host: address.host, port: address.port, limits, quietMs });
  } catch (error) {
    throw explained(error, address);
  }
}

/**
 * The port to listen at: `PORT`, or a free one where that is 0, so that several processes take the same. Throws
 * `InputError` where nobody could listen there now.
 */
export async function freePort(address: Address): Promise<number> {
  const probe = createServer();
  return new Promise<number>((resolve, reject) => {
    probe.once('error', (error) => reject(explained(error, address)));
    probe.listen({ host: address.host, port: address.port }, () => {
      const bound = probe.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
      probe.close(() => resolve(port));
    });
  });
}

function explained(error: unknown, { host, port }: Address): unknown {
  switch (systemCodeOf(error)) {
    case 'EADDRINUSE':
      return new InputError(
        `PORT: got ${port}, which another process on ${host} uses; PORT=0 picks a free one`,
      );
    case 'EACCES':
      return new InputError(
        `PORT: got ${port}, which this user is not allowed to open; choose 1024 or higher`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new InputError(`HOST: got "${host}", but it takes an address of this machine such as 127.0.0.1`);
    default:
      return error;
  }
}
