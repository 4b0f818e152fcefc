/**
 * Ownership on every seller route: generated from the list of endpoints, so that a new route has to declare in
 * `seller-routes.ts` what it takes before this passes again.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { keyOf, SELLER_TABLES, SellerRoutes } from '../../../support/seller-routes.ts';
import { type Service, startService } from '../../../support/service.ts';

const MARK = 'Theirs-9f31';

describe('every seller route, between two teams', () => {
  let service: Service;
  /** All seller routes, with the other team's things. */
  let routes: SellerRoutes;
  let token: string;
  let memberToken: string;
  let adminToken: string;
  let mine: number;
  let theirs: number;

  before(async () => {
    service = await startService();
    const { database: db } = service;
    const [me, them, member, admin, leaver] = await Promise.all([0, 1, 2, 3, 4].map(() => aUser(db)));
    const members = [{ user: member! }, { user: admin!, role: 'admin' as const }, { user: leaver! }];
    [mine, theirs] = [(await aTeam(db, { owner: me! })).id, (await aTeam(db, { owner: them!, members })).id];
    [memberToken, adminToken] = [
      await service.tokenFor(member!, ['seller', 'read', 'write']),
      await service.tokenFor(admin!, ['seller', 'read', 'write']),
    ];
    token = await service.tokenFor(me!, ['seller', 'read', 'write']);
    routes = await SellerRoutes.of(service, { id: theirs, userId: leaver!.id }, MARK);
  });

  after(() => service.close());

  function call(route: Endpoint, team: number, by = token) {
    const body = routes.bodyOf(route);
    return service.call(route.method, routes.pathOf(route), {
      token: by,
      headers: { 'x-team-id': String(team) },
      ...(body === undefined ? {} : { body }),
    });
  }
  async function theirThings(): Promise<unknown> {
    const rows = SELLER_TABLES.map((table) => service.database.knex(table).orderBy('id'));
    return (await Promise.all(rows)).map((found) =>
      found.filter((row) => row.team_id === undefined || row.team_id === theirs),
    );
  }

  it('refuses the other team as a context, and changes nothing of it', async () => {
    const before = await theirThings();
    for (const route of routes.all.filter(({ headers }) => headers !== undefined)) {
      const answer = await call(route, theirs);
      expect([keyOf(route), answer.status, answer.body?.code]).to.deep.equal([
        keyOf(route),
        403,
        'not_a_team_member',
      ]);
    }
    expect(await theirThings()).to.deep.equal(before);
  });

  it('does not find the other team’s things from one’s own, and changes nothing of them', async () => {
    const before = await theirThings();
    const named = routes.all.filter(({ path }) => path.includes('{'));
    expect(named.length).to.be.greaterThan(10);
    for (const route of named) {
      const answer = await call(route, mine);
      expect([keyOf(route), answer.status], answer.text).to.deep.equal([keyOf(route), 404]);
    }
    for (const [key, status] of [
      ['POST /seller/lots', 404],
      ['POST /inventory/convert-to-lots', 404],
      ['POST /ad-campaigns', 422],
    ] as const) {
      expect((await call(routes.find(key), mine)).status, key).to.equal(status);
    }
    const bulk = await call(routes.find('POST /seller/lots/bulk'), mine);
    expect(bulk.body.data.results.map(({ status }: { status: string }) => status)).to.deep.equal(['failed']);
    expect(await theirThings()).to.deep.equal(before);
  });

  it('finds nothing of the other team by ids in queries', async () => {
    let requests = 0;
    for (const route of routes.all.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
      for (const name of Object.keys(route.query?.properties ?? {}).filter((one) => one.endsWith('_id'))) {
        const id = routes.idOf(name.slice(0, -3));
        const headers = { 'x-team-id': String(mine) };
        const answer = await service.call('GET', `${route.path}?${name}=${id}`, { token, headers });
        requests += 1;
        expect(answer.status, `${keyOf(route)} ${name}`).to.be.oneOf([200, 404]);
        if (answer.status === 200) expect(answer.body.data, `${keyOf(route)} ${name}`).to.deep.equal([]);
      }
    }
    expect(requests).to.be.greaterThan(0);
  });

  it('lists nothing of the other team', async () => {
    const lists = routes.all.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    expect(lists.length).to.be.greaterThan(5);
    for (const route of lists) {
      const answer = await call(route, mine);
      expect(answer.status, keyOf(route)).to.equal(200);
      expect(answer.text, keyOf(route)).not.to.include(MARK);
    }
  });

  it('fails on no route, however many are called at once', async () => {
    const writing = routes.all.filter(({ method }) => method === 'POST' || method === 'PATCH');
    const failed: string[] = [];
    for (const same of [true, false]) {
      // The same several times at once, and then all of them among one another.
      const rounds = same ? writing.map((route) => Array(5).fill(route)) : [[...writing, ...writing]];
      for (const round of rounds) {
        const answers = await Promise.all(
          round.map(async (route: Endpoint) => ({
            key: keyOf(route),
            ...(await call(route, theirs, adminToken)),
          })),
        );
        for (const { key, status, text } of answers) {
          if (status >= 500) failed.push(`${key}: ${status} ${text}`);
        }
      }
    }
    expect(failed).to.deep.equal([]);
  });

  it('lets members of a team do all but invite, see secrets and delete, and its admins everything', async () => {
    const notForMembers = new Set([
      'PATCH /teams/{team}',
      'GET /teams/{team}/identity-provider',
      'PUT /teams/{team}/identity-provider',
      'DELETE /teams/{team}/identity-provider',
      'DELETE /teams/{team}/members/{user}',
      'DELETE /teams/{team}/sale-presets/{preset}',
      'POST /teams/{team}/invitations',
      'POST /webhook-subscriptions/{id}/rotate-secret',
      'DELETE /webhook-subscriptions/{id}',
      'DELETE /seller/auctions/{id}',
      'DELETE /seller/inventory/{id}',
      'DELETE /seller/lots/{id}',
    ]);
    // Those who may do it learn that there is nothing: a draft was sold to nobody, no provider is set, no paper is
    // made, and no saleroom is open.
    const nothing = [
      'POST /seller/lots/{id}/second-chance',
      'GET /teams/{team}/identity-provider',
      'GET /seller/papers/{paper}/file',
      'POST /seller/auctions/{id}/hammer',
      'POST /seller/auctions/{id}/hammer/take-back',
    ];
    const refusedTo = (key: string) => (nothing.includes(key) ? [401, 403] : [401, 403, 404]);
    for (const key of notForMembers) expect(routes.all.map(keyOf)).to.include(key);
    // Deletions come last, of what is in something before that itself.
    const depth = ({ method, path }: Endpoint) => (method === 'DELETE' ? -path.split('/').length : -100);
    const order = (one: Endpoint, two: Endpoint) =>
      depth(one) - depth(two) || two.path.localeCompare(one.path);
    for (const route of routes.all.toSorted(order)) {
      const key = keyOf(route);
      const byMember = await call(route, theirs, memberToken);
      if (notForMembers.has(key)) {
        expect(byMember.status, `${key} by a member: ${byMember.text}`).to.equal(403);
        const byAdmin = await call(route, theirs, adminToken);
        expect(byAdmin.status, `${key} by an admin: ${byAdmin.text}`).to.not.be.oneOf(refusedTo(key));
        continue;
      }
      expect(byMember.status, `${key} by a member: ${byMember.text}`).to.not.be.oneOf(refusedTo(key));
    }
  });
});
