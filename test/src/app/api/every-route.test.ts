/** What holds for every operation of the API alike, over the list that the service itself describes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { aSale } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** They describe the process, not its data. */
const OF_THE_PROCESS = /^\/(metrics|healthz|readyz)$|\/stream$/;

/** The text of every document but the changelog's: what was there once may be gone. */
function documents(): string[] {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const files = [
    'README.md',
    ...pages.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
  ];
  return files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
}

const isOfPages = (path: string) => /^\/(healthz|readyz|metrics|docs|verify|\.well-known)/.test(path);

/** Whether a path as a document writes it, with or without names for its parameters, is that of a route. */
const fits = (route: readonly string[], named: readonly string[]) =>
  route.length === named.length &&
  route.every((part, index) => part === named[index] || part.startsWith('{'));

describe('every route', () => {
  let service: Service;
  let routes: Endpoint[];
  /** Values of path parameters, by the part of the path before them. */
  let known: Record<string, string | number>;
  /** The seller's and the buyer's. */
  const tokens: string[] = [];
  before(async () => {
    service = await startService();
    routes = service.web.app.endpoints.filter(({ undocumented }) => undocumented !== true);
    const seller = await aUser(service.database);
    const team = await aTeam(service.database, { owner: seller });
    const { invoice, lot, auction, buyer } = await aSale(service, 5_000, { team_id: team.id });
    await service.publish();
    for (const user of [seller, buyer])
      tokens.push(await service.tokenFor(user, ['read', 'write', 'seller']));
    known = { lots: lot.id, auctions: auction.id, invoices: invoice.id, teams: team.id };
  });
  after(() => service.close());

  const placed = (path: string) =>
    path.replaceAll(/\/([^/]+)\/\{[^}]+\}/g, (_, before: string) => `/${before}/${known[before] ?? 1}`);

  it('is 405 with Allow for a method that it does not have', async () => {
    const paths = [...new Set(routes.map(({ path }) => path))];
    const wrong: string[] = [];
    for (const path of paths) {
      const has = routes.filter((route) => route.path === path).map(({ method }) => String(method));
      for (const method of [...METHODS, 'PROPFIND'].filter((one) => !has.includes(one))) {
        const answer = await service.call(method, placed(path), { token: tokens[0] });
        const allowed = answer.headers.get('allow')?.split(', ') ?? [];
        if (answer.status !== 405 || !has.every((one) => allowed.includes(one)))
          wrong.push(`${method} ${path}: ${answer.status} ${allowed.join()}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('that a document names is there', () => {
    const named = documents().flatMap((text) => [
      ...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s?]*)/g),
    ]);
    expect(named.length).to.be.greaterThan(20);
    const missing = named.filter(([, method, path = '']) => {
      const parts = (
        path.startsWith('/api/') || path.startsWith('/webhooks') || isOfPages(path) ? path : `/api/v1${path}`
      ).split('/');
      return !routes.some((route) => route.method === method && fits(route.path.split('/'), parts));
    });
    expect(missing.map(([whole]) => whole)).to.deep.equal([]);
  });

  /** Values for a query or a path that mean nothing, or nothing that is there. */
  const NONSENSE = ['0', '-1', '1.5', '1e3', 'NaN', '%00', '9007199254740993', '1e400', `${'9'.repeat(300)}`];

  it('accepts no invalid page, size, cursor or limit, and says which', async () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const fields = Object.keys(route.query?.properties ?? {}).filter((name) =>
        /^(page|per_page|limit|after|before|cursor)$/.test(name),
      );
      for (const field of fields) {
        for (const value of [...NONSENSE, '', ...(field === 'per_page' ? ['101'] : [])]) {
          const { status, body } = await service.get(`${placed(route.path)}?${field}=${value}`, tokens[0]);
          const refused =
            status === 422 && body.code === 'validation_failed' && body.errors[field] !== undefined;
          // A cursor may be before the first; a page for people ignores what it does not understand.
          const isBefore = field === 'after' && (value === '0' || value === '');
          const taken = status === 200 && (isBefore || route.page === true);
          tried += 1;
          if (!refused && !taken) wrong.push(`${route.path}?${field}=${value.slice(0, 20)}: ${status}`);
        }
      }
    }
    expect(wrong).to.deep.equal([]);
    expect(tried).to.be.above(200);
  });

  it('accepts no impossible id', async () => {
    const wrong: string[] = [];
    const ids = /\{[a-z_]*(id|lot|auction|team|media|invoice|bid)\}/;
    for (const { method, path } of routes.filter((route) => ids.test(route.path))) {
      const body = method === 'GET' ? {} : { body: {} };
      const tries = ['0', '-1', '%00', '9007199254740993'].map(async (value) => {
        const to = path.replaceAll(/\{[^}]+\}/g, value);
        const { status } = await service.call(method, to, { token: tokens[0], ...body });
        if (![401, 403, 404].includes(status)) wrong.push(`${method} ${to}: ${status}`);
      });
      await Promise.all(tries);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('that reads answers 304 to who has seen the answer', async () => {
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const { method, path } of routes) {
      if (method !== 'GET' || OF_THE_PROCESS.test(path)) continue;
      for (const token of tokens) {
        const first = await service.get(placed(path), token);
        if (first.status !== 200) continue;
        seen.add(path);
        const headers = { 'If-None-Match': first.headers.get('etag') ?? 'none' };
        const again = await service.call('GET', placed(path), { token, headers });
        if (again.status !== 304) wrong.push(`${path}: ${again.status}`);
      }
    }
    expect(wrong).to.deep.equal([]);
    expect([...seen]).to.have.length.greaterThan(25);
  });
});
