/**
 * A load balancer as nginx is set up in `deploy/`: everything about one lot goes to one process, connections to the
 * processes are kept, one that refuses connections is passed over for the next, and a request that was sent and not
 * answered is given up, unless it only reads.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Balancer {
  readonly url: string;
  /** Requests that no process answered, with the step in which that was. */
  readonly dropped: readonly { readonly what: string; readonly step: string }[];
  /** What happens now. */
  step: string;
  close(): Promise<void>;
}

export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const dropped: { what: string; step: string }[] = [];
  const server = createServer((incoming, answer) => void pass(incoming, answer));
  const pass = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(incoming);
    const lot = Number(/\/lots\/(\d+)/.exec(incoming.url ?? '')?.[1] ?? 0);
    for (let at = 0; at < ports.length; at += 1) {
      const fault = await attempt(incoming, answer, body, ports[(lot + at) % ports.length] ?? 0);
      if (fault === null) return;
      const mayGoOn = fault.code === 'ECONNREFUSED' || incoming.method === 'GET';
      if (mayGoOn && !answer.headersSent && at + 1 < ports.length) continue;
      const what = `${incoming.method} ${incoming.url}: ${fault.code ?? fault.message}`;
      dropped.push({ what, step: balancer.step });
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
      return;
    }
  };
  const attempt = (incoming: IncomingMessage, answer: ServerResponse, body: Buffer, port: number) =>
    new Promise<NodeJS.ErrnoException | null>((done) => {
      const { connection: _hop, ...headers } = incoming.headers;
      const { method, url: path } = incoming;
      // Who asked may have gone: then nobody was dropped.
      const failed = (fault: Error) => done(answer.destroyed ? null : fault);
      const passed = request({ host: '127.0.0.1', port, agent, method, path, headers }, (received) => {
        const { connection: _ours, 'keep-alive': _too, ...forwarded } = received.headers;
        answer.writeHead(received.statusCode ?? 502, forwarded);
        received
          .on('error', failed)
          .on('end', () => done(null))
          .pipe(answer);
      });
      answer.once('close', () => passed.destroy());
      passed.on('error', failed).end(body);
    });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const balancer: Balancer = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    dropped,
    step: '',
    async close() {
      server.closeAllConnections();
      agent.destroy();
      await once(server.close(), 'close');
    },
  };
  return balancer;
}
