/**
 * One request in flight through the pipeline: the `HttpRequest` that a handler sees, filled step by step. What is
 * rarely read (address, base address, signal) is worked out only when it is; the pipeline and the writer alone assign.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Origin } from './client-address.ts';
import type { HttpRequest, Principal, Session } from './endpoint.ts';
import type { RateDecision } from './rate-limit.ts';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

export class Exchange implements HttpRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly path: string;
  readonly rawQuery: string;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly #origin: Origin;
  #ip: string | null = null;
  #abort: AbortController | null = null;

  params: unknown = undefined;
  query: unknown = undefined;
  body: unknown = undefined;
  rawBody: Buffer | undefined = undefined;
  principal: Principal | null = null;
  session: Session | null = null;
  /** The shared counter's answer, once read; null while it is off or unavailable. */
  rate: RateDecision | null = null;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, origin: Origin) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.#origin = origin;
    const url = incoming.url ?? '/';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.rawQuery = mark < 0 ? '' : url.slice(mark + 1);
    const sent = incoming.headers['x-request-id'];
    this.requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
    this.startedAtMs = performance.now();
  }

  get method(): string {
    return this.incoming.method ?? 'GET';
  }

  get headers(): IncomingHttpHeaders {
    return this.incoming.headers;
  }

  get ip(): string {
    this.#ip ??= this.#origin.ip(this.incoming);
    return this.#ip;
  }

  get secure(): boolean {
    return this.#origin.isSecure(this.incoming);
  }

  get baseUrl(): string {
    return this.#origin.baseUrl(this.incoming);
  }

  get ownUrl(): string {
    const { localAddress = '127.0.0.1', localPort = 80 } = this.incoming.socket;
    return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      const abort = new AbortController();
      this.#abort = abort;
      this.outgoing.once('close', () => {
        if (!this.outgoing.writableFinished) abort.abort();
      });
      if (this.outgoing.destroyed) abort.abort();
    }
    return this.#abort.signal;
  }

  /** Aborts the signal, which means that the client no longer waits for this answer. */
  abort(): void {
    this.#abort?.abort();
  }
}
