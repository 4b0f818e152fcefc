/**
 * Opening the port that the configuration names. A port or an address that cannot be had is the configuration's
 * mistake and is said in one sentence; `start` asks before it starts anything else.
 */
import { createServer } from 'node:net';
import { proxyTrust } from '../../../adapters/http/client-address.ts';
import type { HttpApp } from '../../../adapters/http/mount.ts';
import { type Listening, listen } from '../../../adapters/http/server.ts';
import { InputError } from '../../shared/input-error.ts';
import type { Config } from '../config/config.ts';

type Place = Pick<Config, 'host' | 'port'>;
type Limits = Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>;

/** Serves at `HOST` and `PORT`, with the limits on connections. Throws `InputError` where it cannot. */
export async function listenAt(place: Place & Limits, app: HttpApp): Promise<Listening> {
  const limits = {
    total: place.maxConnections,
    perAddress: place.maxConnectionsPerAddress || Number.POSITIVE_INFINITY,
    isTrusted: proxyTrust(place.trustProxy),
  };
  try {
    return await listen({ app, host: place.host, port: place.port, limits });
  } catch (error) {
    throw explained(error, place);
  }
}

/**
 * The port to listen at: `PORT`, or a free one where that is 0, so that several processes take the same. Throws
 * `InputError` where nobody could listen there now.
 */
export async function freePort(place: Place): Promise<number> {
  const probe = createServer();
  return new Promise<number>((resolve, reject) => {
    probe.once('error', (error) => reject(explained(error, place)));
    probe.listen({ host: place.host, port: place.port }, () => {
      const bound = probe.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : place.port;
      probe.close(() => resolve(port));
    });
  });
}

function explained(error: unknown, { host, port }: Place): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new InputError(
        `PORT: got ${port}, which another process on ${host} uses; PORT=0 picks a free one`,
      );
    case 'EACCES':
      return new InputError(`PORT: got ${port}, which this user may not open; it takes one from 1024 up`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new InputError(`HOST: got "${host}", but it takes an address of this machine such as 127.0.0.1`);
    default:
      return error;
  }
}
