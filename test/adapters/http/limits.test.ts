import { fileURLToPath } from 'node:url';
import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { originReader } from '../../../adapters/http/client-address.ts';
import { endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import type { RateLimiter } from '../../../adapters/http/rate-limit.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { type OpenLink, openLink } from '../../../adapters/redis/link.ts';
import { RedisRateLimiter } from '../../../adapters/redis/redis-rate-limit.ts';
import { sharedServers } from '../../support/servers.ts';
import { type Answer, call, type Running, serve } from './server-fixture.ts';
import { principal, testEndpoints } from './test-endpoints.ts';

const scripts = fileURLToPath(new URL('../../../adapters/redis/', import.meta.url));
const LIMIT = 5;

describe('the request limit over HTTP', () => {
  const links: OpenLink[] = [];
  let servers: Running[] = [];
  let serial = 0;

  before(async () => {
    const { redisUrl } = await sharedServers();
    links.push(await openLink(redisUrl), await openLink(redisUrl));
  });

  // Two web processes in all but name, with counters that no other test has touched.
  beforeEach(async () => {
    const prefix = `test${process.pid}-${serial++}`;
    servers = await Promise.all(
      links.map(({ link }, at) =>
        serve(testEndpoints(at === 0), {
          rateLimiter: new RedisRateLimiter(link, { scripts, prefix }),
          rateLimitPerMinute: LIMIT,
        }),
      ),
    );
  });

  afterEach(() => Promise.all(servers.map((server) => server.close())));
  after(() => {
    for (const { link } of links) link.destroy();
  });

  const get = (at: number, path: string, token?: string): Promise<Answer> =>
    call(servers[at % 2]!.url + path, { token });

  it('is exact over processes, and says so in its headers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => get(at, '/api/v1/lots/7', 'reader')),
    );
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken).to.have.length(LIMIT);
    const left = taken.map(({ headers }) => Number(headers.get('x-ratelimit-remaining'))).sort();
    expect(left).to.deep.equal([0, 1, 2, 3, 4]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).to.deep.equal({
      success: false,
      message: 'Too many requests.',
      code: 'rate_limited',
    });
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(refused.headers.get('x-ratelimit-limit')).to.equal(String(LIMIT));
    expect(refused.headers.get('x-ratelimit-remaining')).to.equal('0');
    expect(Number(refused.headers.get('x-ratelimit-reset'))).to.be.within(
      Date.now() / 1000,
      Date.now() / 1000 + 61,
    );
  });

  it('counts users apart from each other and from the address', async () => {
    for (let at = 0; at < LIMIT; at += 1) await get(at, '/api/v1/lots/7', 'reader');
    expect((await get(0, '/api/v1/lots/7', 'reader')).status).to.equal(429);
    expect((await get(0, '/api/v1/lots/7', 'writer')).status).to.equal(200);
    expect((await get(0, '/api/v1/lots/7')).headers.get('x-ratelimit-remaining')).to.equal(String(LIMIT - 1));
  });

  it('counts wrong tokens, unknown paths and wrong methods to the address', async () => {
    expect((await get(0, '/api/v1/me', 'wrong')).headers.get('x-ratelimit-remaining')).to.equal('4');
    expect((await get(1, '/api/v1/me')).headers.get('x-ratelimit-remaining')).to.equal('3');
    expect((await get(0, '/api/v1/nope')).headers.get('x-ratelimit-remaining')).to.equal('2');
    const patch = await call(`${servers[0]!.url}/api/v1/lots`, { method: 'PATCH' });
    expect([patch.status, patch.headers.get('x-ratelimit-remaining')]).to.deep.equal([405, '1']);
    expect((await get(1, '/api/v1/lots/x')).headers.get('x-ratelimit-remaining')).to.equal('0');
    expect((await get(0, '/api/v1/lots/7')).status).to.equal(429);
    // 401 comes before 429 where both apply.
    expect((await get(0, '/api/v1/me', 'wrong')).status).to.equal(401);
  });

  it('comes before the ability and the body', async () => {
    const bid = () =>
      call(`${servers[0]!.url}/api/v1/lots/7/bids`, { token: 'reader', text: '{', method: 'POST' });
    for (let at = 0; at < LIMIT; at += 1) expect((await bid()).status).to.equal(403);
    expect((await bid()).status).to.equal(429);
  });

  it('does not count webhooks, health, metrics and the description', async () => {
    for (let at = 0; at < LIMIT + 2; at += 1) {
      for (const path of ['/healthz', '/readyz', '/metrics', '/docs/api/openapi.json', '/nope']) {
        const answer = await get(at, path);
        expect(answer.status).to.equal(path === '/nope' ? 404 : 200);
        // What is not there counts as a page.
        expect(answer.headers.get('x-ratelimit-limit')).to.equal(path === '/nope' ? '300' : null);
      }
      const hook = await call(`${servers[0]!.url}/webhooks/payment`, { json: { a: 1 } });
      expect([hook.status, hook.headers.get('x-ratelimit-limit')]).to.deep.equal([200, null]);
    }
    expect((await get(0, '/api/v1/lots/7')).headers.get('x-ratelimit-remaining')).to.equal(String(LIMIT - 1));
  });
});

