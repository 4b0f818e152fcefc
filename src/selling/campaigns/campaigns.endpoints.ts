/** A team's ad campaigns: list, make, change and move; and the address that clicks on their lots go through. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { Attempts } from '../../../adapters/redis/attempts.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { actingSeller } from '../../accounts/teams/seller.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readPage } from '../../shared/paging/read-page.ts';
import { notFound } from '../../shared/refusal.ts';
import { CAMPAIGN_STATUSES } from '../../shared/statuses/selling-statuses.ts';
import { AdCampaign } from './campaign.model.ts';
import { Campaign, CampaignChangeBody, NewCampaignBody } from './campaign.schema.ts';
import { campaigns, presentCampaign, type ShownCampaign } from './campaign-rows.ts';
import { type CampaignCaller, changeCampaign, createCampaign } from './campaigns.ts';
import { adTally, countName } from './counting.ts';
import { RUNNING } from './sponsored.ts';

const head = {
  tags: ['Ad campaigns'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
} as const;
const id = Id;

/** One click in this time counts, for each caller and lot of a campaign. */
const CLICK_SECONDS = 600;

export interface CampaignParts {
  readonly knex: Knex;
  readonly redis: OpenLink;
}

export function campaignEndpoints(parts: CampaignParts): Endpoint[] {
  return [list(parts.knex), create(parts.knex), change(parts.knex), click(parts)];
}

function list(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/ad-campaigns',
    operationId: 'listAdCampaigns',
    summary: 'The team’s campaigns, newest first',
    codes: TEAM_CODES,
    query: Type.Object({
      ...pagingQuery,
      status: Type.Optional(oneOf(CAMPAIGN_STATUSES)),
    }),
    responses: { 200: { description: 'A page of campaigns.', schema: listBody(Campaign) } },
    async handle(request) {
      const { query } = request;
      const rows = campaigns(knex).where('team_id', await actingTeam(knex, request));
      if (query.status !== undefined) rows.where('status', query.status);
      const found = await readPage<ShownCampaign>(rows, [{ column: 'id', order: 'desc' }], query);
      return listOf(found.rows.map(presentCampaign), found.paging);
    },
  });
}

function create(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/ad-campaigns',
    operationId: 'createAdCampaign',
    summary: 'Create a campaign',
    description: 'A draft: change its status to `pending_payment` to get its invoice.',
    codes: TEAM_CODES,
    body: NewCampaignBody,
    responses: { 201: { description: 'The campaign.', schema: bodyOf(Campaign) } },
    async handle(request) {
      const caller = await callerOf(knex, request);
      const row = await createCampaign(knex, caller, request.body);
      return success(presentCampaign(row), { status: 201, message: 'Campaign created.' });
    },
  });
}

function change(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'PATCH',
    path: '/api/v1/ad-campaigns/{id}',
    operationId: 'changeAdCampaign',
    summary: 'Change a campaign or its status',
    description:
      'Placement, pricing, budget and start are fixed once it has left `draft`. Going back to `draft` ' +
      'voids its invoice. Only an admin moves `pending_payment` to `active` by hand, another team’s ' +
      'with the ability `admin`; everything else is for the team’s own context.',
    codes: [...TEAM_CODES, 'invalid_transition'],
    params: Type.Object({ id }),
    body: CampaignChangeBody,
    responses: { 200: { description: 'The campaign after the change.', schema: bodyOf(Campaign) } },
    async handle(request) {
      const caller = await callerOf(knex, request);
      const row = await changeCampaign(knex, caller, request.params.id, request.body);
      return success(presentCampaign(row), { message: 'Campaign updated.' });
    },
  });
}

async function callerOf(knex: Knex, request: Parameters<typeof actingTeam>[1]): Promise<CampaignCaller> {
  const { userId, isAdmin, abilities } = request.principal;
  const actsAsAdmin = isAdmin && abilities.has('admin');
  return { ...(await actingSeller(knex, request)), userId, actsAsAdmin };
}

function click({ knex, redis }: CampaignParts): Endpoint {
  const tally = adTally({ redis });
  const clicks = new Attempts(redis.timely, { name: 'ad-click', attempts: 1, perSeconds: CLICK_SECONDS });
  return endpoint({
    method: 'GET',
    path: '/ads/{campaign}/lots/{lot}',
    operationId: 'followAd',
    summary: 'Count a click on a sponsored lot and redirect to its page',
    description: `The \`click_url\` of a sponsored lot. A caller’s clicks count once in ${CLICK_SECONDS / 60} minutes, and only while the campaign runs.`,
    tags: ['Ad campaigns'],
    access: { kind: 'public' },
    undocumented: true,
    params: Type.Object({ campaign: id, lot: id }),
    responses: { 302: { description: 'A redirect to the lot’s page.', contentType: 'text/html' } },
    async handle({ params, principal, ip }) {
      const [shown] = await AdCampaign.query(knex)
        .alias('c')
        .joinRelated('shownLots')
        .where({ 'c.id': params.campaign, 'shownLots.lot_id': params.lot })
        .select(raw(RUNNING).as('running'))
        .castTo<{ readonly running: boolean }[]>();
      if (shown === undefined) throw notFound('There is no such ad.');
      const who = `${rateKey(principal?.userId ?? null, ip)}|${params.campaign}|${params.lot}`;
      if (shown.running && (await clicks.take(who)) === null) {
        // Without Redis the click is not counted, and so not billed; the redirect works all the same.
        await tally.add(countName('clicks', params.campaign)).catch(() => {});
      }
      return { status: 302, headers: { Location: `/lots/${params.lot}`, 'Cache-Control': 'no-store' } };
    },
  });
}
