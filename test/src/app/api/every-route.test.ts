/** What holds for every operation of the API alike, over the list that the service itself describes. */
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { aSale } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** They tell of the process, not of what it keeps. */
const OF_THE_PROCESS = /^\/(metrics|healthz|readyz)$|\/stream$/;

describe('every route', () => {
  let service: Service;
  let routes: Endpoint[];
  /** Values of path parameters, by the part of the path before them. */
  let known: Record<string, string | number>;
  /** The seller's and the buyer's. */
  const tokens: string[] = [];
  before(async function () {
    this.timeout(60_000);
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
  }).timeout(60_000);

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
  }).timeout(60_000);
});
