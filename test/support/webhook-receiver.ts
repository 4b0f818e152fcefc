/**
 * A receiver of webhooks that behaves as a test wants: it answers with a status, hangs, cuts the connection or is not
 * there at all. Everything that reaches it is kept in order, and checked against the secrets by the standard's own
 * library.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { JsonValue } from './service.ts';

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: JsonValue;
  readonly atMs: number;
}

/** What to do with a delivery: a status to answer with, or something worse. */
export type Behaviour = number | 'hang' | 'reset' | { readonly status: number; readonly afterMs: number };

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** How many were in hand at once at most. */
  readonly max: () => number;
  behave: (delivery: Received) => Behaviour;
  /** Waits until `enough` holds; throws with what there is when it does not in time. */
  until(enough: (received: readonly Received[]) => boolean, withinMs?: number): Promise<void>;
  /** Stops listening and cuts every connection. */
  die(): Promise<void>;
  /** Listens again on the same port. */
  rise(): Promise<void>;
}

/** Throws unless this secret signed the delivery. */
export function verify(delivery: Received, secret: string): void {
  new Webhook(secret).verify(delivery.text, delivery.headers);
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let server: Server | null = null;
  let inHand = 0;
  let max = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    max = Math.max(max, ++inHand);
    response.once('close', () => {
      inHand -= 1;
    });
    const delivery = await read(request);
    received.push(delivery);
    const what = receiver.behave(delivery);
    if (what === 'hang') return;
    if (what === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (typeof what === 'object') await sleep(what.afterMs);
    response.writeHead(typeof what === 'object' ? what.status : what).end('thank you');
  };
  const listen = async (port: number) => {
    const fresh = createServer((request, response) => void listener(request, response).catch(() => {}));
    await new Promise<void>((done, fail) => {
      fresh.once('error', fail);
      fresh.listen(port, '127.0.0.1', done);
    });
    server = fresh;
    return (fresh.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    max: () => max,
    behave: () => 204,
    async until(enough, withinMs = 60_000) {
      const end = Date.now() + withinMs;
      while (!enough(received)) {
        if (Date.now() > end) throw new Error(`not enough came: ${received.map(({ id }) => id).join(' ')}`);
        await sleep(10);
      }
    },
    async die() {
      const dying = server;
      server = null;
      if (dying === null) return;
      dying.closeAllConnections();
      await new Promise((done) => dying.close(done));
    },
    async rise() {
      await listen(port);
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = request.headers as Record<string, string>;
  const id = headers['webhook-id'] ?? '';
  return { id, path: request.url ?? '', headers, text, body: JSON.parse(text), atMs: Date.now() };
}
