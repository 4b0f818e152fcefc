import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ConnectionLimits, NO_LIMITS } from '../../../adapters/http/connections.ts';
import { endpoint } from '../../../adapters/http/endpoint.ts';
import { slowness } from '../../support/slowness.ts';
import { type Running, serve } from './server-fixture.ts';
import { testEndpoints } from './test-endpoints.ts';

const SLOW = 1_000;
const PATIENCE = { headMs: 700, requestMs: 1_000 };
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const FLOOD = 'GET /api/v1/flood HTTP/1.1\r\nHost: x\r\n\r\n';
const HALF_A_BID =
  'POST /api/v1/lots/7/bids HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n' +
  'Content-Type: application/json\r\nContent-Length: 900\r\n\r\n';

/** An endpoint whose answer is larger than all buffers on the way. */
const flood = endpoint({
  method: 'GET',
  path: '/api/v1/flood',
  operationId: 'flood',
  summary: 'More than anybody reads',
  tags: ['Test'],
  access: { kind: 'public' },
  responses: { 200: { description: 'Bytes.', contentType: 'application/octet-stream' } },
  handle: async () => ({
    status: 200,
    contentType: 'application/octet-stream',
    raw: Readable.from(endless()),
  }),
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1_024);
}

interface Ways {
  /** The client's address. */
  readonly from?: string;
  readonly reads?: boolean;
  /** Stays open when the server ends its side, so that the server has to hang up. */
  readonly stubborn?: boolean;
}

/** Opens a connection and says something. What comes is read unless specified otherwise. */
function call(port: number, text: string, ways: Ways): Promise<Socket> {
  const { from = '127.0.0.1', reads = true, stubborn = false } = ways;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: stubborn });
    socket.on('error', () => undefined);
    if (reads) socket.resume();
    else socket.pause();
    socket.once('connect', () => {
      socket.write(text);
      resolve(socket);
    });
  });
}

/** The first that is said, or null where the connection is closed before. */
function firstHeard(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk)));
    socket.once('close', () => resolve(null));
  });
}

