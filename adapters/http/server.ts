/**
 * Listens, and stops without losing anybody: no new connections, everything already taken in is answered, streams
 * end, and what is still open when the grace period is over is cut. What its connections may do is said in
 * `connections.ts`.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { type ConnectionLimits, limitConnections, NO_LIMITS } from './connections.ts';
import type { HttpApp } from './mount.ts';

export interface ListenOptions {
  readonly app: Pick<HttpApp, 'callback' | 'drain'>;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How long `close` waits for requests in flight; default 8 s. */
  readonly graceMs?: number;
  /**
   * How long `close` leaves connections open on which there is no request; default not at all. A proxy may just be
   * sending on one that it keeps, and would get no answer; on a request meanwhile, each is closed after its answer.
   */
  readonly quietMs?: number;
  /** Default: none. */
  readonly limits?: ConnectionLimits;
  /** How long a request's head and the whole of it may take; default 15 s and 120 s. */
  readonly patience?: { readonly headMs: number; readonly requestMs: number };
}

export interface Listening {
  /** `http://host:port` */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Resolves when the last connection has closed. May be called more than once. */
  close(): Promise<void>;
}

const GRACE_MS = 8_000;
const IDLE_SWEEP_MS = 25;

const PATIENCE = { headMs: 15_000, requestMs: 120_000 } as const;

/** Rejects when the port is taken. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { app, host, port, patience = PATIENCE } = options;
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: patience.headMs,
    requestTimeout: patience.requestMs,
    maxHeaderSize: 32 * 1024,
    // Broken connections must not linger as sockets that nobody reads.
    connectionsCheckingInterval: Math.min(5_000, patience.headMs),
    // Node's own answer to a request without a Host has neither a body nor an id.
    requireHostHeader: false,
  });
  const answer: HttpApp['callback'] = (request, response) => {
    if (isHostNamed(request)) app.callback(request, response);
    else server.emit('clientError', new Error('no Host'), request.socket);
  };
  server.on('request', answer);
  // So has its answer to an expectation that it does not know, which a server may as well ignore.
  server.on('checkExpectation', answer);
  const silent = limitConnections(server, options.limits ?? NO_LIMITS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const bound = typeof address === 'object' ? (address?.port ?? port) : port;
  let closing: Promise<void> | null = null;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    server,
    close: () => {
      closing ??= stop(server, silent, options);
      return closing;
    },
  };
}

/**
 * Whether a request names its host once, as HTTP/1.1 requires: with two, a proxy before us may have read the other, and
 * Node shows the first.
 */
function isHostNamed({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let named = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') named += 1;
  }
  return named === 1 || (named === 0 && httpVersion !== '1.1');
}

function stop(
  server: Server,
  silent: () => Iterable<Socket>,
  { app, graceMs = GRACE_MS, quietMs = 0 }: ListenOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const begunMs = performance.now();
    const closeIdle = (): void => {
      if (performance.now() - begunMs < quietMs) return;
      server.closeIdleConnections();
      for (const socket of silent()) socket.destroy();
    };
    // Connections that become idle only after this moment are closed by the sweep, not by their keep-alive timeout.
    const sweep = setInterval(closeIdle, IDLE_SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    const finish = (): void => {
      clearInterval(sweep);
      clearTimeout(cut);
      // It is closed already; this ends its own timers.
      server.close();
      resolve();
    };
    app.drain();
    // What has been connected, and has perhaps sent a request, is taken in first: it would be cut off with the socket.
    setImmediate(() =>
      setImmediate(() => {
        // An HTTP server's own way to close begins with all idle connections.
        TcpServer.prototype.close.call(server, finish);
        closeIdle();
      }),
    );
  });
}
