/**
 * Browsers are always answered with a page: on every path outside the API, with every method, for every refusal, and
 * with each part of the service unavailable. The paths come from what the service itself serves.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';
import { type Service, startService } from '../../support/service.ts';
import { openWire, type Wire } from '../../support/wire.ts';

const AT_ONCE = 10;
const PASSWORD = 'a long enough password';
const CHROME = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
};
/** What programs alone ask for; printed invoices and credit notes lie among it, but are pages. */
const OF_PROGRAMS = /^\/(api|webhooks|metrics|healthz|readyz|\.well-known)(\/|$)|^\/docs\/api\/\w+\.json$/;
const DOCUMENTS = ['/api/v1/invoices/{id}/document', '/api/v1/credit-notes/{number}/document'];

interface Case {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | string;
}

function pathsOf(service: Service): Endpoint[] {
  return service.web.app.endpoints.filter(({ path }) => DOCUMENTS.includes(path) || !OF_PROGRAMS.test(path));
}

/** Each path with ids that are there, that are not, and that cannot be; with a query that fits nothing. */
function readsOf(service: Service): Case[] {
  const badly = `page=0&page=x&search=%00&bid=${'x'.repeat(99)}`;
  const filled = pathsOf(service).flatMap(({ path, method }) => {
    const withId = (id: string) => path.replaceAll(/\{[^}]+\}/g, id);
    const ids = path.includes('{') ? ['1', 'x', '%00'] : ['1'];
    return [...ids.map(withId), ...(method === 'GET' ? [`${withId('1')}?${badly}`] : [])];
  });
  const odd = [
    '/nowhere',
    '/lots/',
    '//',
    '/%',
    '/%E0%A4%A',
    '/..%2f..%2fetc',
    '/assets/none.css',
    '/docs/none',
  ];
  return [...new Set([...filled, ...odd])].map((path) => ({ method: 'GET', path }));
}

function writesOf(service: Service, csrf: string): Case[] {
  const form = (fields: Record<string, string>) => new URLSearchParams({ _csrf: csrf, ...fields });
  const json = { 'content-type': 'application/json' };
  const forms = pathsOf(service).filter(({ method }) => method === 'POST');
  return forms.flatMap(({ path }, at) => {
    const plain = path.replaceAll(/\{[^}]+\}/g, '1');
    const post = (body: Case['body'], headers = {}): Case => ({ method: 'POST', path: plain, body, headers });
    return [
      post(form({ amount: 'x', answer: 'x', unknown: 'field' })),
      post(form({})),
      post(new URLSearchParams({ _csrf: 'wrong' })),
      post('{"broken', json),
      post('<xml/>', { 'content-type': 'text/xml' }),
      // All forms are read by the same few lines.
      ...(at % 4 === 0 ? [post(form({ name: 'x'.repeat(1_100_000) }))] : []),
      ...['PUT', 'PATCH', 'DELETE'].map((method): Case => ({ method, path: plain })),
    ];
  });
}

