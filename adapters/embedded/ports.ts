/**
 * Picks the loopback port that an embedded server listens on. Ports are below the range that systems hand to outgoing
 * connections: a server that died must find its port free again, and a client that retries must not connect to
 * itself.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const lowestPort = 20_000;
const highestPort = 32_000;

/**
 * A loopback port that nobody listens on at this moment, and that no other call is given as long as this process lives:
 * between the choice and the server that listens there, others choose too.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = randomInt(lowestPort, highestPort);
    if ((await isPortFree(port)) && (await claims(port))) return port;
  }
  throw new Error(`no free port between ${lowestPort} and ${highestPort}`);
}

/** Whether nobody listens on the loopback port at this moment. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

// The claim is the UDP port of the same number: nobody uses it, one process alone can have it, and it ends with it.
async function claims(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    socket.close();
    return false;
  }
}
