/**
 * The rules of subscriptions: made incomplete with an invoice, active by its payment, renewed by an invoice for each
 * period, past due when that is not paid. Every change locks the team first, so that a team never has two current
 * ones.
 */

import type { Knex } from 'knex';
import { type PartialModelObject, raw } from 'objection';
import { Membership, Team } from '../../accounts/models/team.model.ts';
import { Plan } from '../../catalog/directory/plan.model.ts';
import { appendLast } from '../../events/outbox.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import {
  CURRENT_SUBSCRIPTIONS,
  OWED_INVOICES,
  type SubscriptionStatus,
} from '../../shared/statuses/billing-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { createInvoice } from '../invoices/create-invoices.ts';
import type { InvoiceChange } from '../invoices/follow-up.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { voidInvoice } from '../invoices/invoices.ts';
import { holdMoney } from '../ledger/money-lock.ts';
import { maySubscriptionBe, Subscription } from './subscription.model.ts';

export const ONE_MONTH = "interval '1 month'";

/** The plan with this slug, or null. */
export async function findPlan(knex: Knex, slug: string): Promise<Plan | null> {
  return (await Plan.query(knex).findOne({ slug })) ?? null;
}

/** Locks the team's subscriptions until the transaction ends. False: there is no such team. */
export async function lockTeam(trx: Knex.Transaction, teamId: number): Promise<boolean> {
  await holdMoney(trx, teamId);
  return (await Team.query(trx).findById(teamId)) !== undefined;
}

/** The team's current subscription, where it has one. */
export function currentSubscription(knex: Knex, teamId: number) {
  return Subscription.query(knex)
    .findOne({ team_id: teamId })
    .whereIn('status', [...CURRENT_SUBSCRIPTIONS]);
}

/** Writes columns, counts the change and tells of it. */
export async function change(
  trx: Knex.Transaction,
  subscription: Pick<Subscription, 'id'>,
  columns: PartialModelObject<Subscription>,
): Promise<Subscription> {
  const row = await Subscription.query(trx)
    .findById(subscription.id)
    .patch({ ...columns, revision: raw('revision + 1') })
    .returning('*')
    .first()
    .throwIfNotFound();
  await appendChange(trx, row);
  return row;
}

async function appendChange(trx: Knex.Transaction, subscription: Subscription): Promise<void> {
  const { id, team_id, status, revision, cancel_at_period_end, current_period_end } = subscription;
  await appendLast(trx, {
    eventKey: `subscription-${id}-${revision}`,
    type: 'subscription.updated',
    teamId: team_id,
    userId: null,
    auctionId: null,
    lotId: null,
    data: { subscription_id: id, team_id, status, cancel_at_period_end, current_period_end },
  });
}

/** Ends a subscription, with the debts that nobody has paid. */
export async function cancel(trx: Knex.Transaction, subscription: Subscription): Promise<void> {
  const open = await Invoice.query(trx)
    .where('subscription_id', subscription.id)
    .whereIn('status', [...OWED_INVOICES])
    .orderBy('id');
  for (const invoice of open) await voidInvoice(trx, invoice);
  await change(trx, subscription, { status: 'canceled', canceled_at: raw('now()') });
}

/** Ends whatever current subscription the team has besides this one. */
export async function makeRoom(trx: Knex.Transaction, teamId: number, exceptId: number): Promise<void> {
  const before = await currentSubscription(trx, teamId);
  if (before !== undefined && before.id !== exceptId) await cancel(trx, before);
}

export interface Subscribed {
  readonly subscription: Subscription;
  readonly invoice: Invoice | null;
}

/**
 * Subscribes a team: incomplete until its invoice is paid; a plan that costs nothing is active at once. One that was
 * waiting for its first payment is replaced. Throws `validation_failed` when the team has this plan already.
 */
export function subscribe(knex: Knex, teamId: number, userId: number, plan: Plan): Promise<Subscribed> {
  return inTransaction(knex, async (trx) => {
    await lockTeam(trx, teamId);
    const current = await currentSubscription(trx, teamId);
    if (current?.plan_id === plan.id) {
      throw invalid({ plan: ['The team already has this plan.'] });
    }
    await cancelWaiting(trx, teamId);
    const subscription = await insert(trx, { team_id: teamId, user_id: userId, plan_id: plan.id });
    if (plan.price_monthly_cents === 0) {
      return { subscription: await activate(trx, subscription, {}), invoice: null };
    }
    await appendChange(trx, subscription);
    return { subscription, invoice: await billPeriod(trx, subscription, plan, null) };
  });
}

