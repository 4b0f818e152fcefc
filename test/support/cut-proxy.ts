/**
 * A wire to a server that a test can cut at the worst moment: before a request gets through, or after it did but
 * before its reply comes back. Connections made afterwards pass freely.
 */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  readonly port: number;
  /** The next request that holds `word` arrives, but its reply does not. */
  loseAnswerTo(word: string): void;
  /** The next request that holds `word` does not arrive. */
  loseRequest(word: string): void;
  /**
   * Nothing gets through any more, in either direction, though all connections stand; until it is called with false.
   */
  hang(hangs: boolean): void;
  close(): Promise<void>;
}

export async function cutProxy(toPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const set = (socket: Socket) => (hanging ? socket.pause() : socket.resume());
  let hanging = false;
  let cut: { word: string; passes: boolean } | null = null;
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
      if (cut !== null && data.includes(cut.word)) {
        const { passes } = cut;
        cut = null;
        deaf = true;
        if (!passes) {
          client.destroy();
          return;
        }
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (deaf) client.destroy();
      else client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    loseAnswerTo: (word) => {
      cut = { word, passes: true };
    },
    loseRequest: (word) => {
      cut = { word, passes: false };
    },
    hang(hangs) {
      hanging = hangs;
      for (const socket of sockets) set(socket);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
