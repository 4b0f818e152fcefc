/**
 * Listens, and stops without losing anybody: no new connections, everything already taken in is answered, streams end, and
 * what is still open when the grace period is over is cut. Requests that are not HTTP get the failure envelope too.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { HttpApp } from './mount.ts';

export interface ListenOptions {
  readonly app: Pick<HttpApp, 'callback' | 'drain'>;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How long `close` waits for requests in flight; default 8 s. */
  readonly graceMs?: number;
}

export interface Listening {
  /** `http://host:port` */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Resolves when the last connection is gone. May be called more than once. */
  close(): Promise<void>;
}

const GRACE_MS = 8_000;
const IDLE_SWEEP_MS = 25;

/** Rejects when the port is taken. */
export async function listen({ app, host, port, graceMs = GRACE_MS }: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: 15_000,
      requestTimeout: 120_000,
      maxHeaderSize: 32 * 1024,
      // Broken connections must not linger as sockets that nobody reads.
      connectionsCheckingInterval: 5_000,
    },
    app.callback,
  );
  server.on('clientError', answerBadFraming);
  const silent = silentSockets(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  let closing: Promise<void> | null = null;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    server,
    close: () => {
      closing ??= stop(server, silent, app, graceMs);
      return closing;
    },
  };
}

/** Connections that were opened in advance and have not said anything; Node does not count them as idle. */
function silentSockets(server: Server): () => Iterable<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => [...open].filter((socket) => socket.bytesRead === 0);
}

function stop(
  server: Server,
  silent: () => Iterable<Socket>,
  app: Pick<HttpApp, 'drain'>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const closeIdle = (): void => {
      server.closeIdleConnections();
      for (const socket of silent()) socket.destroy();
    };
    // Connections that become idle only after this moment are closed by the sweep, not by their keep-alive timeout.
    const sweep = setInterval(closeIdle, IDLE_SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    app.drain();
    closeIdle();
  });
}

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

function answerBadFraming(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_ERROR[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ success: false, message: 'The request is not valid HTTP.' });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
