import { readdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { slowness } from '../../support/slowness.ts';
import { call, type Running, serve } from './server-fixture.ts';
import { testEndpoints } from './test-endpoints.ts';

/** The parser's files in the temporary folder: 25 characters without an ending. */
async function uploads(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => /^[0-9a-z]{25}$/.test(name)).sort();
}

describe('the service around the endpoints', () => {
  let server: Running;
  before(async () => {
    server = await serve(testEndpoints(false));
  });
  after(() => server.close());

  it('names the part that is not ready', async () => {
    expect((await call(`${server.url}/readyz`)).status).to.equal(200);
    const parts = [
      { name: 'postgres', ok: true },
      { name: 'redis', ok: false, detail: 'connection refused' },
    ];
    const broken = await serve([], { parts });
    const answer = await call(`${broken.url}/readyz`);
    expect(answer.status).to.equal(503);
    expect(answer.body).to.deep.equal({
      success: false,
      message: 'Not ready: redis (connection refused).',
      data: { status: 'unavailable', parts, degraded: [] },
    });
    expect((await call(`${broken.url}/healthz`)).body).to.deep.equal({
      success: true,
      data: { status: 'ok' },
    });
    await broken.close();
  });

  it('counts answers by route', async () => {
    await call(`${server.url}/api/v1/lots/123`);
    await call(`${server.url}/api/v1/lots/x`);
    const { text, headers } = await call(`${server.url}/metrics`);
    expect(headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect(text).to.match(
      /http_requests_total\{method="GET",route="\/api\/v1\/lots\/\{lot\}",status="200"\} 1/,
    );
    expect(text).to.match(
      /http_requests_total\{method="GET",route="\/api\/v1\/lots\/\{lot\}",status="404"\} 1/,
    );
    expect(text).to.match(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/lots\/\{lot\}"\} 2/,
    );
    expect(text).to.match(/http_request_duration_seconds_bucket\{le="\+Inf",.*\} 2/);
  });

  it('compresses what is worth it, and never streams', async () => {
    const large = await call(`${server.url}/api/v1/large`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(large.headers.get('content-encoding')).to.equal('gzip');
    expect(large.body).to.have.property('data').that.has.length(5000);
    const small = await call(`${server.url}/api/v1/lots/7`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(small.headers.get('content-encoding')).to.equal(null);
    const aborter = new AbortController();
    const stream = await fetch(`${server.url}/api/v1/stream`, {
      headers: { 'Accept-Encoding': 'gzip' },
      signal: aborter.signal,
    });
    expect(stream.headers.get('content-encoding')).to.equal(null);
    aborter.abort();
  });

  it('compresses as the caller accepts it, and hot answers not at all', async () => {
    const sent =
      (at: string) =>
      async (accepted: string, method = 'GET') => {
        const { headers, body } = await call(`${at}/api/v1/large`, {
          method,
          headers: { 'Accept-Encoding': accepted },
        });
        if (method === 'GET') expect(body, accepted).to.have.property('data').that.has.length(5000);
        expect(headers.get('vary'), accepted).to.contain('Accept-Encoding');
        return headers.get('content-encoding');
      };
    const ordinary = await serve(testEndpoints(false));
    const said = sent(ordinary.url);
    expect(await said('br;q=0.5, gzip;q=0.1')).to.equal('br');
    expect(await said('deflate')).to.equal('deflate');
    for (const accepted of ['*', 'gzip, deflate']) expect(await said(accepted), accepted).to.equal('gzip');
    for (const accepted of ['identity', 'gzip;q=0', 'unheard-of']) {
      expect(await said(accepted), accepted).to.equal(null);
    }
    expect(await said('gzip', 'HEAD')).to.equal(null);
    await ordinary.close();
    const hot = await serve(testEndpoints(true));
    expect(await sent(hot.url)('gzip')).to.equal(null);
    await hot.close();
  });

  it('passes on the exact bytes of a webhook', async () => {
    const text = '{ "a" : "é" }';
    const answer = await call(`${server.url}/webhooks/payment`, {
      text,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(answer.body).to.have.nested.property('data.bytes', Buffer.byteLength(text));
  });

  it('takes uploads, and refuses what is wrong with them', async () => {
    const send = async (fields: Record<string, string>, size: number | null, name = 'file') => {
      const form = new FormData();
      for (const [key, value] of Object.entries(fields)) form.append(key, value);
      if (size !== null) form.append(name, new Blob([new Uint8Array(size)]), 'a.jpg');
      const response = await fetch(`${server.url}/api/v1/media`, { method: 'POST', body: form });
      return [response.status, (await response.json()) as unknown] as const;
    };
    const before = await uploads();
    expect(await send({ model_id: '5' }, 1500)).to.deep.equal([
      201,
      { success: true, data: { id: 5, size: 1500 } },
    ]);
    const [large, body] = await send({ model_id: '5' }, 5000);
    expect([large, (body as { code: string }).code]).to.deep.equal([413, 'file_too_large']);
    for (const [fields, name] of [
      [{ model_id: 'x' }, 'file'],
      [{ model_id: '5', other: '1' }, 'file'],
      [{ model_id: '5' }, 'other'],
      [{}, 'file'],
    ] as [Record<string, string>, string][]) {
      expect((await send(fields, 10, name))[0]).to.equal(422);
    }
    expect((await call(`${server.url}/api/v1/media`, { json: {} })).status).to.equal(415);
    expect(await uploads()).to.deep.equal(before);
  });
});

/** The answer on a connection of the agent's. */
function requestBy(
  agent: Agent,
  url: string,
  method = 'GET',
): Promise<{ status: number | undefined; connection: unknown }> {
  const asked = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' };
  const headers = method === 'OPTIONS' ? asked : {};
  return new Promise((resolve, reject) => {
    request(url, { agent, method, headers }, (answer) => {
      const { statusCode: status, headers: given } = answer.resume();
      answer.once('end', () => resolve({ status, connection: given.connection }));
    })
      .once('error', reject)
      .end();
  });
}

/** Whether a port takes connections. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}

for (const hot of [true, false]) {
  describe(`stopping, with ${hot ? 'hot' : 'ordinary'} routes`, () => {
    it('answers what is in flight, ends streams, and takes nothing new', async () => {
      const server = await serve(testEndpoints(hot));
      const stream = await fetch(`${server.url}/api/v1/stream`);
      const slow = Array.from({ length: 20 }, () => call(`${server.url}/api/v1/slow`));
      await sleep(400);
      const began = performance.now();
      const closed = server.close();
      await sleep(20);
      const late = await call(`${server.url}/healthz`).then(
        () => 'answered',
        () => 'refused',
      );
      expect(late).to.equal('refused');
      expect((await Promise.all(slow)).map(({ status }) => status)).to.deep.equal(new Array(20).fill(200));
      // Its client comes back before a second is over, and not at the same moment as all others.
      expect(await stream.text()).to.match(/^retry: [1-4]\d\d\ndata: 1\n\n$/);
      await closed;
      expect(performance.now() - began).to.be.below(1500 * slowness());
    });

    it('is bounded if a client does not finish', async () => {
      const server = await serve(testEndpoints(hot), { graceMs: 300 });
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        'POST /api/v1/lots/7/bids HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
      );
      await sleep(50);
      const began = performance.now();
      await server.close();
      expect(performance.now() - began).to.be.within(200, 1500);
      expect(server.logged).to.deep.equal([]);
    });

    it('answers requests on kept and on new connections, and asks to close them at the end', async () => {
      const server = await serve(testEndpoints(hot), { drain: { listenMs: 600, silentMs: 3_000 } });
      const kept = new Agent({ keepAlive: true, maxSockets: 1 });
      const began = performance.now();
      expect((await requestBy(kept, `${server.url}/api/v1/lots/7`)).connection).to.equal('keep-alive');
      const closed = server.close();
      await sleep(50);
      const preflighting = new Agent({ keepAlive: true, maxSockets: 1 });
      const agents = [kept, new Agent({ keepAlive: true, maxSockets: 1 }), preflighting];
      // Who was asked to close would come back on a new connection.
      for (const agent of agents)
        expect(await requestBy(agent, `${server.url}/api/v1/lots/7`)).to.deep.equal({
          status: 200,
          connection: 'keep-alive',
        });
      const ready = await call(`${server.url}/readyz`, { headers: { connection: 'close' } });
      expect(ready.status).to.equal(503);
      expect(ready.body).to.include({ message: 'Not ready: process (it is stopping).' });
      while (await isTaken(server.port)) await sleep(20);
      for (const agent of agents)
        expect(
          await requestBy(agent, `${server.url}/api/v1/lots/7`, agent === preflighting ? 'OPTIONS' : 'GET'),
        ).to.include({ connection: 'close' });
      await closed;
      // No connection is kept, so there is nothing to wait for.
      expect(performance.now() - began).to.be.within(600, 2_500);
    });

    it('keeps connections that say nothing until the time that is left to them is over', async () => {
      const server = await serve(testEndpoints(hot), { drain: { listenMs: 100, silentMs: 900 } });
      const opened = connect(server.port, '127.0.0.1');
      opened.on('error', () => undefined);
      const kept = new Agent({ keepAlive: true, maxSockets: 1 });
      await requestBy(kept, `${server.url}/api/v1/lots/7`);
      const began = performance.now();
      const closed = server.close();
      await sleep(800);
      expect((await requestBy(kept, `${server.url}/api/v1/lots/7`)).status).to.equal(200);
      await closed;
      expect(performance.now() - began).to.be.within(1_000, 2_000);
    });

    it('resets nobody whose connection waits to be taken in', async () => {
      const server = await serve(testEndpoints(hot), { drain: { listenMs: 0, silentMs: 500 } });
      const calls = Array.from({ length: 50 }, () =>
        requestBy(new Agent(), `${server.url}/api/v1/lots/7`).then(
          ({ status }) => status,
          ({ code }) => code,
        ),
      );
      // Their handshakes are done by the system; none of them has been taken in.
      await sleep(1);
      const wait = performance.now() + 50;
      while (performance.now() < wait);
      await server.close();
      const answers = new Set(await Promise.all(calls));
      expect([...answers].filter((answer) => answer !== 200 && answer !== 'ECONNREFUSED')).to.deep.equal([]);
    });

    it('serves streams for as long as it takes new connections', async () => {
      const server = await serve(testEndpoints(hot), { drain: { listenMs: 400, silentMs: 0 } });
      const closed = server.close();
      const began = performance.now();
      const stream = await fetch(`${server.url}/api/v1/stream`);
      await stream.text();
      expect(performance.now() - began).to.be.within(300, 1_500);
      await closed;
    });

    it('does not wait for connections that were opened in advance', async () => {
      const server = await serve(testEndpoints(hot), { graceMs: 5_000 });
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await sleep(50);
      const began = performance.now();
      await server.close();
      expect(performance.now() - began).to.be.below(1000 * slowness());
    });

    it('drops a stream whose client is gone', async () => {
      const server = await serve(testEndpoints(hot), { graceMs: 5_000 });
      const aborter = new AbortController();
      const stream = await fetch(`${server.url}/api/v1/stream`, { signal: aborter.signal });
      expect(stream.headers.get('content-type')).to.equal('text/event-stream');
      aborter.abort();
      await sleep(50);
      const began = performance.now();
      await server.close();
      expect(performance.now() - began).to.be.below(1000 * slowness());
    });
  });
}
