/**
 * Fields that nobody may write, sent along on every seller route that takes a body: generated from the list of
 * endpoints. Each is refused by name, or, where it is a field of that route, treated as the route says; none of them
 * is ever applied.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { keyOf, SELLER_TABLES, SellerRoutes } from '../../../support/seller-routes.ts';
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

describe('fields that nobody may write, on every seller route with a body', () => {
  let service: Service;
  let token: string;
  let team: number;
  let routes: SellerRoutes;

  /** If a field belongs to the route, its answer to a value that may not be requested. */
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
    const me = await aUser(service.database);
    team = (await aTeam(service.database, { owner: me })).id;
    token = await service.tokenFor(me, ['seller', 'read', 'write']);
    routes = await SellerRoutes.of(service, { id: team, userId: me.id }, 'mine');
  });

  after(() => service.close());

  async function send(route: Endpoint, text: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(`${service.url}${routes.pathOf(route)}`, {
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

  const everything = async () =>
    JSON.stringify(
      await Promise.all(SELLER_TABLES.map((table) => service.database.knex(table).orderBy('id'))),
    );

  it('are refused, and change nothing', async () => {
    const taking = routes.all.filter(({ body }) => body !== undefined);
    expect(taking.length).to.be.greaterThan(10);
    const before = await everything();
    for (const route of taking) {
      const key = keyOf(route);
      const own = JSON.stringify(routes.bodyOf(route)).slice(1, -1);
      for (const [field, value] of SMUGGLED) {
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
        `{"auction_id":${routes.idOf('auction')},"title":"x","starting_bid":"1.00","${field}":${value}}`,
    );
    const bulk = await send(routes.find('POST /seller/lots/bulk'), `{"lots":[${lots.join(',')}]}`);
    const { data } = JSON.parse(bulk.text) as { data: { results: { status: string; errors: object }[] } };
    expect(data.results.map(({ status }) => status)).to.deep.equal(smuggled.map(() => 'failed'));
    for (const [at, [field]] of smuggled.entries())
      expect(Object.keys(data.results[at]!.errors), field).to.deep.equal([field]);
    for (const [field, value] of smuggled) {
      const item = `{"id":${routes.idOf('item')},"starting_bid":"1.00","${field}":${value}}`;
      if (field === 'id') continue;
      const body = `{"auction_id":${routes.idOf('auction')},"items":[${item}]}`;
      expect((await send(routes.find('POST /inventory/convert-to-lots'), body)).status, field).to.equal(422);
    }
    expect(await everything()).to.equal(before);
  });
});
