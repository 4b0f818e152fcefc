/**
 * Every seller route that there is, with a body that each takes and a thing of a team for each parameter: for tests
 * generated from the list of endpoints. A new route has to be described here.
 */
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { aLot, anAuction, aUser } from './builders.ts';
import type { Service } from './service.ts';

/** What seller routes write: a route that is refused leaves all of it as it was. */
export const SELLER_TABLES = [
  'auctions',
  'lots',
  'lot_questions',
  'registrations',
  'collections',
  'collection_lots',
  'papers',
  'consignor_links',
  'left_bids',
  'sale_presets',
  'inventory_items',
  'ad_campaigns',
  'cross_listings',
  'webhook_subscriptions',
  'webhook_deliveries',
  'team_invitations',
  'subscriptions',
  'invoices',
  'teams',
] as const;

/** Ids of a team's things, by the kind of thing: what parameters are called, or `{id}` on some path. */
type Things = Readonly<Record<string, number>>;

/** What `{id}` names on these paths. */
const KINDS: readonly (readonly [string, string])[] = [
  ['/seller/auctions/', 'auction'],
  ['/seller/lots/', 'lot'],
  ['/seller/inventory/', 'item'],
  ['/ad-campaigns/', 'campaign'],
  ['/webhook-subscriptions/', 'subscription'],
];

/** `POST /seller/lots` */
export const keyOf = ({ method, path }: Endpoint): string => `${method} ${path.replace('/api/v1', '')}`;

export class SellerRoutes {
  readonly all: readonly Endpoint[];
  readonly #things: Things;
  readonly #bodies: Readonly<Record<string, object>>;

  private constructor(all: readonly Endpoint[], things: Things) {
    this.all = all;
    this.#things = things;
    this.#bodies = bodiesFor(things);
  }

  /** Makes a thing of each kind, called `title`. `userId` is somebody in the team. */
  static async of(
    service: Service,
    team: { readonly id: number; readonly userId: number },
    title: string,
  ): Promise<SellerRoutes> {
    const all = service.web.app.endpoints.filter(
      // Files are no JSON: their routes have tests of their own.
      ({ access, body }) =>
        access.kind === 'ability' &&
        access.ability === 'seller' &&
        !(body !== undefined && 'multipart' in body),
    );
    return new SellerRoutes(all, await thingsOf(service, team, title));
  }

  /** Throws for a kind that nothing is known of. */
  idOf(kind: string): number {
    const id = this.#things[kind];
    if (id === undefined) throw new Error(`nothing is known of the kind "${kind}"`);
    return id;
  }

  /** The route's path, with the team's things. */
  pathOf(route: Endpoint): string {
    return route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const kind = name === 'id' ? KINDS.find(([start]) => route.path.includes(start))?.[1] : name;
      return String(this.idOf(kind ?? route.path));
    });
  }

  /** A body that the route takes as it is; undefined where it takes none. */
  bodyOf(route: Endpoint): object | undefined {
    if (route.body === undefined) return undefined;
    const body = this.#bodies[keyOf(route)];
    if (body === undefined) throw new Error(`nothing is known for ${keyOf(route)}: say here what it takes`);
    return body;
  }

  /** Throws where there is no such route. */
  find(key: string): Endpoint {
    const found = this.all.find((route) => keyOf(route) === key);
    if (found === undefined) throw new Error(`there is no ${key}`);
    return found;
  }
}

const CAMPAIGN = {
  placement: 'search',
  pricing_model: 'flat',
  budget_cents: 100,
  start_date: '2030-01-01',
  end_date: '2030-01-02',
};