describe('the request limit of pages', () => {
  const page = endpoint({
    method: 'GET',
    path: '/catalog',
    operationId: 'catalogPage',
    summary: 'A page',
    tags: ['Pages'],
    access: { kind: 'public', session: true },
    page: true,
    query: Type.Object({ page: Type.Integer({ minimum: 1, default: 1 }) }),
    responses: { 200: { description: 'The page.', contentType: 'text/html' } },
    handle: async ({ query, principal: who }) => success({ page: query.page, who: who?.userId ?? null }),
  });
  const stream = endpoint({
    method: 'GET',
    path: '/api/v1/lots/{lot}/live',
    operationId: 'liveLot',
    summary: 'What a page opens',
    tags: ['Bidding'],
    access: { kind: 'public', session: 'optional' },
    responses: { 200: { description: 'The lot.' } },
    handle: async ({ principal: who }) => success(who?.userId ?? null),
  });
  let link: OpenLink;
  let server: Running;
  let storeAnswers = true;
  let serial = 0;
  before(async () => {
    link = await openLink((await sharedServers()).redisUrl);
  });
  after(() => link.link.destroy());
  beforeEach(async () => {
    const load = async ({ headers }: { headers: { cookie?: string } }) => {
      if (!storeAnswers) throw Object.assign(new Error('redis'), { status: 503 });
      const userId = Number(/^sid=(\d+)/.exec(headers.cookie ?? '')?.[1] ?? 0);
      const who = userId === 0 ? null : principal(userId, [], { via: 'session' });
      return { id: String(headers.cookie), csrfToken: 'x', principal: who };
    };
    server = await serve([page, stream], {
      sessions: { load },
      rateLimiter: new RedisRateLimiter(link.link, { scripts, prefix: `pages${process.pid}-${serial++}` }),
      rateLimitPerMinute: LIMIT,
    });
  });
  afterEach(() => server.close());
  const statuses = async (count: number, path: string, cookie = '') => {
    const headers: Record<string, string> = cookie === '' ? {} : { Cookie: cookie };
    const byStatus: Record<number, number> = {};
    // A few at once: a busy machine must not make the shared counter late.
    for (let left = count; left > 0; left -= 20) {
      const requests = Array.from({ length: Math.min(20, left) }, () => call(server.url + path, { headers }));
      for (const { status } of await Promise.all(requests)) byStatus[status] = (byStatus[status] ?? 0) + 1;
    }
    return byStatus;
  };

  it('is 300 a minute for each session that is signed in, and for each address', async () => {
    expect(await statuses(302, '/catalog')).to.deep.equal({ 200: 300, 429: 2 });
    // Visitors' cookies cost nothing, so they count to the address; so does what is not there.
    expect(await statuses(1, '/catalog', 'visitor=1')).to.deep.equal({ 429: 1 });
    expect(await statuses(1, '/nothing')).to.deep.equal({ 429: 1 });
    expect(await statuses(1, '/catalog', 'sid=7')).to.deep.equal({ 200: 1 });
    expect(await statuses(302, '/catalog', 'sid=8')).to.deep.equal({ 200: 300, 429: 2 });
    expect(await statuses(LIMIT, '/api/v1/lots/7/live')).to.deep.equal({ 200: LIMIT });
  });

  it('counts what a page opens to the user of its session, as the API does', async () => {
    expect(await statuses(LIMIT + 1, '/api/v1/lots/7/live', 'sid=7')).to.deep.equal({ 200: LIMIT, 429: 1 });
    expect(await statuses(1, '/api/v1/lots/7/live', 'sid=7;other')).to.deep.equal({ 429: 1 });
    expect(await statuses(1, '/api/v1/lots/7/live')).to.deep.equal({ 200: 1 });
    storeAnswers = false;
    expect(await statuses(1, '/api/v1/lots/7/live', 'sid=9')).to.deep.equal({ 200: 1 });
    expect(await statuses(1, '/catalog', 'sid=9')).to.deep.equal({ 503: 1 });
    storeAnswers = true;
  });

  it('is on pages that ignore tracking parameters, which the API refuses', async () => {
    const answer = await call(
      `${server.url}/catalog?utm_source=a&utm_source=b&fbclid=%ff&page=2&__proto__=1`,
    );
    expect(answer.body).to.deep.equal({ success: true, data: { page: 2, who: null } });
    expect(await statuses(1, '/catalog?page=0&utm_source=a')).to.deep.equal({ 422: 1 });
    expect(await statuses(1, '/api/v1/lots/7/live?utm_source=a')).to.deep.equal({ 422: 1 });
  });
});