describe('connections', () => {
  let server: Running;
  const open: Socket[] = [];
  const limited = async (limits: Partial<ConnectionLimits>, patience = PATIENCE) => {
    server = await serve([...testEndpoints(true), flood], {
      limits: { ...NO_LIMITS, ...limits },
      patience,
    });
  };
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await server.close();
  });
  const held = async (text: string, ways: Ways = {}) => {
    const socket = await call(server.port, text, ways);
    open.push(socket);
    return socket;
  };
  const left = () => new Promise<number>((done) => server.server.getConnections((_, count) => done(count)));

  it('on which came no HTTP, or half of it, are gone within a second, whether their client hangs up or not', async () => {
    await limited({});
    const goneAfter = async (status: number, code: string, texts: readonly string[]) => {
      const sockets = await Promise.all(texts.map((text) => held(text, { stubborn: true })));
      for (const heard of await Promise.all(sockets.map(firstHeard))) {
        expect(heard).to.match(new RegExp(`^HTTP/1\\.1 ${status} [^]*"code":"${code}"`));
      }
      const answeredMs = performance.now();
      while ((await left()) > 0) await sleep(20);
      return performance.now() - answeredMs;
    };
    const garbled = ['HELLO\r\n\r\n', 'GET /healthz HTTP/9.9\r\n\r\n'];
    expect(await goneAfter(400, 'malformed_request', garbled)).to.be.lessThan(5_000);
    const slow = ['GET / HTTP/1.1\r\nHost: x\r\n', '', `${HALF_A_BID}{`];
    expect(await goneAfter(408, 'request_timeout', slow)).to.be.lessThan(5_000);
  });

  it('stay where a request could be read, but names no host or several', async () => {
    await limited({});
    for (const named of ['', 'Host: x\r\nHost: y\r\n', 'Host: x\r\nhost: x\r\n']) {
      const socket = await held(`GET /healthz HTTP/1.1\r\n${named}\r\n`);
      expect(await firstHeard(socket)).to.match(/^HTTP\/1\.1 400 [\s\S]*"code":"malformed_request"/);
      const next = firstHeard(socket);
      socket.write(HEALTH);
      expect(await next, named).to.match(/^HTTP\/1\.1 200 /);
    }
  });

  it('get every answer with an id, those to requests without a host or with unknown expectations too', async () => {
    await limited({});
    const answers = [
      ['HELLO\r\n\r\n', 400],
      ['GET /healthz HTTP/1.1\r\n\r\n', 400],
      ['GET /healthz HTTP/1.0\r\n\r\n', 200],
      ['GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 200],
      ['TRACE /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 405],
      ['GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n', 200],
    ] as const;
    for (const [text, status] of answers) {
      const heard = await firstHeard(await held(text));
      expect(heard, text).to.match(
        new RegExp(`^HTTP/1\\.1 ${status} [^]*X-Request-Id: [\\w-]{36}\\r\\n[^]*"success":`),
      );
    }
  });

  it('of one address are bounded, but not those of a trusted proxy', async () => {
    await limited({ perAddress: 5, isTrusted: (address) => address.endsWith('127.0.0.9') });
    const served = async (count: number, from: string) => {
      const heard: Promise<string | null>[] = [];
      for (let at = 0; at < count; at += 1) heard.push(firstHeard(await held(HEALTH, { from })));
      return (await Promise.all(heard)).filter((one) => one !== null).length;
    };
    expect(await served(8, '127.0.0.1')).to.equal(5);
    expect(await served(2, '127.0.0.2')).to.equal(2);
    expect(await served(8, '127.0.0.9')).to.equal(8);
    open[0]?.destroy();
    while ((await left()) > 14) await sleep(10);
    expect(await served(2, '127.0.0.1')).to.equal(1);
  });

  it('are bounded in total', async () => {
    await limited({ total: 3 });
    const three = await Promise.all([1, 2, 3].map(() => held('')));
    expect(await firstHeard(await held(HEALTH))).to.equal(null);
    expect(three.some(({ destroyed }) => destroyed)).to.equal(false);
  });

  it('whose clients read nothing are cut, but not slow readers, and not where there is nothing to read', async () => {
    await limited({ unreadMs: 1_500 });
    const silent = await held(FLOOD, { reads: false });
    const slow = await held(FLOOD, { reads: false });
    const sips = setInterval(() => slow.read(), 10);
    const quiet = await held('GET /api/v1/stream HTTP/1.1\r\nHost: x\r\n\r\n');
    while ((await left()) > 2) await sleep(50);
    await sleep(2_000);
    clearInterval(sips);
    expect(await left()).to.equal(2);
    expect(slow.destroyed || quiet.destroyed).to.equal(false);
    silent.resume();
    await new Promise((done) => silent.once('close', done));
  });

  it(`goes on for others while ${SLOW} are slow in every way`, async () => {
    await limited({}, { headMs: 15_000, requestMs: 20_000 });
    const sockets: Socket[] = [];
    server.server.on('connection', (socket) => sockets.push(socket));
    const kinds = [
      () => held('GET /api/v1/lots HTTP/1.1\r\nHost'),
      () => held(`${HALF_A_BID}{"amount"`),
      () => held(FLOOD, { reads: false }),
    ];
    for (let at = 0; at < SLOW; at += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, one) => kinds[(at + one) % 3]?.()));
    }
    // Without those of `fetch`, which have a timeout between two requests.
    const slow = [...sockets];
    const took: number[] = [];
    for (let at = 0; at < 40; at += 1) {
      const startMs = performance.now();
      const answer = await fetch(`${server.url}/api/v1/lots/7`);
      expect(answer.status).to.equal(200);
      await answer.text();
      took.push(performance.now() - startMs);
    }
    expect(took.toSorted((one, two) => one - two)[20]).to.be.lessThan(1_000 * slowness());
    const unread = () => slow.find(({ timeout }) => (timeout ?? 0) > 0);
    while (unread() === undefined) await sleep(20);
    expect(unread()?.timeout, 'whoever reads nothing has half a minute').to.equal(30_000);
  });
});
