/** A proxy that fails as networks and servers do, in an order that the test gives, and remembers what it was sent. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `lost`: the request is done, its answer never arrives. `busy`: 503 at once. `limited`: 429 with Retry-After. `cut`: the
 * answer's first event arrives, then the connection ends in the middle. `half`: so does half of the answer's body.
 */
export type Fault = 'lost' | 'busy' | 'limited' | 'cut' | 'half';

export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly lastEventId: string | undefined;
}

export interface UnsteadyProxy {
  readonly url: string;
  /** In order, since the beginning. */
  readonly passed: readonly Passed[];
  close(): Promise<void>;
}

/** The faults of the next requests of a method and path; a request beyond them passes. */
export type Plan = Record<string, Fault[]>;

export async function openUnsteadyProxy(target: string, plan: Plan): Promise<UnsteadyProxy> {
  const passed: Passed[] = [];
  const server = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    const path = url.split('?')[0] ?? '';
    const key = headers['idempotency-key']?.toString();
    passed.push({ method, path, key, lastEventId: headers['last-event-id']?.toString() });
    const fault = plan[`${method} ${path}`]?.shift() ?? null;
    if (fault === 'busy') refuse(answer, 503, {});
    else if (fault === 'limited') refuse(answer, 429, { 'retry-after': '1' });
    else forward(target, incoming, answer, fault);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function refuse(answer: ServerResponse, status: number, headers: Record<string, string>): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers });
  answer.end(JSON.stringify({ success: false, message: 'Not now.' }));
}

function forward(
  target: string,
  incoming: IncomingMessage,
  answer: ServerResponse,
  fault: Fault | null,
): void {
  const { method, url = '' } = incoming;
  const { host: _, ...headers } = incoming.headers;
  const outgoing = request(new URL(url, target), { method, headers }, (from) => {
    if (fault === 'lost') {
      from.resume().once('end', () => answer.destroy());
      return;
    }
    answer.writeHead(from.statusCode ?? 500, from.headers);
    if (fault === 'half') {
      from.once('data', (part: Buffer) =>
        answer.write(part.subarray(0, part.length / 2), () => answer.destroy()),
      );
      return;
    }
    from.pipe(answer);
    if (fault === 'cut')
      from.on('data', (part: Buffer) => part.includes('\n\n') && setImmediate(() => answer.destroy()));
  });
  outgoing.on('error', () => answer.destroy());
  answer.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
