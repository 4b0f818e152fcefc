/**
 * Whose things are whose, on every seller route that there is: generated from the list of endpoints, so that a new
 * route has to say here what it takes before this passes again.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const MARK = 'Theirs-9f31';

describe('every seller route, between two teams', function () {
  this.timeout(40_000);
  let service: Service;
  let routes: Endpoint[];
  let token: string;
  let memberToken: string;
  let adminToken: string;
  let mine: number;
  let theirs: number;
  /** The other team's things, by the parameter that names them. */
  const ids = new Map<string, number>();
  const bodies: Record<string, () => unknown> = {
    'PATCH /seller/auctions/{id}/registrations/{registration}': () => ({ status: 'approved' }),
    'POST /seller/auctions/{id}/registrations': () => ({ email: 'asker@example.com' }),
    'POST /seller/lots/{id}/relist': () => ({ auction_id: ids.get('auction') }),
    'POST /seller/lots/{id}/second-chance': () => ({}),
    'PATCH /seller/inventory/{id}': () => ({ title: 'x' }),
    'POST /seller/auctions': () => ({ title: 'x', start_time: moment(1), end_time: moment(2) }),
    'PATCH /seller/auctions/{id}': () => ({ title: 'x' }),
    'POST /seller/lots': () => ({ auction_id: ids.get('auction'), title: 'x', starting_bid: '1.00' }),
    'POST /seller/lots/bulk': () => ({
      lots: [{ auction_id: ids.get('auction'), title: 'x', starting_bid: '1.00' }],
    }),
    'PATCH /seller/lots/{id}': () => ({ title: 'x' }),
    'POST /inventory': () => ({ sku: 'x', title: 'x' }),
    'POST /inventory/convert-to-lots': () => ({
      auction_id: ids.get('auction'),
      items: [{ id: ids.get('item'), starting_bid: '1.00' }],
    }),
    'POST /ad-campaigns': () => ({
      name: 'x',
      placement: 'search',
      pricing_model: 'flat',
      budget_cents: 1,
      start_date: '2030-01-01',
      end_date: '2030-01-02',
      lot_ids: [ids.get('lot')],
    }),
    'PATCH /ad-campaigns/{id}': () => ({ name: 'x' }),
    'PATCH /teams/{team}': () => ({ require_two_factor: false }),
    'POST /teams/{team}/invitations': () => ({ email: 'guest@example.com' }),
    'POST /seller/lots/{id}/cross-listings': () => ({ platform: 'fields' }),
    'POST /webhook-subscriptions': () => ({ url: 'https://example.com/hook', events: ['*'] }),
    'PATCH /webhook-subscriptions/{id}': () => ({ is_active: false }),
    'POST /subscriptions': () => ({ plan: 'pro' }),
  };
  const moment = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  before(async () => {
    service = await startService();
    const { database: db } = service;
    const { knex } = db;
    const [me, them, asker, member, admin, leaver] = await Promise.all(
      [0, 1, 2, 3, 4, 5].map(() => aUser(db)),
    );
    const members = [{ user: member! }, { user: admin!, role: 'admin' as const }, { user: leaver! }];
    [mine, theirs] = [(await aTeam(db, { owner: me! })).id, (await aTeam(db, { owner: them!, members })).id];
    [memberToken, adminToken] = [
      await service.tokenFor(member!, ['seller', 'read', 'write']),
      await service.tokenFor(admin!, ['seller', 'read', 'write']),
    ];
    token = await service.tokenFor(me!, ['seller', 'read', 'write']);
    const auction = (await anAuction(db, { team_id: theirs, status: 'draft', title: MARK })).id;
    const lot = (await aLot(db, { auction_id: auction, status: 'draft', title: MARK })).id;
    const one = async (table: string, row: object): Promise<number> =>
      (await knex(table).insert(row).returning('id'))[0].id;
    const platform = await one('cross_listing_platforms', { slug: 'fields', name: 'Fields' });
    await knex('plans').insert({ slug: 'pro', name: 'Pro' });
    const subscription = await one('webhook_subscriptions', {
      team_id: theirs,
      url: `https://example.com/${MARK}`,
      events: ['*'],
      sealed_secret: 'x',
      cursor_tx: '0',
    });
    const things = {
      team: theirs,
      user: leaver!.id,
      auction,
      lot,
      item: await one('inventory_items', { team_id: theirs, sku: MARK, title: MARK }),
      registration: await one('registrations', {
        auction_id: auction,
        user_id: asker!.id,
        status: 'pending',
      }),
      campaign: await one('ad_campaigns', {
        team_id: theirs,
        name: MARK,
        placement: 'search',
        pricing_model: 'flat',
        budget_cents: 100,
        start_date: '2030-01-01',
        end_date: '2030-01-02',
      }),
      listing: await one('cross_listings', { lot_id: lot, platform_id: platform, told: '{}' }),
      subscription,
      delivery: await one('webhook_deliveries', {
        subscription_id: subscription,
        origin: 'test',
        event_id: 'evt_1',
        event: 'webhook.test',
        body: '{}',
        status: 'success',
      }),
    };
    for (const [name, id] of Object.entries(things)) ids.set(name, id);
    routes = service.web.app.endpoints.filter(
      ({ access }) => access.kind === 'ability' && access.ability === 'seller',
    );
  });

  after(() => service.close());

  const keyOf = ({ method, path }: Endpoint) => `${method} ${path.replace('/api/v1', '')}`;
  /** What `{id}` names on this path. */
  const ownerOf: readonly [string, string][] = [
    ['/seller/auctions/', 'auction'],
    ['/seller/lots/', 'lot'],
    ['/seller/inventory/', 'item'],
    ['/ad-campaigns/', 'campaign'],
    ['/webhook-subscriptions/', 'subscription'],
  ];
  function call(route: Endpoint, team: number, by = token) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const kind = name === 'id' ? ownerOf.find(([start]) => route.path.includes(start))?.[1] : name;
      const id = ids.get(kind ?? '');
      if (id === undefined) throw new Error(`nothing is known for {${name}} of ${keyOf(route)}`);
      return String(id);
    });
    const headers = { 'x-team-id': String(team) };
    const body = route.body === undefined ? undefined : bodies[keyOf(route)]?.();
    if (route.body !== undefined && body === undefined)
      throw new Error(`nothing is known for ${keyOf(route)}`);
    return service.call(route.method, path, { token: by, headers, ...(body === undefined ? {} : { body }) });
  }
  const TABLES = [
    'auctions',
    'lots',
    'registrations',
    'inventory_items',
    'ad_campaigns',
    'cross_listings',
    'webhook_subscriptions',
    'webhook_deliveries',
    'team_invitations',
  ];
  async function theirThings(): Promise<unknown> {
    const rows = TABLES.map((table) => service.database.knex(table).orderBy('id'));
    return (await Promise.all(rows)).map((found) =>
      found.filter((row) => row.team_id === undefined || row.team_id === theirs),
    );
  }

  it('refuses the other team as a context, and changes nothing of it', async () => {
    const before = await theirThings();
    for (const route of routes.filter(({ headers }) => headers !== undefined)) {
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
    const named = routes.filter(({ path }) => path.includes('{'));
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
      const route = routes.find((candidate) => keyOf(candidate) === key)!;
      expect((await call(route, mine)).status, key).to.equal(status);
    }
    const bulk = await call(routes.find((one) => keyOf(one) === 'POST /seller/lots/bulk')!, mine);
    expect(bulk.body.data.results.map(({ status }: { status: string }) => status)).to.deep.equal(['failed']);
    expect(await theirThings()).to.deep.equal(before);
  });

  it('finds nothing of the other team by ids in queries', async () => {
    let asked = 0;
    for (const route of routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
      for (const name of Object.keys(route.query?.properties ?? {}).filter((one) => one.endsWith('_id'))) {
        const id = ids.get(name.slice(0, -3));
        if (id === undefined) throw new Error(`nothing is known for ?${name}= of ${keyOf(route)}`);
        const headers = { 'x-team-id': String(mine) };
        const answer = await service.call('GET', `${route.path}?${name}=${id}`, { token, headers });
        asked += 1;
        expect(answer.status, `${keyOf(route)} ${name}`).to.be.oneOf([200, 404]);
        if (answer.status === 200) expect(answer.body.data, `${keyOf(route)} ${name}`).to.deep.equal([]);
      }
    }
    expect(asked).to.be.greaterThan(0);
  });

  it('lists nothing of the other team', async () => {
    const lists = routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    expect(lists.length).to.be.greaterThan(5);
    for (const route of lists) {
      const answer = await call(route, mine);
      expect(answer.status, keyOf(route)).to.equal(200);
      expect(answer.text, keyOf(route)).not.to.include(MARK);
    }
  });

  it('lets members of a team do all but invite, see secrets and delete, and its admins everything', async () => {
    const notForMembers = new Set([
      'PATCH /teams/{team}',
      'DELETE /teams/{team}/members/{user}',
      'POST /teams/{team}/invitations',
      'POST /webhook-subscriptions/{id}/rotate-secret',
      'DELETE /webhook-subscriptions/{id}',
    ]);
    for (const key of notForMembers) expect(routes.map(keyOf)).to.include(key);
    // Deletions come last, of what lies in something before that itself.
    const depth = ({ method, path }: Endpoint) => (method === 'DELETE' ? -path.split('/').length : -100);
    const order = (one: Endpoint, two: Endpoint) =>
      depth(one) - depth(two) || two.path.localeCompare(one.path);
    for (const route of routes.toSorted(order)) {
      const key = keyOf(route);
      const byMember = await call(route, theirs, memberToken);
      if (notForMembers.has(key)) {
        expect(byMember.status, `${key} by a member: ${byMember.text}`).to.equal(403);
        const byAdmin = await call(route, theirs, adminToken);
        expect(byAdmin.status, `${key} by an admin: ${byAdmin.text}`).to.not.be.oneOf([401, 403, 404]);
        continue;
      }
      // Whoever may do it is told that there is nothing to offer: a draft was sold to nobody.
      const may = key === 'POST /seller/lots/{id}/second-chance' ? [401, 403] : [401, 403, 404];
      expect(byMember.status, `${key} by a member: ${byMember.text}`).to.not.be.oneOf(may);
    }
  });
});
