/** A team's subscription to a plan. One is current at a time; one more may wait for its first payment. */
import { Type } from '@sinclair/typebox';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { Plan } from '../../catalog/directory/plan.model.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { mayMove, type SubscriptionStatus, statusSchema } from '../../shared/statuses/billing-statuses.ts';

export const SubscriptionStatusSchema = statusSchema('subscription');

const timeOrNull = orNull(Type.String());

const SubscriptionColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  user_id: Type.Integer({ description: 'The user who is billed.' }),
  plan_id: Type.Integer(),
  status: SubscriptionStatusSchema,
  granted: Type.Boolean({ description: 'Granted by staff: renewed without an invoice.' }),
  current_period_start: timeOrNull,
  current_period_end: timeOrNull,
  cancel_at_period_end: Type.Boolean(),
  provider_id: orNull(Type.String(), {
    description: 'The payment provider’s id for it, if the provider manages it.',
  }),
  provider_event_at: orNull(Type.String(), {
    description: 'When the newest event applied to it was created.',
  }),
  revision: Type.Integer({ description: 'Counts its changes.' }),
  created_at: Type.String(),
  canceled_at: timeOrNull,
});

export class Subscription extends shapedBy('subscriptions', SubscriptionColumns) {
  declare plan?: Plan;

  static override relationMappings = () => ({
    plan: belongsTo(Plan, 'subscriptions.plan_id'),
  });
}

/** Whether a subscription may go there, staying where it is included. */
export function maySubscriptionBe(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return from === to || mayMove('subscription', from, to);
}
