/** A team's webhook subscriptions: making, changing, rotating and deleting them. Another team's are not there. */
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type SignedRequest } from '../../adapters/http/endpoint.ts';
import { done, listOf, success } from '../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../accounts/teams/team-context.ts';
import { keepsSecrets, requireRoleIn } from '../accounts/teams/team-roles.ts';
import { WEBHOOK_POLICY, webhookState } from '../shared/policy/webhook-policy.ts';
import { notFound } from '../shared/refusal.ts';
import { requireUrl, type UrlRules } from './subscription-url.ts';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  rotateSecret,
  type SubscriptionRow,
  type WithSecret,
} from './webhook-subscriptions.ts';
import {
  Deleted,
  many,
  NewSubscriptionBody,
  one,
  PageQuery,
  presentSubscription,
  Subscription,
  SubscriptionChangeBody,
  SubscriptionParams,
  SubscriptionWithSecret,
} from './webhooks.schema.ts';

export interface WebhookParts {
  readonly knex: Knex;
  readonly appSecrets: readonly string[];
  readonly urlRules: UrlRules;
}

export const FOR_SELLERS = {
  tags: ['Webhooks'],
  access: { kind: 'ability', ability: 'seller' },
  codes: TEAM_CODES,
  headers: TeamHeaders,
} as const;

export const SUBSCRIPTIONS_PATH = '/api/v1/webhook-subscriptions';
const ONE_PATH = `${SUBSCRIPTIONS_PATH}/{id}`;

export function webhookEndpoints(parts: WebhookParts): Endpoint[] {
  return [list(parts), create(parts), read(parts), change(parts), remove(parts), rotate(parts)];
}

/** The subscription, of the team that the request acts for. Throws 404. */
export async function subscriptionOf(
  knex: Knex,
  request: SignedRequest<{ readonly id: number }>,
): Promise<SubscriptionRow> {
  const teamId = await actingTeam(knex, request);
  const row = await findSubscription(knex, teamId, request.params.id);
  if (row === null) throw missing();
  return row;
}

const missing = () => notFound('There is no such webhook subscription.');

function list({ knex }: WebhookParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'GET',
    path: SUBSCRIPTIONS_PATH,
    operationId: 'listWebhookSubscriptions',
    summary: 'The team’s webhook subscriptions',
    query: PageQuery,
    responses: { 200: { description: 'A page of subscriptions.', schema: many(Subscription) } },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      const { page = 1, per_page: perPage = 15 } = request.query;
      const { rows, total } = await listSubscriptions(knex, teamId, { page, perPage });
      return listOf(rows.map(presentSubscription), { page, perPage, total });
    },
  });
}

function create({ knex, appSecrets, urlRules }: WebhookParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'POST',
    path: SUBSCRIPTIONS_PATH,
    operationId: 'createWebhookSubscription',
    summary: 'Subscribe a URL to events of the team',
    description:
      'It receives events from now on. Only this answer contains the secret that signs the deliveries.',
    body: NewSubscriptionBody,
    responses: { 201: { description: 'The subscription.', schema: one(SubscriptionWithSecret) } },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      await requireUrl(request.body.url, urlRules);
      const made = await createSubscription(knex, appSecrets, teamId, request.body);
      return success(await withSecret(knex, request, made), { status: 201 });
    },
  });
}

function read({ knex }: WebhookParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'GET',
    path: ONE_PATH,
    operationId: 'getWebhookSubscription',
    summary: 'A webhook subscription',
    params: SubscriptionParams,
    responses: { 200: { description: 'The subscription.', schema: one(Subscription) } },
    handle: async (request) => success(presentSubscription(await subscriptionOf(knex, request))),
  });
}

function change({ knex, urlRules }: WebhookParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'PATCH',
    path: ONE_PATH,
    operationId: 'changeWebhookSubscription',
    summary: 'Change a webhook subscription',
    description: 'A subscription that is turned on again receives events from then on.',
    params: SubscriptionParams,
    body: SubscriptionChangeBody,
    responses: { 200: { description: 'The subscription.', schema: one(Subscription) } },
    async handle(request) {
      const { id, team_id: teamId } = await subscriptionOf(knex, request);
      if (request.body.url !== undefined) await requireUrl(request.body.url, urlRules);
      const row = await changeSubscription(knex, teamId, id, request.body);
      if (row === null) throw missing();
      return success(presentSubscription(row));
    },
  });
}

function remove({ knex }: WebhookParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'DELETE',
    path: ONE_PATH,
    operationId: 'deleteWebhookSubscription',
    summary: 'Delete a webhook subscription and its log',
    codes: [...TEAM_CODES, 'forbidden'],
    params: SubscriptionParams,
    responses: { 200: { description: 'It is deleted.', schema: Deleted } },
    async handle(request) {
      const row = await subscriptionOf(knex, request);
      const { id, team_id: teamId } = row;
      const who = { teamId, userId: request.principal.userId };
      await requireRoleIn(knex, WEBHOOK_POLICY, 'delete', webhookState(row), who);
      if (!(await deleteSubscription(knex, teamId, id))) throw missing();
      return done('The webhook subscription is deleted.');
    },
  });
}

function rotate({ knex, appSecrets }: WebhookParts): Endpoint {
  return endpoint({
    ...FOR_SELLERS,
    method: 'POST',
    path: `${ONE_PATH}/rotate-secret`,
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook subscription a new secret',
    description: 'For 24 hours deliveries are signed with both the new and the previous secret.',
    codes: [...TEAM_CODES, 'forbidden'],
    params: SubscriptionParams,
    responses: { 200: { description: 'The new secret.', schema: one(SubscriptionWithSecret) } },
    async handle(request) {
      const row = await subscriptionOf(knex, request);
      const { id, team_id: teamId } = row;
      const who = { teamId, userId: request.principal.userId };
      await requireRoleIn(knex, WEBHOOK_POLICY, 'rotate_secret', webhookState(row), who);
      const rotated = await rotateSecret(knex, appSecrets, teamId, id);
      if (rotated === null) throw missing();
      return success(await withSecret(knex, request, rotated));
    },
  });
}

async function withSecret(knex: Knex, { principal }: SignedRequest, { row, secret }: WithSecret) {
  const shown = await keepsSecrets(knex, row.team_id, principal.userId);
  return {
    ...presentSubscription(row),
    secret: shown ? secret : null,
    previous_secret_valid_until: row.previous_valid_until,
  };
}
