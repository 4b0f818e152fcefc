/**
 * `/account/developer/webhooks`: the webhook subscriptions of the caller's teams, and the delivery log of each. The
 * same rules hold as for the endpoints: a secret is on the page that makes it and nowhere after, and only for owners
 * and admins of the team.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { requireUnlocked } from '../../accounts/teams/team-context.ts';
import { requireRoleIn } from '../../accounts/teams/team-roles.ts';
import { EVENT_KINDS } from '../../events/event-names.ts';
import { Id } from '../../shared/fields.schema.ts';
import { WEBHOOK_POLICY, type WebhookAction, webhookState } from '../../shared/policy/webhook-policy.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { addRedelivery, addTestDelivery } from '../../webhooks/deliveries.ts';
import { requireUrl, type UrlRules } from '../../webhooks/subscription-url.ts';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  rotateSecret,
  type SubscriptionRow,
} from '../../webhooks/webhook-subscriptions.ts';
import { eventField, tickedEvents } from '../components/event-ticks.ts';
import { PageNumber } from '../lists.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';
import { webhookPage, webhooksPage } from './webhook-views.ts';

export interface WebhookPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly appSecrets: readonly string[];
  readonly urlRules: UrlRules;
  /** Schedules the deliveries of a subscription. */
  readonly scheduleRetry: (subscriptionId: number) => void;
}

const PATH = '/account/developer/webhooks';
const ONE = `${PATH}/{id}`;

const OneParams = Type.Object({ id: Id });
const Nothing = Type.Object({});
const Ticked = Type.Optional(Type.String({ maxLength: 10 }));

const NAMED_FIELDS = {
  url: Type.String({ maxLength: 5_000 }),
  team: Id,
  description: Type.Optional(Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$' })),
  all: Ticked,
};
/** With a box for each kind of event; these are read by their names in `EVENT_KINDS`. */
const FIELDS: typeof NAMED_FIELDS = {
  ...Object.fromEntries(EVENT_KINDS.map((kind) => [eventField(kind), Ticked])),
  ...NAMED_FIELDS,
};
const NewForm = Type.Object(FIELDS);

export function webhookPages(parts: WebhookPageParts): Endpoint[] {
  return [
    listPage(parts),
    createPage(parts),
    logPage(parts),
    rotatePage(parts),
    action(parts, 'toggle', 'Turns a subscription on or off', async (row) => {
      await changeSubscription(parts.knex, row.team_id, row.id, { is_active: !row.is_active });
    }),
    action(parts, 'test', 'Sends a test event', async (row) => {
      await addTestDelivery(parts.knex, row.id);
      parts.scheduleRetry(row.id);
    }),
    deletePage(parts),
    redeliverPage(parts),
  ];
}

function listPage(parts: WebhookPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'webhooksPage',
    summary: 'The webhook subscriptions of the caller’s teams',
    handle: (request) => parts.pages.proved(request, PATH, (who) => webhooksPage(parts, request, who, {})),
  });
}

function createPage(parts: WebhookPageParts): Endpoint {
  const { knex, appSecrets, urlRules } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'createWebhookOnPage',
    summary: 'Creates a webhook subscription and shows its secret once',
    body: { form: NewForm },
    handle: (request) =>
      parts.pages.proved(request, PATH, async (who) => {
        const form = request.body;
        if (!who.teamIds.includes(form.team)) throw notFound('There is no such team.');
        requireUnlocked(who, form.team);
        const events = tickedEvents(form);
        const url = form.url.trim();
        if (events.length === 0)
          return webhooksPage(parts, request, who, { wrong: 'Choose at least one event.', form });
        const description = form.description?.trim() || null;
        try {
          await requireUrl(url, urlRules);
          const made = await createSubscription(knex, appSecrets, form.team, { url, events, description });
          return webhookPage(parts, request, who, made.row, { secret: made.secret, status: 201 });
        } catch (error) {
          return webhooksPage(parts, request, who, { wrong: sentenceOf(error), form });
        }
      }),
  });
}

/** What is wrong with the form; throws what is no refusal of it. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Refusal) || error.code !== 'validation_failed') throw error;
  return error.errors?.['url']?.[0] ?? error.message;
}

function logPage(parts: WebhookPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: ONE,
    operationId: 'webhookPage',
    summary: 'A webhook subscription with its delivery log',
    params: OneParams,
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const row = await ownRow(parts.knex, who, request.params.id);
        return webhookPage(parts, request, who, row, { page: request.query.page });
      }),
  });
}

function rotatePage(parts: WebhookPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${ONE}/rotate`,
    operationId: 'rotateWebhookSecretOnPage',
    summary: 'Gives a subscription a new secret and shows it once',
    params: OneParams,
    body: { form: Nothing },
    handle: (request) =>
      parts.pages.proved(request, `${PATH}/${request.params.id}`, async (who) => {
        const row = await ownRow(parts.knex, who, request.params.id);
        await requireKeeper(parts.knex, 'rotate_secret', row, who);
        const rotated = await rotateSecret(parts.knex, parts.appSecrets, row.team_id, row.id);
        if (rotated === null) throw missing();
        return webhookPage(parts, request, who, rotated.row, { secret: rotated.secret });
      }),
  });
}

function requireKeeper(
  knex: Knex,
  action: WebhookAction,
  row: SubscriptionRow,
  { userId }: SignedIn,
): Promise<void> {
  return requireRoleIn(knex, WEBHOOK_POLICY, action, webhookState(row), { teamId: row.team_id, userId });
}

function deletePage({ knex, pages }: WebhookPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${ONE}/delete`,
    operationId: 'deleteWebhookOnPage',
    summary: 'Deletes a subscription with its log',
    params: OneParams,
    body: { form: Nothing },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const row = await ownRow(knex, who, request.params.id);
        await requireKeeper(knex, 'delete', row, who);
        await deleteSubscription(knex, row.team_id, row.id);
        return pages.go(PATH);
      }),
  });
}

function redeliverPage({ knex, pages, scheduleRetry }: WebhookPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${ONE}/deliveries/{delivery}/redeliver`,
    operationId: 'redeliverWebhookOnPage',
    summary: 'Deliver an event again',
    params: Type.Object({ id: Id, delivery: Id }),
    body: { form: Nothing },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const row = await ownRow(knex, who, request.params.id);
        const added = await addRedelivery(knex, row.id, request.params.delivery);
        if (added === null) throw notFound('There is no such delivery.');
        scheduleRetry(row.id);
        return pages.go(`${PATH}/${row.id}`);
      }),
  });
}

/** Something that any member may do to a subscription; its page follows. */
function action(
  { knex, pages }: WebhookPageParts,
  name: string,
  summary: string,
  act: (row: SubscriptionRow) => Promise<void>,
): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${ONE}/${name}`,
    operationId: `${name}WebhookOnPage`,
    summary,
    params: OneParams,
    body: { form: Nothing },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const row = await ownRow(knex, who, request.params.id);
        await act(row);
        return pages.go(`${PATH}/${row.id}`);
      }),
  });
}

const missing = () => notFound('There is no such webhook subscription.');

/** The subscription, of any team that the caller is in. Throws 404. */
async function ownRow(knex: Knex, who: SignedIn, id: number): Promise<SubscriptionRow> {
  for (const teamId of who.teamIds) {
    const row = await findSubscription(knex, teamId, id);
    if (row !== null && requireUnlocked(who, teamId)) return row;
  }
  throw missing();
}
