/**
 * Opening the port that the configuration names. An unavailable port or address is an error of the configuration,
 * reported in one sentence; `start` checks it before it starts anything else.
 */
import { createServer } from 'node:net';
import { proxyTrust } from '../../../adapters/http/client-address.ts';
import type { HttpApp } from '../../../adapters/http/mount.ts';
import { type Drain, type Listening, listen } from '../../../adapters/http/server.ts';
import { systemCodeOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';
import type { Config } from '../config/config.ts';
import { isChild } from './process-life.ts';

type Address = Pick<Config, 'host' | 'port'>;
type Limits = Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustProxy'>;

/**
 * How long a balancer and its clients have to notice that a web process stops. nginx remembers for up to two seconds
 * that a process was away, so that it must not lose the next one sooner; it keeps connections that say nothing for
 * one. Under `start` everything ends together.
 */
const WEB_DRAIN: Drain = { listenMs: 2_000, silentMs: 2_000 };
const CHILD_DRAIN: Drain = { listenMs: 1_000, silentMs: 500 };

export const webDrain = (): Drain => (isChild() ? CHILD_DRAIN : WEB_DRAIN);

/**
 * Serves at `HOST` and `PORT`, with the limits on connections. `drain`: what is left to clients at the end; default
 * nothing. Throws `InputError` where it cannot.
 */
export async function listenAt(address: Address & Limits, app: HttpApp, drain?: Drain): Promise<Listening> {
  const limits = {
    total: address.maxConnections,
    perAddress: address.maxConnectionsPerAddress || Number.POSITIVE_INFINITY,
    isTrusted: proxyTrust(address.trustProxy),
  };
  try {
    const { host, port } = address;
    return await listen({ app, host, port, limits, ...(drain === undefined ? {} : { drain }) });
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
