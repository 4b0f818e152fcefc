/**
 * The limits of a server's connections: a maximum in total and for each address, and deadlines. After an answer that
 * what came is no HTTP or was too late, a connection is closed within a second; so is one whose client reads nothing of
 * its answer for half a minute. `server.ts` puts it on every server that listens.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address.ts';
import { HTTP_ERRORS, type HttpErrorCode } from './problem.ts';

export interface ConnectionLimits {
  /** At once; Infinity for no limit. */
  readonly total: number;
  /** Of one address at once, IPv6 by its /64; Infinity for no limit. */
  readonly perAddress: number;
  /** Proxies whose connections are other people's: they do not count for an address. */
  readonly isTrusted: (address: string) => boolean;
  /** How long a client may leave its answer unread; default 30 s. */
  readonly unreadMs?: number;
}

export const NO_LIMITS: ConnectionLimits = {
  total: Number.POSITIVE_INFINITY,
  perAddress: Number.POSITIVE_INFINITY,
  isTrusted: () => false,
};

const UNREAD_MS = 30_000;
const UNREAD_SWEEP_MS = 2_000;
/** From the answer to what is no request until the connection is destroyed. */
const FAREWELL_MS = 800;

/**
 * Applies the limits to a server, and gives the connections that have not said anything: Node does not count them as
 * idle.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): () => Socket[] {
  const open = new Set<Socket>();
  const byAddress = new Map<string, number>();
  if (Number.isFinite(limits.total)) server.maxConnections = limits.total;
  server.on('connection', (socket) => {
    const address = countedAs(socket, limits);
    const ofAddress = (address === null ? 0 : (byAddress.get(address) ?? 0)) + 1;
    if (ofAddress > limits.perAddress) {
      socket.destroy();
      return;
    }
    open.add(socket);
    if (address !== null) byAddress.set(address, ofAddress);
    socket.once('close', () => {
      open.delete(socket);
      if (address !== null) release(byAddress, address);
    });
  });
  server.on('clientError', answerBadFraming);
  cutUnread(server, open, limits.unreadMs ?? UNREAD_MS);
  return () => [...open].filter((socket) => socket.bytesRead === 0);
}

function countedAs({ remoteAddress = '' }: Socket, { isTrusted }: ConnectionLimits): string | null {
  return isTrusted(remoteAddress) ? null : networkOf(remoteAddress);
}

function release(byAddress: Map<string, number>, address: string): void {
  const left = (byAddress.get(address) ?? 1) - 1;
  if (left === 0) byAddress.delete(address);
  else byAddress.set(address, left);
}

/**
 * Gives connections a timeout for as long as bytes wait for their client: at any other time a silence is ours, while
 * an answer is made or there is nothing to say. Node restarts the timeout whenever some of the bytes have been sent,
 * and cuts when it is over.
 */
function cutUnread(server: Server, open: ReadonlySet<Socket>, unreadMs: number): void {
  const sweep = setInterval(
    () => {
      for (const socket of open) {
        const isTimed = socket.timeout === unreadMs;
        if (socket.writableLength > 0 && !isTimed) socket.setTimeout(unreadMs);
        else if (socket.writableLength === 0 && isTimed) socket.setTimeout(0);
      }
    },
    Math.min(UNREAD_SWEEP_MS, unreadMs),
  ).unref();
  server.once('close', () => clearInterval(sweep));
}

const CODE_BY_ERROR: Readonly<Record<string, HttpErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
};

function answerBadFraming(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body, headers } = refusal(CODE_BY_ERROR[error.code ?? ''] ?? 'malformed_request');
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Clients that do not hang up, or do not read, are not waited for.
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
}

/** Answers a request that does not name its host, or names several; it could be read, so the connection stays. */
export function answerUnnamed(request: IncomingMessage, response: ServerResponse): void {
  const { status, body, headers } = refusal('malformed_request');
  // What comes of its body is not the next request.
  request.resume();
  response.writeHead(status, headers).end(body);
}

function refusal(code: HttpErrorCode) {
  const { status, message } = HTTP_ERRORS[code];
  const body = JSON.stringify({ success: false, message, code });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': randomUUID(),
  };
  return { status, body, headers };
}
