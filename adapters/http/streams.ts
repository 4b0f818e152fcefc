/**
 * The answers that have no end of their own: server-sent events and long downloads. `mount.ts` sends them through
 * here, so that a stopping server can end them; nothing stays open once the client or the server has closed.
 */
import { pipeline, type Readable } from 'node:stream';
import { itemAt } from '../../engine/first-of.ts';
import type { Exchange } from './exchange.ts';

/**
 * A browser left to itself waits three seconds before it returns, and all of them at the same moment. A line of
 * the first event, so that no message of its own precedes it.
 */
const BACK_AFTER_MS = 150;
const SPREAD_MS = 350;

/** Headers that may be set already and keep their value. */
const ADDED = new Set(['set-cookie', 'vary']);

export class Streams {
  readonly #open = new Map<Readable, Exchange>();
  #ended = false;

  /** Sends the head at once and the stream as it comes. A stream that fails cuts the connection. */
  send(exchange: Exchange, status: number, headers: readonly string[], source: Readable): void {
    const { outgoing } = exchange;
    for (let at = 0; at < headers.length; at += 2) {
      const name = itemAt(headers, at);
      const value = itemAt(headers, at + 1);
      if (ADDED.has(name.toLowerCase())) outgoing.appendHeader(name, value);
      else outgoing.setHeader(name, value);
    }
    outgoing.statusCode = status;
    if (exchange.method === 'HEAD') {
      source.destroy();
      outgoing.end();
      return;
    }
    outgoing.flushHeaders();
    if (String(outgoing.getHeader('content-type')).startsWith('text/event-stream'))
      outgoing.write(`retry: ${BACK_AFTER_MS + Math.floor(Math.random() * SPREAD_MS)}\n`);
    this.#open.set(source, exchange);
    pipeline(source, outgoing, () => {
      this.#open.delete(source);
      exchange.abort();
    });
    if (this.#ended) this.#finish(source, exchange);
  }

  /** Ends all open streams, and those that begin from now on. */
  end(): void {
    this.#ended = true;
    for (const [source, exchange] of this.#open) this.#finish(source, exchange);
  }

  #finish(source: Readable, exchange: Exchange): void {
    source.unpipe(exchange.outgoing);
    exchange.outgoing.end();
    source.destroy();
    exchange.abort();
  }
}