describe('the request limit without Redis', () => {
  const unavailable: RateLimiter = { take: () => Promise.reject(new Error('unavailable')) };

  it('bounds each process, without the headers', async () => {
    const server = await serve(testEndpoints(true), { rateLimiter: unavailable, rateLimitPerMinute: 3 });
    const answers: Answer[] = [];
    for (let at = 0; at < 5; at += 1) answers.push(await call(`${server.url}/api/v1/lots/7`));
    await server.close();
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429, 429]);
    for (const { headers } of answers) expect(headers.get('x-ratelimit-limit')).to.equal(null);
    expect(answers[4]!.headers.get('retry-after')).to.equal('60');
  });

  it('is off at 0', async () => {
    const server = await serve(testEndpoints(true), { rateLimiter: unavailable, rateLimitPerMinute: 0 });
    for (let at = 0; at < 5; at += 1)
      expect((await call(`${server.url}/api/v1/lots/7`)).status).to.equal(200);
    await server.close();
  });
});

describe('whose limit a request counts against', () => {
  const ipOf = (trusted: string[], peer: string, forwarded?: string): string =>
    originReader(trusted).ip({
      socket: { remoteAddress: peer },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as never);

  it('is the address of the connection unless a trusted proxy says otherwise', () => {
    expect(ipOf([], '192.0.2.1', '6.6.6.6')).to.equal('192.0.2.1');
    expect(ipOf(['10.0.0.0/8'], '192.0.2.1', '6.6.6.6')).to.equal('192.0.2.1');
    expect(ipOf(['10.0.0.0/8'], '10.1.2.3', '6.6.6.6')).to.equal('6.6.6.6');
    expect(ipOf(['10.0.0.0/8'], '::ffff:10.1.2.3', '6.6.6.6')).to.equal('6.6.6.6');
    expect(ipOf(['10.0.0.0/8'], '10.1.2.3')).to.equal('10.1.2.3');
  });

  it('is read from the right, so that what a caller puts in front gains nothing', () => {
    const trusted = ['10.0.0.1', '10.0.0.2', '2001:db8::/32'];
    expect(ipOf(trusted, '10.0.0.1', '1.1.1.1, 6.6.6.6')).to.equal('6.6.6.6');
    expect(ipOf(trusted, '10.0.0.1', '1.1.1.1, 6.6.6.6, 10.0.0.2')).to.equal('6.6.6.6');
    expect(ipOf(trusted, '2001:db8::5', '1.1.1.1,6.6.6.6,10.0.0.2 ')).to.equal('6.6.6.6');
    expect(ipOf(trusted, '10.0.0.1', '1.1.1.1, nonsense')).to.equal('10.0.0.1');
    expect(ipOf(trusted, '10.0.0.1', '10.0.0.2')).to.equal('10.0.0.2');
  });

  it('refuses a list of proxies that is none', () => {
    expect(() => originReader(['proxy.example'])).to.throw('proxy.example');
  });

  it('is a /64 of IPv6', () => {
    expect(rateKey(null, '2001:db8:1:2:aaaa::1')).to.equal(rateKey(null, '2001:db8:1:2::ffff'));
    expect(rateKey(null, '2001:db8:1:2::1')).not.to.equal(rateKey(null, '2001:db8:1:3::1'));
    expect(rateKey(7, '192.0.2.1')).to.equal('u:7');
    expect(rateKey(null, '192.0.2.1')).to.equal('ip:192.0.2.1');
  });
});
