/**
 * A balancer that knows nothing but connections: each goes to the next process in turn, or to the one behind it if that
 * one refuses. It neither asks for readiness nor reads or repeats anything.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpBalancer {
  readonly url: string;
  close(): Promise<void>;
}

export async function openTcpBalancer(ports: readonly number[]): Promise<TcpBalancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    open.add(client);
    client.on('error', () => undefined).once('close', () => open.delete(client));
    turn += 1;
    pass(client, turn, ports.length);
  });
  const pass = (client: Socket, at: number, left: number) => {
    if (left === 0) return client.destroy();
    const process = connect(ports[at % ports.length] ?? 0, '127.0.0.1');
    const next = () => pass(client, at + 1, left - 1);
    process.once('error', next).once('connect', () => {
      process.off('error', next).on('error', () => client.destroy());
      client.once('close', () => process.destroy());
      process.once('close', () => client.destroy());
      process.pipe(client).resume();
      client.pipe(process);
    });
    return client;
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async close() {
      for (const socket of open) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
