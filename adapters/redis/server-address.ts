/** Finds the server that a client should use now; called repeatedly, because it may move. */
import pTimeout from 'p-timeout';
import { newClient, type ServerClient } from './clients.ts';
import type { SentinelAddress } from './redis-address.ts';

/** Gives the server's address, or null where nobody can say; `current` is where the caller is, and whether it works. */
export type Locate = (
  current: { readonly url: string; readonly works: boolean } | null,
) => Promise<string | null>;

const PATIENCE_MS = 1_000;

/** The server that the Sentinels call master. They are queried in turn, beginning with the one that answered last. */
export function masterBySentinels({ sentinels, name, credentials }: SentinelAddress): Locate {
  let order = [...sentinels];
  return async () => {
    for (const sentinel of order) {
      const answer = await queryOnce(sentinel, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]);
      if (!Array.isArray(answer)) continue;
      order = [sentinel, ...sentinels.filter((other) => other !== sentinel)];
      const [host, port] = answer.map(String);
      return `redis://${credentials}${host?.includes(':') ? `[${host}]` : host}:${port}`;
    }
    return null;
  };
}

/** Any node of a cluster that works: the one at hand, or the first that answers. */
export function anyNode(nodes: readonly string[]): Locate {
  return async (current) => {
    if (current?.works) return current.url;
    for (const node of nodes) if ((await queryOnce(node, ['PING'])) === 'PONG') return node;
    return null;
  };
}

/** The answer of a server over its own connection, or null where there is none. */
async function queryOnce(url: string, command: string[]): Promise<unknown> {
  const client: ServerClient = newClient({
    url,
    socket: { connectTimeout: PATIENCE_MS, reconnectStrategy: false },
  });
  client.on('error', () => undefined);
  const answer = client.connect().then(() => client.sendCommand<unknown>(command));
  try {
    return await pTimeout(answer, { milliseconds: PATIENCE_MS });
  } catch {
    return null;
  } finally {
    client.destroy();
  }
}
