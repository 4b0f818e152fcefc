/** `/seller/campaigns`: the team's ad campaigns, their forms and their moves. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { isOneOf, namesIn, objectIn } from '../../../../engine/objects.ts';
import type { Role } from '../../../accounts/models/team.model.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { campaignMoves } from '../../../shared/policy/campaign-policy.ts';
import { CAMPAIGN_STATUSES, type CampaignStatus } from '../../../shared/statuses/selling-statuses.ts';
import { PAGE } from '../../page.ts';
import { changeResource, submit } from '../forms/desk-form.ts';
import { type Desk, found } from '../frame/desk.ts';
import { drawStored, type ResourceKind, resourcePages } from '../frame/resource-pages.ts';
import { statusFilters, statusQuery } from '../frame/tables.ts';
import { chosenIn, lotChoices, lotsHint, withOfferedLots } from './campaign-lots.ts';

const PATH = '/seller/campaigns';

/** The moves that a seller may request, in the words of their buttons. */
const BUTTONS: Readonly<Record<CampaignStatus, string>> = {
  pending_payment: 'Order and get the invoice',
  draft: 'Back to draft',
  active: 'Resume',
  paused: 'Pause',
  ended: 'End',
  cancelled: 'Cancel campaign',
};

/** What a team pays for, in words. */
const PRICING = {
  flat: 'By the day',
  cpc: 'By the click',
  cpm: 'By the thousand impressions',
} as const;
const PRICING_CHOICES = namesIn(PRICING).map((value) => ({ value, label: PRICING[value] }));

/** What has begun is ended, not cancelled. */
function buttonsFor(status: string, role: Role): readonly (readonly string[])[] {
  if (!isOneOf(CAMPAIGN_STATUSES, status)) return [];
  const moves = campaignMoves(status, role);
  return moves.filter((to) => to !== 'cancelled' || !moves.includes('ended')).map((to) => [to, BUTTONS[to]]);
}

const CAMPAIGN: ResourceKind = {
  path: PATH,
  noun: 'campaign',
  name: 'SellerCampaign',
  create: 'createAdCampaign',
  change: 'changeAdCampaign',
  template: 'seller/campaigns/campaign',
  defaults: { placement: 'search', pricing_model: 'flat' },
  async read(desk, visit, id) {
    const { data } = await visit.perform('listAdCampaigns', { query: { per_page: 100 } });
    const near: unknown[] = Array.isArray(data) ? data : [];
    const listed = near.find((one) => objectIn(one)['id'] === id);
    if (listed !== undefined) return objectIn(listed);
    // Older ones are on later pages.
    const row = await desk.knex('ad_campaigns').where({ id, team_id: visit.team.id }).first('id');
    found(row, 'campaign');
    const [counted] = await desk
      .knex('ad_campaigns')
      .where('team_id', visit.team.id)
      .where('id', '>', id)
      .count<{ newer: number }[]>('* as newer');
    const page = Math.floor((counted?.newer ?? 0) / 100) + 1;
    const later = await visit.perform('listAdCampaigns', { query: { per_page: 100, page } });
    const all: unknown[] = Array.isArray(later.data) ? later.data : [];
    return objectIn(
      found(
        all.find((one) => objectIn(one)['id'] === id),
        'campaign',
      ),
    );
  },
  async form({ knex }, visit, _texts, schema, resource) {
    const lots = await lotChoices(knex, visit.team.id, chosenIn(resource));
    return {
      schema: withOfferedLots(schema, lots),
      options: {
        omit: ['status'],
        labels: { budget_cents: 'Budget', lot_ids: 'Lots' },
        currency: 'USD',
        choices: { lot_ids: lots, pricing_model: PRICING_CHOICES },
        hints: {
          lot_ids: lotsHint(lots.length),
          pricing_model: 'By the day, the budget is spread over all days.',
          start_date: 'The first day, in UTC.',
          end_date: 'The last day, in UTC.',
        },
      },
    };
  },
  async more(_desk, visit, resource) {
    return { moves: buttonsFor(String(resource['status']), visit.team.role) };
  },
};

export function campaignPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'sellerCampaignsPage',
      summary: 'The team’s ad campaigns',
      query: statusQuery(CAMPAIGN_STATUSES),
      handle: (request) =>
        desk.at(request, async (visit) => {
          const query = { ...request.query, per_page: 50 };
          const { data, meta } = await visit.perform('listAdCampaigns', { query });
          return desk.html(visit, {
            title: 'Campaigns',
            template: 'seller/campaigns/campaigns',
            data: {
              ...{ campaigns: data, pricing: PRICING },
              ...statusFilters(CAMPAIGN_STATUSES, request.query, meta),
            },
          });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/{id}/status`,
      operationId: 'moveSellerCampaignOnPage',
      summary: 'Changes the status of a campaign',
      params: Type.Object({ id: Id }),
      body: { form: Type.Object({ status: oneOf(CAMPAIGN_STATUSES) }) },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const { id } = request.params;
          const { status } = request.body;
          return submit(
            desk,
            () => changeResource(visit, 'changeAdCampaign', id, { status }),
            (refused) => drawStored(desk, CAMPAIGN, visit, id, { refused }),
            () => `${PATH}/${id}`,
          );
        }),
    }),
    ...resourcePages(desk, CAMPAIGN),
  ];
}
