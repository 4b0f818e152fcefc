/**
 * Fields that nobody may write, sent along on every seller route that takes a body: generated from the list of
 * endpoints. Each is refused by name, or, where it is a field of that route, treated as the route says; none of them
 * is ever applied.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

const OTHER_TEAM = 999_999;
/** What is smuggled in, as JSON text: a literal would set the prototype. */
const SMUGGLED: readonly (readonly [string, string])[] = [
  ['id', '1'],
  ['team_id', String(OTHER_TEAM)],
  ['user_id', '1'],
  ['status', '"sold"'],
  ['current_bid', '"9999.00"'],
  ['current_bid_cents', '999900'],
  ['bid_count', '77'],
  ['spent_cents', '0'],
  ['impressions', '1000000'],
  ['is_admin', 'true'],
  ['approved_at', '"2020-01-01T00:00:00Z"'],
  ['winner_user_id', '1'],
  ['secret', '"whsec_known"'],
  ['__proto__', '{"isAdmin":true}'],
  ['constructor', '{"prototype":{"isAdmin":true}}'],
];

describe('fields that nobody may write, on every seller route with a body', function () {
  this.timeout(60_000);
  let service: Service;
  let token: string;
  let team: number;
  let routes: Endpoint[];
  const ids = new Map<string, number>();
  const moment = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  let counter = 0;

  /** A body that each route takes as it is, so that what is smuggled in is all that can be wrong with it. */
  const bodies: Record<string, () => Record<string, unknown>> = {
    'PATCH /seller/auctions/{id}/registrations/{registration}': () => ({ bid_limit: '100.00' }),
    'POST /seller/auctions/{id}/registrations': () => ({ email: 'asker@example.com' }),
    'POST /seller/lots/{id}/relist': () => ({ auction_id: ids.get('auction') }),
    'POST /seller/lots/{id}/second-chance': () => ({}),
    'PATCH /seller/inventory/{id}': () => ({ title: 'x' }),
    'POST /seller/auctions': () => ({ title: 'x', start_time: moment(1), end_time: moment(2) }),
    'PATCH /seller/auctions/{id}': () => ({ title: 'x' }),
    'POST /seller/lots': () => ({ auction_id: ids.get('auction'), title: 'x', starting_bid: '1.00' }),
    'POST /seller/lots/bulk': () => ({ lots: [] }),
    'PATCH /seller/lots/{id}': () => ({ title: 'x' }),
    'POST /inventory': () => ({ sku: `S-${counter}`, title: 'x' }),
    'POST /inventory/convert-to-lots': () => ({
      auction_id: ids.get('auction'),
      items: [{ id: ids.get('item'), starting_bid: '1.00' }],
    }),
    'POST /ad-campaigns': () => ({
      name: 'x',
      placement: 'search',
      pricing_model: 'flat',
      budget_cents: 100,
      start_date: '2030-01-01',
      end_date: '2030-01-02',
    }),
    'PATCH /ad-campaigns/{id}': () => ({ name: 'x' }),
    'PATCH /teams/{team}': () => ({ require_two_factor: false }),
    'POST /teams/{team}/invitations': () => ({ email: `guest-${counter}@example.com` }),
    'POST /seller/lots/{id}/cross-listings': () => ({ platform: 'fields' }),
    'POST /webhook-subscriptions': () => ({ url: 'https://example.com/hook', events: ['*'] }),
    'PATCH /webhook-subscriptions/{id}': () => ({ is_active: true }),
    'POST /subscriptions': () => ({ plan: 'pro' }),
  };
  /** Where a field belongs to the route, what it answers to a value that may not be asked for. */
  const takes: Record<string, readonly number[]> = {
    'PATCH /seller/auctions/{id}/registrations/{registration} status': [422],
    'POST /seller/auctions status': [409, 422],
    'PATCH /seller/auctions/{id} status': [409, 422],
    'POST /seller/lots status': [409],
    'PATCH /seller/lots/{id} status': [409],
    'POST /inventory status': [422],
    'PATCH /ad-campaigns/{id} status': [422],
  };

  before(async () => {
    service = await startService();
    const { database: db } = service;
    const { knex } = db;
    const [me, asker] = await Promise.all([aUser(db), aUser(db, { email: 'asker@example.com' })]);
    team = (await aTeam(db, { owner: me })).id;
    token = await service.tokenFor(me, ['seller', 'read', 'write']);
    const auction = (await anAuction(db, { team_id: team, status: 'draft' })).id;
    const lot = (await aLot(db, { auction_id: auction, status: 'draft' })).id;
    const one = async (table: string, row: object): Promise<number> =>
      (await knex(table).insert(row).returning('id'))[0].id;
    await one('cross_listing_platforms', { slug: 'fields', name: 'Fields' });
    await knex('plans').insert({ slug: 'pro', name: 'Pro' });
    const things = {
      team,
      auction,
      lot,
      item: await one('inventory_items', { team_id: team, sku: 'I', title: 'I' }),
      registration: await one('registrations', { auction_id: auction, user_id: asker.id, status: 'pending' }),
      campaign: await one('ad_campaigns', {
        team_id: team,
        name: 'C',
        placement: 'search',
        pricing_model: 'flat',
        budget_cents: 100,
        start_date: '2030-01-01',
        end_date: '2030-01-02',
      }),
      subscription: await one('webhook_subscriptions', {
        team_id: team,
        url: 'https://example.com/hook',
        events: ['*'],
        sealed_secret: 'x',
        cursor_tx: '0',
      }),
    };
    for (const [name, id] of Object.entries(things)) ids.set(name, id);
    routes = service.web.app.endpoints.filter(
      ({ access, body }) => access.kind === 'ability' && access.ability === 'seller' && body !== undefined,
    );
  });

  after(() => service.close());

  const keyOf = ({ method, path }: Endpoint) => `${method} ${path.replace('/api/v1', '')}`;
  const kinds: readonly [string, string][] = [
    ['/seller/auctions/', 'auction'],
    ['/seller/lots/', 'lot'],
    ['/seller/inventory/', 'item'],
    ['/ad-campaigns/', 'campaign'],
    ['/webhook-subscriptions/', 'subscription'],
  ];
  const pathOf = ({ path }: Endpoint) =>
    path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const kind = name === 'id' ? kinds.find(([start]) => path.includes(start))?.[1] : name;
      return String(ids.get(kind ?? '') ?? expect.fail(`nothing is known for {${name}} of ${path}`));
    });

  async function send(route: Endpoint, text: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`${service.url}${pathOf(route)}`, {
      method: route.method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-team-id': String(team),
        'content-type': 'application/json',
      },
      body: text,
    });
    return { status: answer.status, text: await answer.text() };
  }

  const TABLES = [
    'auctions',
    'lots',
    'registrations',
    'inventory_items',
    'ad_campaigns',
    'cross_listings',
    'webhook_subscriptions',
    'team_invitations',
    'subscriptions',
    'invoices',
    'teams',
  ];
  const everything = async () =>
    JSON.stringify(await Promise.all(TABLES.map((table) => service.database.knex(table).orderBy('id'))));

  it('are refused, and change nothing', async () => {
    expect(routes.length).to.be.greaterThan(10);
    const before = await everything();
    for (const route of routes) {
      const key = keyOf(route);
      const body = bodies[key] ?? expect.fail(`nothing is known for ${key}: say here what it takes`);
      for (const [field, value] of SMUGGLED) {
        counter += 1;
        const own = JSON.stringify(body()).slice(1, -1);
        const answer = await send(route, `{${own}${own === '' ? '' : ','}"${field}":${value}}`);
        const name = `${key} ${field}`;
        const allowed = takes[name] ?? [422];
        expect(allowed, `${name}: ${answer.text}`).to.include(answer.status);
        if (answer.status === 422) expect(answer.text, name).to.include(field);
      }
    }
    expect(await everything()).to.equal(before);
    expect(({} as { isAdmin?: unknown }).isAdmin).to.equal(undefined);
  });

  it('are refused item by item where a body holds many', async () => {
    const before = await everything();
    // A prototype anywhere in a body has the whole of it refused, as above.
    const smuggled = SMUGGLED.filter(([field]) => field !== 'status' && field !== '__proto__');
    const lots = smuggled.map(
      ([field, value]) =>
        `{"auction_id":${ids.get('auction')},"title":"x","starting_bid":"1.00","${field}":${value}}`,
    );
    const route = (path: string) => routes.find((one) => one.path.endsWith(path))!;
    const bulk = await send(route('/seller/lots/bulk'), `{"lots":[${lots.join(',')}]}`);
    const { data } = JSON.parse(bulk.text) as { data: { results: { status: string; errors: object }[] } };
    expect(data.results.map(({ status }) => status)).to.deep.equal(smuggled.map(() => 'failed'));
    for (const [at, [field]] of smuggled.entries())
      expect(Object.keys(data.results[at]!.errors), field).to.deep.equal([field]);
    for (const [field, value] of smuggled) {
      const item = `{"id":${ids.get('item')},"starting_bid":"1.00","${field}":${value}}`;
      if (field === 'id') continue;
      const body = `{"auction_id":${ids.get('auction')},"items":[${item}]}`;
      expect((await send(route('/convert-to-lots'), body)).status, field).to.equal(422);
    }
    expect(await everything()).to.equal(before);
  });
});
