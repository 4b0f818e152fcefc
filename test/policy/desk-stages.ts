/** What a team has at its desk besides auctions and lots: inventory, campaigns, webhook subscriptions. */
import { CAMPAIGN_POLICY, type CampaignAction } from '../../src/shared/policy/campaign-policy.ts';
import { ITEM_POLICY, type ItemAction, type ItemState } from '../../src/shared/policy/item-policy.ts';
import {
  WEBHOOK_POLICY,
  type WebhookAction,
  type WebhookState,
} from '../../src/shared/policy/webhook-policy.ts';
import type { CampaignStatus } from '../../src/shared/statuses/selling-statuses.ts';
import type { Service } from '../support/service.ts';
import type { Cast } from './cast.ts';
import type { Act, Stage, Thing, Trial } from './cells.ts';
import { rowsOf } from './own-teams.ts';

const act =
  (method: string, path: (thing: Thing) => string, body?: object) =>
  (thing: Thing): Act => ({
    ...{ method, path: `/api/v1/${path(thing)}` },
    ...(body === undefined ? {} : { body }),
  });

const listed = (path: string) => ({
  act: () => ({ method: 'GET', path: `/api/v1/${path}` }),
  shows: ({ body }: { body: { data: { id: number }[] } }, { id }: Thing) =>
    body.data.some((one) => one.id === id),
});

let count = 0;

export function itemStage(service: Service, cast: Cast): Stage<ItemState, ItemAction> {
  const { knex } = service.database;
  const one = ({ id }: Thing) => `seller/inventory/${id}`;
  return {
    policy: ITEM_POLICY,
    trials: {
      read: { act: act('GET', one), forTeam: true },
      change: { act: act('PATCH', one, { title: 'Renamed' }), forTeam: true },
      move: {
        ...{ act: act('PATCH', one, { status: 'returned' }), forTeam: true },
        changes: (state) => state !== 'returned',
      },
      delete: { act: act('DELETE', one), forTeam: true },
    },
    async make(state, house, wanted) {
      const inLot = state === 'lotted' || state === 'sold';
      const lot = inLot
        ? await aLotOf(service, cast.teams[house], state === 'sold' ? 'sold' : 'draft')
        : null;
      return knex('inventory_items')
        .insert(
          Array.from({ length: wanted }, () => {
            count += 1;
            const status = state === 'sold' ? 'lotted' : state;
            return {
              team_id: cast.teams[house],
              sku: `cell-${count}`,
              title: 'A chair',
              status,
              lot_id: lot,
            };
          }),
        )
        .returning('id');
    },
    digest: ({ id }) => rowsOf(service, ['inventory_items', { id }]),
  };
}

async function aLotOf({ database: { knex } }: Service, team_id: number, status: string): Promise<number> {
  count += 1;
  const times = { start_time: new Date(), end_time: new Date(Date.now() + 86_400_000) };
  const [auction] = await knex('auctions')
    .insert({ ...times, team_id, title: 'For items', slug: `for-items-${count}`, status: 'draft' })
    .returning('id');
  const [lot] = await knex('lots')
    .insert({
      ...{ auction_id: auction.id, lot_number: 1, title: 'Of items', slug: `of-items-${count}`, status },
      starting_bid_cents: 100,
    })
    .returning('id');
  return lot.id;
}

export function campaignStage(service: Service, cast: Cast): Stage<CampaignStatus, CampaignAction> {
  const { knex } = service.database;
  const one = ({ id }: Thing) => `ad-campaigns/${id}`;
  const to = (status: CampaignStatus): Trial<CampaignStatus> => ({
    ...{ act: act('PATCH', one, { status }), forTeam: true },
    changes: (state) => state !== status,
  });
  return {
    policy: CAMPAIGN_POLICY,
    trials: {
      list: { ...listed('ad-campaigns?per_page=100'), forTeam: true },
      change: { act: act('PATCH', one, { name: 'Renamed' }), forTeam: true },
      order: to('pending_payment'),
      take_back: to('draft'),
      activate: to('active'),
      pause: to('paused'),
      end: to('ended'),
      cancel: to('cancelled'),
    },
    async make(status, house, wanted) {
      const terms = { placement: 'search', pricing_model: 'flat', budget_cents: 100, name: 'A campaign' };
      const days = { start_date: '2030-01-01', end_date: '2030-01-02' };
      return knex('ad_campaigns')
        .insert(
          Array.from({ length: wanted }, () => ({ ...terms, ...days, status, team_id: cast.teams[house] })),
        )
        .returning('id');
    },
    digest: ({ id }) => rowsOf(service, ['ad_campaigns', { id }], ['invoices', { campaign_id: id }]),
  };
}

export function webhookStage(service: Service, cast: Cast): Stage<WebhookState, WebhookAction> {
  const one = ({ id }: Thing) => `webhook-subscriptions/${id}`;
  return {
    policy: WEBHOOK_POLICY,
    trials: {
      read: { act: act('GET', one), forTeam: true },
      change: { act: act('PATCH', one, { description: 'Renamed' }), forTeam: true },
      try_it: { act: act('POST', (thing) => `${one(thing)}/test`), forTeam: true },
      rotate_secret: { act: act('POST', (thing) => `${one(thing)}/rotate-secret`), forTeam: true },
      delete: { act: act('DELETE', one), forTeam: true },
    },
    async make(state, house, wanted) {
      const states = {
        is_active: state === 'active',
        disabled_reason: state === 'disabled' ? 'failing' : null,
      };
      const rows = Array.from({ length: wanted }, () => ({
        ...{ team_id: cast.teams[house], url: 'https://example.com/cells', events: ['*'], ...states },
        ...{ sealed_secret: 'x', cursor_tx: '0' },
      }));
      return service.database.knex('webhook_subscriptions').insert(rows).returning('id');
    },
    digest: ({ id }) =>
      rowsOf(service, ['webhook_subscriptions', { id }], ['webhook_deliveries', { subscription_id: id }]),
  };
}
