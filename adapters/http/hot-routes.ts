/**
 * The endpoints that are `hot`: bids and what simulcast platforms send in. The first middleware of the Koa application
 * finds them and answers on Node's own response; the pipeline and the headers are those of every other endpoint.
 * Nothing is compressed here: the answers are small.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Method } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { Mounted, Responder } from './responder.ts';
import { discardRest } from './rest-of-body.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Serialized } from './serialize.ts';

interface HotRoute {
  readonly mounted: Mounted;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

export interface FoundRoute {
  readonly mounted: Mounted;
  readonly params: Record<string, string>;
}

export class HotRoutes {
  readonly #responder: Responder;
  readonly #routes = new Map<string, HotRoute[]>();

  constructor(responder: Responder) {
    this.#responder = responder;
  }

  /** Routes are tried in the order they were added. Throws on endpoints that take uploads. */
  add(mounted: Mounted): void {
    const { method, path, operationId } = mounted.endpoint;
    if (mounted.upload !== null)
      throw new TypeError(`${operationId}: a hot endpoint cannot take multipart forms`);
    const names: string[] = [];
    const pattern = path.replaceAll(/\{([^}]+)\}|[.+*?^$()[\]|\\]/g, (found, name: string | undefined) => {
      if (name === undefined) return `\\${found}`;
      names.push(name);
      return '([^/]+)';
    });
    for (const served of methodsOf(method)) {
      const routes = this.#routes.get(served) ?? [];
      routes.push({ mounted, pattern: new RegExp(`^${pattern}$`), names });
      this.#routes.set(served, routes);
    }
  }

  /** Null for all but hot endpoints. */
  find(method: string, path: string): FoundRoute | null {
    for (const { mounted, pattern, names } of this.#routes.get(method) ?? NONE) {
      const values = pattern.exec(path);
      if (values === null) continue;
      const params: Record<string, string> = {};
      names.forEach((name, at) => {
        params[name] = decoded(values[at + 1] ?? '');
      });
      return { mounted, params };
    }
    return null;
  }

  /** Answers on the exchange's own response. */
  async serve({ mounted, params }: FoundRoute, exchange: Exchange): Promise<void> {
    const answer = await this.#responder.answer(mounted, exchange, params);
    const { status, headers, payload } = answer;
    discardRest(exchange.incoming);
    if (payload instanceof Readable) {
      this.#responder.streams.send(exchange, status, SECURITY_HEADERS.concat(headers), payload);
      return;
    }
    if (payload !== null) headers.push('Content-Length', String(lengthOf(payload, answer)));
    else if (status !== 204 && status !== 304) headers.push('Content-Length', '0');
    exchange.outgoing.writeHead(status, SECURITY_HEADERS.concat(headers));
    send(exchange.outgoing, exchange.method === 'HEAD' ? null : payload);
  }
}

const NONE: readonly HotRoute[] = [];

/** Counting the bytes of a text that was put together makes one piece of it, and so does sending it behind its head. */
function lengthOf(payload: string | Buffer, { isAscii }: Serialized): number {
  return isAscii ? payload.length : Buffer.byteLength(payload);
}

/**
 * Sends head and body with one plain write: `end(payload)` writes an empty text behind them, and two texts go to the
 * socket as a list, which costs a twentieth of a bid more.
 */
function send(outgoing: ServerResponse, payload: string | Buffer | null): void {
  const { socket } = outgoing;
  if (payload === null || socket === null) {
    outgoing.end(payload ?? undefined);
    return;
  }
  socket.cork();
  outgoing.write(payload);
  socket.uncork();
  outgoing.end();
}

function methodsOf(method: Method): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** What cannot be decoded stays unchanged; no schema of an id accepts a percent sign. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