function bodiesFor({ auction, lot, item }: Things): Readonly<Record<string, object>> {
  const newLot = { auction_id: auction, title: 'x', starting_bid: '1.00' };
  return {
    'PATCH /seller/auctions/{id}/registrations/{registration}': { status: 'approved' },
    'POST /seller/auctions/{id}/registrations': { email: 'asker@example.com' },
    'POST /seller/auctions/{id}/paddles': { name: 'x' },
    'POST /seller/auctions/{id}/left-bids': {
      bids: [{ lot_id: lot, paddle: '7', channel: 'phone', phone: '1' }],
    },
    'POST /seller/auctions/{id}/lot-order': { lot_ids: [lot] },
    'POST /teams/{team}/sale-presets': { name: 'x', auction_id: auction },
    'POST /seller/consignor-links': { name: 'x', lot_ids: [lot] },
    'POST /seller/auctions/{id}/papers': { kind: 'catalog', format: 'csv' },
    'POST /seller/auctions/{id}/hammer': { lot_id: lot, result: 'passed', price: '0.00' },
    'POST /seller/auctions/{id}/hammer/take-back': { lot_id: lot },
    'POST /seller/lots/{id}/relist': { auction_id: auction },
    'POST /seller/lots/{id}/second-chance': {},
    'PATCH /seller/inventory/{id}': { title: 'x' },
    'PATCH /seller/questions/{question}': { answer: 'x' },
    'POST /seller/collections/{code}/collected': { lot_ids: [lot] },
    'POST /seller/auctions': { title: 'x', start_time: moment(1), end_time: moment(2) },
    'PATCH /seller/auctions/{id}': { title: 'x' },
    'POST /seller/lots': newLot,
    'POST /seller/lots/bulk': { lots: [newLot] },
    'PATCH /seller/lots/{id}': { title: 'x' },
    'POST /seller/lots/{id}/amendments': { changes: { title: 'x' }, reason: 'x' },
    'POST /inventory': { sku: 'x', title: 'x' },
    'POST /inventory/convert-to-lots': { auction_id: auction, items: [{ id: item, starting_bid: '1.00' }] },
    'POST /ad-campaigns': { ...CAMPAIGN, name: 'x', lot_ids: [lot] },
    'PATCH /ad-campaigns/{id}': { name: 'x' },
    'PATCH /teams/{team}': { require_two_factor: false },
    'POST /teams/{team}/invitations': { email: 'guest@example.com' },
    'PUT /teams/{team}/identity-provider': {
      issuer: 'https://login.invalid',
      client_id: 'x',
      client_secret: 'x',
    },
    'POST /seller/lots/{id}/cross-listings': { platform: 'fields' },
    'POST /webhook-subscriptions': { url: 'https://example.com/hook', events: ['*'] },
    'PATCH /webhook-subscriptions/{id}': { is_active: false },
    'POST /subscriptions': { plan: 'pro' },
  };
}

const moment = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function thingsOf(
  { database }: Service,
  { id: team, userId }: { readonly id: number; readonly userId: number },
  title: string,
): Promise<Things> {
  const { knex } = database;
  const one = async (table: string, row: object): Promise<number> =>
    (await knex(table).insert(row).returning('id'))[0].id;
  /** What all teams have together. */
  const shared = async (table: string, slug: string): Promise<number> =>
    (await knex(table).insert({ slug, name: slug }).onConflict('slug').merge().returning('id'))[0].id;
  const asker = await aUser(database);
  const auction = (await anAuction(database, { team_id: team, status: 'draft', title })).id;
  const lot = (await aLot(database, { auction_id: auction, status: 'draft', title })).id;
  // Eight digits, however far the sequence is.
  const code = 10_000_000 + (auction % 80_000_000);
  const due = { starts_at: new Date(), ends_at: new Date() };
  const collection_id = await one('collections', {
    ...{ ...due, code: String(code), auction_id: auction, user_id: asker.id, slot: title },
  });
  const invoice_id = await one('invoices', {
    ...{
      invoice_number: `INV-2025-${code}`,
      kind: 'winner',
      status: 'paid',
      currency: 'usd',
      amount_due_cents: 1,
      paid_at: new Date(),
    },
    ...{ user_id: asker.id, team_id: team, auction_id: auction, lot_id: lot, due_at: new Date() },
  });
  await knex('collection_lots').insert({ collection_id, invoice_id, lot_id: lot });
  const platform = await shared('cross_listing_platforms', 'fields');
  await shared('plans', 'pro');
  const subscription = await one('webhook_subscriptions', {
    team_id: team,
    url: `https://example.com/${title}`,
    events: ['*'],
    sealed_secret: 'x',
    cursor_tx: '0',
  });
  const delivery = {
    origin: 'test',
    event_id: 'evt_1',
    event: 'webhook.test',
    body: '{}',
    status: 'success',
  };
  return {
    team,
    user: userId,
    auction,
    lot,
    code,
    question: await one('lot_questions', { lot_id: lot, user_id: asker.id, text: title }),
    item: await one('inventory_items', { team_id: team, sku: title, title }),
    registration: await one('registrations', { auction_id: auction, user_id: asker.id, status: 'pending' }),
    campaign: await one('ad_campaigns', { ...CAMPAIGN, team_id: team, name: title }),
    listing: await one('cross_listings', { lot_id: lot, platform_id: platform, told: '{}' }),
    invoice: invoice_id,
    left_bid: await one('left_bids', {
      ...{ auction_id: auction, lot_id: lot, paddle: '8', channel: 'phone', phone: title.slice(0, 40) },
    }),
    preset: await one('sale_presets', { team_id: team, name: title, settings: {} }),
    link: await one('consignor_links', { team_id: team, name: title, token_hash: title }),
    paper: await one('papers', {
      ...{
        team_id: team,
        auction_id: auction,
        kind: 'labels',
        format: 'pdf',
        language: 'en',
        base_url: title,
      },
    }),
    subscription,
    delivery: await one('webhook_deliveries', { ...delivery, subscription_id: subscription }),
  };
}
