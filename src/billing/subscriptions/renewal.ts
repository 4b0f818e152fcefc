/**
 * The clock's part in subscriptions: the end of a period creates the next one's invoice or a requested
 * cancellation takes effect, and a team that does not pay in time is past due and finally without a plan. Repeated by a
 * scheduled job; each period is billed once.
 */

import type { Knex } from 'knex';
import { raw } from 'objection';
import { Membership } from '../../accounts/models/team.model.ts';
import { Plan } from '../../catalog/directory/plan.model.ts';
import { appendLast } from '../../events/outbox.ts';
import { forEachDue } from '../../shared/due-rows.ts';
import {
  CURRENT_SUBSCRIPTIONS,
  LIVE_INVOICE_SQL,
  LIVE_INVOICES,
} from '../../shared/statuses/billing-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { invoiceFact } from '../invoices/invoice-facts.ts';
import { Subscription } from './subscription.model.ts';
import { billPeriod, cancel, change, lockTeam, ONE_MONTH, ownerOf } from './subscriptions.ts';

/** How long a subscription stays past due before it ends. */
const GRACE = "interval '30 days'";

/**
 * Moves every subscription whose time has come; those that a provider runs are moved by its events. Returns how many.
 */
export function renewSubscriptions(knex: Knex): Promise<number> {
  const due = Subscription.query(knex)
    .whereNull('provider_id')
    .whereIn('status', [...CURRENT_SUBSCRIPTIONS])
    .whereRaw('current_period_end <= now()')
    .where((query) =>
      query
        .where('cancel_at_period_end', true)
        .orWhere('granted', true)
        .orWhereRaw(`current_period_end + ${GRACE} <= now()`)
        .orWhereRaw(
          `NOT EXISTS (SELECT 1 FROM invoices i WHERE i.subscription_id = subscriptions.id
            AND i.period_start = subscriptions.current_period_end AND i.status IN ${LIVE_INVOICE_SQL})`,
        )
        .orWhereRaw(
          `status = 'active' AND EXISTS (SELECT 1 FROM invoices i WHERE i.subscription_id = subscriptions.id
            AND i.status = 'open' AND i.due_at < now())`,
        ),
    );
  return forEachDue('subscription', due, ({ id, team_id }) =>
    inTransaction(knex, async (trx) => {
      await lockTeam(trx, team_id);
      await renew(trx, id);
    }),
  );
}

/**
 * A subscription belongs to its team: when the member who ordered it has left, its owner is billed, for what is open
 * too, and told. Returns of how many.
 */
export function billOwners(knex: Knex): Promise<number> {
  const left = Subscription.query(knex)
    .whereNot('status', 'canceled')
    .whereNotExists(
      Membership.query()
        .whereColumn('memberships.team_id', 'subscriptions.team_id')
        .whereColumn('memberships.user_id', 'subscriptions.user_id'),
    );
  return forEachDue('subscription', left, ({ id, team_id }) =>
    inTransaction(knex, async (trx) => {
      await lockTeam(trx, team_id);
      const ownerId = await ownerOf(trx, team_id);
      if (ownerId === null) return;
      await change(trx, { id }, { user_id: ownerId });
      const open = await Invoice.query(trx)
        .where({ subscription_id: id, status: 'open' })
        .patch({ user_id: ownerId, checkout_url: null })
        .returning('*');
      await appendLast(
        trx,
        ...open.map((invoice) => invoiceFact(invoice, 'invoice.created', `for-${ownerId}`)),
      );
    }),
  );
}

type Timed = Subscription & {
  readonly current_period_end: string;
  readonly next_end: string;
  readonly given_up: boolean;
};

async function renew(trx: Knex.Transaction, id: number): Promise<void> {
  const subscription = await Subscription.query(trx)
    .findById(id)
    .whereIn('status', [...CURRENT_SUBSCRIPTIONS])
    .whereRaw('current_period_end <= now()')
    .select(
      'subscriptions.*',
      raw(`current_period_end + ${ONE_MONTH} AS next_end`),
      raw(`current_period_end + ${GRACE} <= now() AS given_up`),
    )
    .castTo<Timed | undefined>();
  if (subscription === undefined) return;
  if (subscription.cancel_at_period_end) return cancel(trx, subscription);
  const start = subscription.current_period_end;
  const end = subscription.next_end;
  if (subscription.granted) {
    await change(trx, subscription, { current_period_start: start, current_period_end: end });
    return;
  }
  if (subscription.given_up) return cancel(trx, subscription);
  await billOrMarkPastDue(trx, subscription, { start, end });
}

async function billOrMarkPastDue(
  trx: Knex.Transaction,
  subscription: Subscription,
  period: { start: string; end: string },
): Promise<void> {
  const billed = await Invoice.query(trx)
    .findOne({ subscription_id: subscription.id, period_start: period.start })
    .whereIn('status', [...LIVE_INVOICES])
    .select('status', raw('due_at < now() AS late'))
    .castTo<(Pick<Invoice, 'status'> & { late: boolean }) | undefined>();
  if (billed === undefined) {
    const plan = await Plan.query(trx).findById(subscription.plan_id).throwIfNotFound();
    const { status } = await billPeriod(trx, subscription, plan, period);
    const columns = { current_period_start: period.start, current_period_end: period.end };
    if (status === 'paid') await change(trx, subscription, columns);
  } else if (billed.status === 'open' && billed.late && subscription.status === 'active')
    await change(trx, subscription, { status: 'past_due' });
}
