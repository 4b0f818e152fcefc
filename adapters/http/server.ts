/**
 * Listens, and stops without losing anybody: first only `/readyz` says that it stops, then no new connections are taken
 * and every answer asks to close its own, streams end, everything that was taken in is answered, and what is still open
 * when the grace period is over is cut. What its connections may do is said in `connections.ts`.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerUnnamed, type ConnectionLimits, limitConnections, NO_LIMITS } from './connections.ts';
import type { HttpApp } from './mount.ts';

export interface ListenOptions {
  readonly app: Pick<HttpApp, 'callback' | 'drain' | 'closeConnections' | 'endStreams'>;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How long `close` waits for requests in flight; default 8 s. */
  readonly graceMs?: number;
  /** Default: nothing is waited for. */
  readonly drain?: Drain;
  /** Default: none. */
  readonly limits?: ConnectionLimits;
  /** How long a request's head and the whole of it may take; default 15 s and 120 s. */
  readonly patience?: { readonly headMs: number; readonly requestMs: number };
}

/** What a stopping server leaves to those who do not know yet that it stops. Each request meanwhile is answered. */
export interface Drain {
  /**
   * How long new connections are taken: balancers that ask for readiness have to see that it has ended. Connections
   * are kept as ever: who was asked to close theirs would come back on a new one, and those that the system has
   * accepted when the server closes are reset.
   */
  readonly listenMs: number;
  /**
   * How long after that connections without a request stay open: somebody may just be sending on one, and is told to
   * close it by the answer.
   */
  readonly silentMs: number;
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
const NO_DRAIN: Drain = { listenMs: 0, silentMs: 0 };
/** A turn of the event loop in which hardly anything was done. */
const SHORT_TURN_MS = 0.2;
const CALM_WITHIN_MS = 2_000;

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
    else answerUnnamed(request, response);
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

async function stop(
  server: Server,
  silent: () => Iterable<Socket>,
  { app, graceMs = GRACE_MS, drain = NO_DRAIN }: ListenOptions,
): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  app.drain();
  if (drain.listenMs > 0) await sleep(drain.listenMs);
  const resume = await untilNobodyComes(server);
  // An HTTP server's own way to close begins with all idle connections.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
  app.closeConnections();
  resume();
  // Only now: a client returns at once, and would find this server again.
  app.endStreams();
  const takenAllMs = performance.now();
  const closeIdle = (): void => {
    if (performance.now() - takenAllMs < drain.silentMs) return;
    server.closeIdleConnections();
    for (const socket of silent()) socket.destroy();
  };
  // Right after everything that has arrived was read. What becomes idle later does not wait for its timeout.
  const sweep = setInterval(() => setImmediate(closeIdle), IDLE_SWEEP_MS);
  closeIdle();
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
  // It is closed already; this ends its own timers.
  server.close();
}

/**
 * Resolves in a turn of the event loop in which no connection was waiting. Each turn takes in one, and those that the
 * system has accepted and nobody has taken are reset when the server closes. What is taken in meanwhile is not read
 * until the function that it gives is called, so that turns are short however much arrives. Where connections never
 * stop coming, it resolves all the same.
 */
function untilNobodyComes(server: Server): Promise<() => void> {
  const taken: Socket[] = [];
  const take = (socket: Socket) => {
    taken.push(socket.pause());
  };
  server.on('connection', take);
  const resume = () => {
    server.off('connection', take);
    for (const socket of taken) socket.resume();
  };
  const giveUpMs = performance.now() + CALM_WITHIN_MS;
  return new Promise((resolve) => {
    const turn = (takenBefore: number, begunMs: number): void => {
      const nowMs = performance.now();
      const isCalm = taken.length === takenBefore && nowMs - begunMs < SHORT_TURN_MS;
      if (isCalm || nowMs > giveUpMs) resolve(resume);
      else setImmediate(turn, taken.length, nowMs);
    };
    setImmediate(() => setImmediate(turn, taken.length, performance.now()));
  });
}
