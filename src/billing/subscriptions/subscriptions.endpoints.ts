/** A team's subscription: the current one, and requesting a plan. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { decimalsOf, wholeUnits } from '../../../engine/money.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Plan } from '../../catalog/directory/plan.model.ts';
import { orNull, Slug } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { invalid } from '../../shared/refusal.ts';
import { InvoiceBody } from '../invoices/invoice.schema.ts';
import { findInvoice, presentInvoice } from '../invoices/invoice-rows.ts';
import { type LinkParts, paymentLink } from '../invoices/payment-links.ts';
import { type Subscription, SubscriptionStatusSchema } from './subscription.model.ts';
import { currentSubscription, findPlan, subscribe } from './subscriptions.ts';

const TimeOrNull = orNull(Type.String());

const SubscriptionFields = {
  id: Type.Integer(),
  plan: Type.Object({ name: Type.String(), slug: Type.String(), price_monthly: Type.Number() }),
  status: SubscriptionStatusSchema,
  current_period_start: TimeOrNull,
  current_period_end: TimeOrNull,
  cancel_at_period_end: Type.Boolean(),
};

const SubscriptionBody = Type.Object(SubscriptionFields, { $id: 'Subscription' });
const Subscribed = Type.Object({
  ...SubscriptionFields,
  invoice: orNull(InvoiceBody, { description: 'The invoice that must be paid first.' }),
});

const head = {
  tags: ['Subscriptions'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
  codes: TEAM_CODES,
} as const;

export function subscriptionEndpoints(parts: LinkParts): Endpoint[] {
  const { knex } = parts;
  return [
    endpoint({
      ...head,
      method: 'GET',
      path: '/api/v1/subscriptions/current',
      operationId: 'getCurrentSubscription',
      summary: 'The team’s current subscription, or null',
      responses: {
        200: { description: 'The subscription.', schema: bodyOf(orNull(SubscriptionBody)) },
      },
      async handle(request) {
        const current = await currentSubscription(knex, await actingTeam(knex, request));
        return success(current === undefined ? null : await present(knex, current));
      },
    }),
    endpoint({
      ...head,
      method: 'POST',
      path: '/api/v1/subscriptions',
      operationId: 'subscribe',
      summary: 'Subscribe to a plan',
      description: 'Active once the invoice is paid; a plan that costs nothing is active at once.',
      body: Type.Object({ plan: Slug }),
      responses: {
        201: {
          description: 'The subscription and the invoice to be paid for it.',
          schema: bodyOf(Subscribed),
        },
      },
      async handle(request) {
        const { principal, body, baseUrl } = request;
        const teamId = await actingTeam(knex, request);
        const plan = await findPlan(knex, body.plan);
        if (plan === null) throw invalid({ plan: ['There is no such plan.'] });
        const { subscription, invoice } = await subscribe(knex, teamId, principal.userId, plan);
        const row = invoice === null ? null : await findInvoice(knex, String(invoice.id));
        const link = row === null ? null : await paymentLink(parts, row, principal.email, baseUrl);
        const view = row === null ? null : presentInvoice(row, link);
        return success({ ...(await present(knex, subscription)), invoice: view }, { status: 201 });
      },
    }),
  ];
}

async function present(knex: Knex, subscription: Subscription) {
  const plan = await Plan.query(knex).findById(subscription.plan_id).throwIfNotFound();
  return {
    id: subscription.id,
    plan: {
      name: plan.name,
      slug: plan.slug,
      price_monthly: wholeUnits(plan.price_monthly_cents, decimalsOf(plan.currency)),
    },
    status: subscription.status,
    current_period_start: subscription.current_period_start,
    current_period_end: subscription.current_period_end,
    cancel_at_period_end: subscription.cancel_at_period_end,
  };
}
