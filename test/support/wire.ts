/**
 * A wire to a server that a test can cut at the worst moment: before a request gets through, or after it did but
 * before its reply comes back. It listens on a port of its own for as long as the test lasts, whether or not its
 * server is there; connections made after a cut pass freely.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Wire {
  readonly port: number;
  /** The next `count` requests that hold `word` arrive, but their replies are lost, each with its connection. */
  loseAnswers(word: string, count?: number): void;
  /** The next request that holds `word` does not arrive. */
  loseRequest(word: string): void;
  /** Blocks all traffic in both directions while connections stay open, until it is called with false. */
  hang(hangs: boolean): void;
  /** How many replies have been lost so far. */
  readonly lost: number;
  /** How often `mark` was seen in what the server sent. */
  readonly marks: number;
  /** Connections that are open. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Opens a wire to a port of this machine; `mark` is counted in the replies. */
export async function openWire(toPort: number, mark: string | null = null): Promise<Wire> {
  const sockets = new Set<Socket>();
  let losing = { word: '', left: 0, arrives: true };
  let hanging = false;
  let lost = 0;
  let marks = 0;
  const server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1');
    let deaf = false;
    for (const socket of [client, upstream]) {
      if (hanging) socket.pause();
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      if (losing.left > 0 && !deaf && data.includes(losing.word)) {
        losing.left -= 1;
        deaf = true;
        if (!losing.arrives) {
          client.destroy();
          return;
        }
      }
      if (!upstream.write(data)) {
        client.pause();
        upstream.once('drain', () => hanging || client.resume());
      }
    });
    upstream.on('data', (data) => {
      if (deaf) {
        lost += 1;
        client.destroy();
        return;
      }
      if (mark !== null) marks += countOf(data, mark);
      client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    loseAnswers(word, count = 1) {
      losing = { word, left: count, arrives: true };
    },
    loseRequest(word) {
      losing = { word, left: 1, arrives: false };
    },
    hang(hangs) {
      hanging = hangs;
      for (const socket of sockets) hangs ? socket.pause() : socket.resume();
    },
    get lost() {
      return lost;
    },
    get marks() {
      return marks;
    },
    get connections() {
      return sockets.size / 2;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function countOf(data: Buffer, mark: string): number {
  let count = 0;
  for (let at = data.indexOf(mark); at >= 0; at = data.indexOf(mark, at + 1)) count += 1;
  return count;
}