/** Ends the one that waits for its first payment, where the team has one: there is room for one. */
export async function cancelWaiting(trx: Knex.Transaction, teamId: number): Promise<void> {
  const waiting = await Subscription.query(trx).findOne({ team_id: teamId, status: 'incomplete' });
  if (waiting !== undefined) await cancel(trx, waiting);
}

export async function insert(
  trx: Knex.Transaction,
  columns: PartialModelObject<Subscription> & Pick<Subscription, 'team_id' | 'user_id' | 'plan_id'>,
): Promise<Subscription> {
  return Subscription.query(trx)
    .insert({ status: 'incomplete', ...columns })
    .returning('*');
}

/** Makes it the team's current one, for a month from now unless the columns say otherwise. */
async function activate(
  trx: Knex.Transaction,
  subscription: Subscription,
  columns: PartialModelObject<Subscription>,
): Promise<Subscription> {
  await makeRoom(trx, subscription.team_id, subscription.id);
  return change(trx, subscription, {
    status: 'active',
    current_period_start: raw('now()'),
    current_period_end: raw(`now() + ${ONE_MONTH}`),
    ...columns,
  });
}

/** The invoice of a period; null: of the first, which begins when it is paid. */
export function billPeriod(
  trx: Knex.Transaction,
  subscription: Subscription,
  plan: Plan,
  period: { readonly start: string; readonly end: string } | null,
) {
  const until = period === null ? '' : `, ${period.start.slice(0, 10)} to ${period.end.slice(0, 10)}`;
  const description = `${plan.name}, one month${until}`;
  return createInvoice(trx, {
    kind: 'subscription',
    user_id: subscription.user_id,
    team_id: subscription.team_id,
    subscription_id: subscription.id,
    currency: plan.currency,
    ...(period === null ? {} : { period_start: period.start, period_end: period.end }),
    lines: [{ kind: 'subscription', description, amount_cents: plan.price_monthly_cents }],
  });
}

/** What a payment of a subscription's invoice, or its failure, does to the subscription. */
export async function followSubscriptionInvoice(
  trx: Knex.Transaction,
  invoice: Invoice,
  what: InvoiceChange,
): Promise<void> {
  if (invoice.subscription_id === null || (what !== 'paid' && what !== 'failed')) return;
  const found = await lockSubscription(trx, invoice.subscription_id);
  if (found === null) return;
  const to: SubscriptionStatus = what === 'paid' ? 'active' : 'past_due';
  if (!maySubscriptionBe(found.status, to)) return;
  if (what === 'failed') {
    if (found.status !== to) await change(trx, found, { status: to });
    return;
  }
  const period =
    invoice.period_start === null
      ? {}
      : { current_period_start: invoice.period_start, current_period_end: invoice.period_end };
  await activate(trx, found, period);
}

async function lockSubscription(trx: Knex.Transaction, id: number): Promise<Subscription | null> {
  const unlocked = await Subscription.query(trx).findById(id);
  if (unlocked === undefined) return null;
  await lockTeam(trx, unlocked.team_id);
  return (await Subscription.query(trx).findById(id)) ?? null;
}

/** Gives a team a plan without an invoice, in place of what it has and what it waits for. Throws `not_found`. */
export function grantSubscription(knex: Knex, teamId: number, slug: string): Promise<Subscription> {
  return inTransaction(knex, async (trx) => {
    if (!(await lockTeam(trx, teamId))) throw notFound(`team: there is no team ${teamId}`);
    const plan = await findPlan(trx, slug);
    if (plan === null) throw notFound(`plan: there is no plan "${slug}"`);
    const ownerId = await ownerOf(trx, teamId);
    if (ownerId === null) throw notFound(`team: team ${teamId} has no owner`);
    await cancelWaiting(trx, teamId);
    const fresh = await insert(trx, { team_id: teamId, user_id: ownerId, plan_id: plan.id, granted: true });
    return activate(trx, fresh, {});
  });
}

/** Who owns a team; null where nobody does. */
export async function ownerOf(knex: Knex, teamId: number): Promise<number | null> {
  const row = await Membership.query(knex).findOne({ team_id: teamId, role: 'owner' });
  return row?.user_id ?? null;
}