describe('a browser is never answered with JSON', () => {
  let database: MigratedDatabase;
  let wire: Wire;
  let service: Service;
  let browser: BrowserLike;

  before(async () => {
    database = await migratedDatabase();
    const url = new URL(database.databaseUrl);
    wire = await openWire(Number(url.port));
    url.port = String(wire.port);
    const env = { PAYMENT_SANDBOX: '1' };
    service = await startService({ env, database: { db: database.db, databaseUrl: url.href } });
    const user = await aUser(database.db, { password_hash: quickHash(PASSWORD) });
    await aLot(database.db, { auction_id: (await anAuction(database.db)).id });
    await service.publish();
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    await browser.get('/');
  });
  after(async () => {
    await service.close();
    await wire.close().catch(() => undefined);
    await database.drop();
  });

  /** What is wrong with the answers: JSON, or a bug. `statuses` gathers what they were. */
  async function wrongWith(who: BrowserLike, cases: readonly Case[], statuses = new Set<number>()) {
    const wrong: string[] = [];
    const send = async ({ method, path, headers, body }: Case) => {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        redirect: 'manual',
        headers: { ...CHROME, cookie: [...who.cookies].map((pair) => pair.join('=')).join('; '), ...headers },
        ...(body === undefined ? {} : { body }),
      });
      statuses.add(answer.status);
      await answer.arrayBuffer();
      const type = answer.headers.get('content-type') ?? '';
      const isFile = answer.status === 200 && /\.json|\.webmanifest/.test(path);
      if ((/json/.test(type) && !isFile) || answer.status === 500) {
        wrong.push(`${method} ${path.slice(0, 80)}: ${answer.status} ${type}`);
      }
      const isSignedIn = who.cookies.get('rostrum.sid')?.startsWith('u') === true;
      if (
        isSignedIn &&
        path !== '/sign-out' &&
        answer.headers.getSetCookie().some((cookie) => cookie.startsWith('rostrum.sid=v'))
      ) {
        wrong.push(`${method} ${path.slice(0, 80)}: ${answer.status} signs the browser out`);
      }
    };
    const sent = cases.filter(({ path }) => !/\/stream(\?|$)/.test(path));
    for (let from = 0; from < sent.length; from += AT_ONCE) {
      await Promise.all(sent.slice(from, from + AT_ONCE).map(send));
    }
    return wrong;
  }

  it('on any path, signed in or not, with ids and queries of every kind', async () => {
    const statuses = new Set<number>();
    for (const who of [browser, new BrowserLike(service.url)]) {
      expect(await wrongWith(who, readsOf(service), statuses)).to.deep.equal([]);
    }
    expect([...statuses]).to.include.members([200, 303, 404, 422]);
  });

  it('with any form, whole, forged, huge or no form at all, and with methods that a path lacks', async () => {
    const statuses = new Set<number>();
    const cases = writesOf(service, browser.csrfToken).filter(({ path }) => path !== '/sign-out');
    expect(await wrongWith(browser, cases, statuses)).to.deep.equal([]);
    expect([...statuses]).to.include.members([303, 403, 404, 405, 413, 415, 422]);
  });

  it('while Postgres or Redis is unavailable', async () => {
    // What a path refuses unread, it refuses alike with and without them.
    const isPlain = ({ method, path, headers, body }: Case) =>
      ['GET', 'POST'].includes(method) &&
      !/[?%]|\/x(\/|$)/.test(path) &&
      headers?.['content-type'] !== 'text/xml' &&
      String(body ?? '').length < 200;
    const cases = [...readsOf(service), ...writesOf(service, browser.csrfToken)].filter(isPlain);
    const statuses = new Set<number>();
    await service.redis.kill();
    expect(await wrongWith(browser, cases, statuses)).to.deep.equal([]);
    await service.redis.restart();
    await wire.close();
    expect(await wrongWith(browser, cases, statuses)).to.deep.equal([]);
    expect([...statuses]).to.include(503);
  });
});

describe('a browser that asks too often', () => {
  it('is informed on a page', async () => {
    const service = await startService({ env: { RATE_LIMIT_PER_MINUTE: '60' } });
    try {
      const visitor = new BrowserLike(service.url, CHROME);
      // A few at a time: if the shared counter does not answer in time, a process counts by itself, from 0.
      const answers: Awaited<ReturnType<typeof visitor.get>>[] = [];
      while (answers.length < 302) {
        const few = Array.from({ length: Math.min(40, 302 - answers.length) }, () => visitor.get('/robots'));
        answers.push(...(await Promise.all(few)));
      }
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).to.have.length(2);
      for (const { headers, text } of refused) {
        expect(headers.get('content-type')).to.match(/^text\/html/);
        expect(headers.get('retry-after')).to.match(/^\d+$/);
        expect(text).to.contain('Too many requests');
      }
    } finally {
      await service.close();
    }
  });
});
