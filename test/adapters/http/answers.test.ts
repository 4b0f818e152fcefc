import { request } from 'node:http';
import { expect } from 'chai';
import { call, type Running, raw, serve } from './server-fixture.ts';
import { testEndpoints } from './test-endpoints.ts';

for (const hot of [true, false]) {
  describe(`answers of ${hot ? 'hot' : 'ordinary'} routes`, () => {
    let server: Running;
    before(async () => {
      server = await serve(testEndpoints(hot));
    });
    after(() => server.close());

    it('asks for a token, then for the ability, and lets admins pass', async () => {
      const bid = (token?: string) =>
        call(`${server.url}/api/v1/lots/7/bids`, { token, json: { amount: '1.00' } });
      const nobody = await bid();
      expect([nobody.status, nobody.body]).to.deep.equal([
        401,
        { success: false, message: 'A valid token is required.', code: 'unauthenticated' },
      ]);
      expect(nobody.headers.get('www-authenticate')).to.equal('Bearer');
      expect((await bid('wrong')).status).to.equal(401);
      const reader = await bid('reader');
      expect(reader.status).to.equal(403);
      expect(reader.body).to.deep.include({ code: 'missing_ability', data: { required: 'write' } });
      expect((await bid('writer')).body).to.deep.equal({
        success: true,
        data: { lot: 7, amount: '1.00', user: 2 },
      });
      expect((await bid('admin')).status).to.equal(201);
      expect((await call(`${server.url}/api/v1/me`, { token: 'nothing' })).body).to.deep.equal({
        success: true,
        data: [{ id: 4 }],
        meta: { current_page: 1, last_page: 1, per_page: 15, total: 1 },
      });
    });

    it('knows the caller on public rows, and answers a wrong token there with 401', async () => {
      const lot = (headers: Record<string, string>) => call(`${server.url}/api/v1/lots/7`, { headers });
      expect((await lot({})).body).to.have.nested.property('data.viewer', null);
      expect((await lot({ Authorization: 'bearer reader' })).body).to.have.nested.property('data.viewer', 1);
      for (const value of [
        'Bearer wrong',
        'Bearer',
        'Basic cmVhZGVy',
        'reader',
        'Bearer reader x',
        'Bearer __proto__',
      ]) {
        expect((await lot({ Authorization: value })).status, value).to.equal(401);
      }
    });

    it('answers in the order 401, 403, 404, 415, 422', async () => {
      const send = (path: string, token: string, type: string) =>
        call(server.url + path, { token, text: '{"x":1}', headers: { 'Content-Type': type } });
      const statuses = [
        await send('/api/v1/lots/x/bids', 'wrong', 'text/plain'),
        await send('/api/v1/lots/x/bids', 'reader', 'text/plain'),
        await send('/api/v1/lots/x/bids', 'writer', 'text/plain'),
        await send('/api/v1/lots/404/bids', 'writer', 'text/plain'),
        await send('/api/v1/lots/404/bids', 'writer', 'application/json'),
      ].map((answer) => answer.status);
      expect(statuses).to.deep.equal([401, 403, 404, 415, 422]);
    });

    it('formats refusals, faults and bugs, and reveals nothing about a bug', async () => {
      const bid = (lot: number) =>
        call(`${server.url}/api/v1/lots/${lot}/bids`, { token: 'writer', json: { amount: '1' } });
      expect((await bid(404)).body).to.deep.equal({ success: false, message: 'Not found.' });
      const closed = await bid(409);
      expect(closed.status).to.equal(409);
      expect(closed.body).to.deep.include({ code: 'lot_closed', data: { current_bid: '1.00' } });
      const unavailable = await bid(503);
      expect(unavailable.status).to.equal(503);
      expect(unavailable.body).to.include({ code: 'journal_unavailable' });
      expect(unavailable.headers.get('retry-after')).to.equal('1');
      const bug = await bid(500);
      expect([bug.status, bug.body]).to.deep.equal([
        500,
        { success: false, message: 'Something went wrong on our side.' },
      ]);
      expect(bug.text).not.to.include('secret');
      expect(server.logged.at(-1)?.fields).to.include({ requestId: bug.headers.get('x-request-id') });
    });

    it('keeps a request id that is visible ASCII, and makes one otherwise', async () => {
      const idFor = async (id: string) =>
        (await call(`${server.url}/api/v1/lots/7`, { headers: { 'X-Request-Id': id } })).headers.get(
          'x-request-id',
        );
      expect(await idFor('abc-1!~')).to.equal('abc-1!~');
      expect(await idFor('x'.repeat(128))).to.equal('x'.repeat(128));
      for (const id of ['x'.repeat(129), 'a b', 'é', ''])
        expect(await idFor(id), id).to.match(/^[0-9a-f-]{36}$/);
      for (const path of ['/nope', '/healthz', '/api/v1/lots/x']) {
        expect((await call(server.url + path)).headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      }
    });

    it('tags reads and answers 304 without a body', async () => {
      const url = `${server.url}/api/v1/lots/7`;
      const first = await call(url);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).to.match(/^W\/".+"$/);
      for (const sent of [etag, `"other", ${etag}`, '*', etag.slice(2)]) {
        const again = await call(url, { headers: { 'If-None-Match': sent } });
        expect([again.status, again.text, again.headers.get('etag')], sent).to.deep.equal([304, '', etag]);
      }
      expect((await call(url, { headers: { 'If-None-Match': '"other"' } })).status).to.equal(200);
      expect((await call(url, { token: 'reader', headers: { 'If-None-Match': etag } })).status).to.equal(200);
      expect((await call(`${server.url}/api/v1/lots/x`)).headers.get('etag')).to.equal(null);
    });

    it('answers HEAD like GET without a body', async () => {
      const head = await call(`${server.url}/api/v1/lots/7`, { method: 'HEAD' });
      const get = await call(`${server.url}/api/v1/lots/7`);
      expect([head.status, head.text]).to.deep.equal([200, '']);
      for (const name of ['content-length', 'content-type', 'etag']) {
        expect(head.headers.get(name), name).to.equal(get.headers.get(name));
      }
      expect((await call(`${server.url}/api/v1/stream`, { method: 'HEAD' })).status).to.equal(200);
    });

    it('answers a known path with another method with 405 and Allow', async () => {
      const answer = await call(`${server.url}/api/v1/lots`, { method: 'PATCH' });
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
      expect(answer.body).to.deep.equal({ success: false, message: 'This path does not support PATCH.' });
      const options = await call(`${server.url}/api/v1/lots/7/bids`, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'OPTIONS, POST']);
      expect((await call(`${server.url}/api/v1/lots/geojson`)).headers.get('content-type')).to.equal(
        'application/geo+json',
      );
    });

    it('answers a target in absolute form as the path that it names, of the host that it names', async () => {
      const answerTo = (target: string) =>
        raw(server.port, `GET ${target} HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n`);
      const page = await answerTo('http://auctions.test:8080/api/v1/lots?per_page=5');
      expect(page).to.match(/^HTTP\/1\.1 200 /);
      expect(page).to.include('"next_page_url":"http://auctions.test:8080/api/v1/lots?per_page=5&page=2"');
      expect(await answerTo('HTTPS://auctions.test/api/v1/lots/7')).to.match(/^HTTP\/1\.1 200 /);
      for (const target of ['http://auctions.test', 'http://auctions.test/nothing']) {
        expect(await answerTo(target), target).to.match(/^HTTP\/1\.1 404 /);
      }
    });

    it('answers unknown paths with 404', async () => {
      for (const path of [
        '/',
        '/api',
        '/api/v1/lots/',
        '/api/v1//lots',
        '/API/v1/lots',
        '/api/v1/lots/7/bids/8',
        '//x',
      ]) {
        const answer = await call(server.url + path);
        expect([answer.status, answer.body], path).to.deep.equal([
          404,
          { success: false, message: 'Not found.' },
        ]);
      }
      expect((await call(`${server.url}/api/v1/nope`, { token: 'wrong' })).status).to.equal(401);
    });

    it('lets pages of other origins read, and guards browsers', async () => {
      const answer = await call(`${server.url}/api/v1/lots/7`, {
        headers: { Origin: 'https://example.com' },
      });
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      expect(answer.headers.get('access-control-expose-headers')).to.include('X-RateLimit-Remaining');
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(answer.headers.get('content-security-policy')).to.include("default-src 'self'");
      expect(answer.headers.get('x-powered-by')).to.equal(null);
      const preflight = await call(`${server.url}/api/v1/lots/7/bids`, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://example.com',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization',
        },
      });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers.get('access-control-allow-methods')).to.include('POST');
      expect(preflight.headers.get('access-control-allow-headers')).to.equal('authorization');
      expect(preflight.headers.get('x-request-id')).to.be.a('string');
    });

    it('keeps a connection open over refusals with unread bodies', async () => {
      const { Agent } = await import('node:http');
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const send = (token: string) =>
        new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
          const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
          const outgoing = request(
            `${server.url}/api/v1/lots/7/bids`,
            { method: 'POST', agent, headers },
            (response) => {
              const port = response.socket.localPort;
              response.resume().on('end', () => resolve({ status: response.statusCode, port }));
            },
          );
          outgoing.on('error', reject);
          outgoing.end(JSON.stringify({ amount: '1.00', note: 'x'.repeat(20) }));
        });
      const answers = [await send('wrong'), await send('reader'), await send('writer')];
      expect(answers.map(({ status }) => status)).to.deep.equal([401, 403, 201]);
      expect(new Set(answers.map(({ port }) => port)).size).to.equal(1);
      agent.destroy();
    });
  });
}

describe('hot and ordinary answers', () => {
  it('have the same headers', async () => {
    const namesOf = async (hot: boolean) => {
      const server = await serve(testEndpoints(hot));
      const answer = await call(`${server.url}/api/v1/lots/7`);
      await server.close();
      const { date: _, 'x-request-id': __, vary, ...rest } = Object.fromEntries(answer.headers);
      return { ...rest, vary: String(vary).replace(', Accept-Encoding', '') };
    };
    expect(await namesOf(true)).to.deep.equal(await namesOf(false));
  });
});
