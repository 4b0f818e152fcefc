/**
 * What staff load once and everybody reads: subscription plans and the platforms that lots can be listed on as well.
 */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf } from '../../../adapters/http/envelope.ts';
import { decimalsOf, wholeUnits } from '../../../engine/money.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readModelPage } from '../../shared/paging/read-page.ts';
import { CrossListingPlatform, PlatformColumns } from './cross-listing-platform.model.ts';
import { Plan, PlanColumns } from './plan.model.ts';

const PresentedPlan = Type.Object(
  {
    ...Type.Pick(PlanColumns, ['id', 'name', 'slug', 'currency', 'features']).properties,
    price_monthly: Type.Number(),
    price_yearly: orNull(Type.Number()),
    limits: Type.Object({}, { additionalProperties: true }),
    commission_percentage: Type.Number(),
  },
  { $id: 'Plan' },
);

const { created_at: _since, ...platformFields } = PlatformColumns.properties;
const PresentedPlatform = Type.Object(
  { ...platformFields, supports: Type.Array(Type.String()) },
  { $id: 'CrossListingPlatform' },
);

const head = { method: 'GET', tags: ['Directory'], access: { kind: 'public' } } as const;
const query = Type.Object(pagingQuery);

export function directoryEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      ...head,
      path: '/api/v1/subscription-plans',
      operationId: 'listSubscriptionPlans',
      summary: 'Subscription plans and their prices, the cheapest first',
      query,
      responses: { 200: { description: 'The plans.', schema: listBody(PresentedPlan) } },
      async handle({ query: paging }) {
        const found = await readModelPage(Plan.query(knex), ['price_monthly_cents', 'id'], paging);
        return listOf(found.rows.map(presentPlan), found.paging);
      },
    }),
    endpoint({
      ...head,
      path: '/api/v1/cross-listing-platforms',
      operationId: 'listCrossListingPlatforms',
      summary: 'Platforms that lots can be cross-listed on',
      query,
      responses: { 200: { description: 'The platforms.', schema: listBody(PresentedPlatform) } },
      async handle({ query: paging }) {
        const platforms = CrossListingPlatform.query(knex).select(Object.keys(platformFields));
        const found = await readModelPage(platforms, ['name', 'id'], paging);
        return listOf(found.rows, found.paging);
      },
    }),
  ];
}

/** A plan as the price list shows it; prices and the commission are JSON numbers. */
function presentPlan(plan: Plan) {
  return {
    id: plan.id,
    name: plan.name,
    slug: plan.slug,
    price_monthly: wholeUnits(plan.price_monthly_cents, decimalsOf(plan.currency)),
    price_yearly:
      plan.price_yearly_cents === null
        ? null
        : wholeUnits(plan.price_yearly_cents, decimalsOf(plan.currency)),
    currency: plan.currency,
    features: plan.features,
    limits: plan.limits,
    commission_percentage: plan.commission_bps / 100,
  };
}
