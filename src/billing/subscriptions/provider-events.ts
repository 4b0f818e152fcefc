/**
 * What the payment provider says of a subscription that it runs. Events may come late and in any order: an older one
 * than the last applied, and a move that the states do not allow, change nothing.
 */
import type { Knex } from 'knex';
import { type PartialModelObject, raw } from 'objection';
import type { Plan } from '../../catalog/directory/plan.model.ts';
import { CURRENT_SUBSCRIPTIONS, type SubscriptionStatus } from '../../shared/statuses/billing-statuses.ts';
import type { EventOutcome } from '../payments/event-outcome.ts';
import type { SubscriptionEvent } from '../payments/payment-event.ts';
import { maySubscriptionBe, Subscription } from './subscription.model.ts';
import {
  cancel,
  cancelWaiting,
  change,
  findPlan,
  insert,
  lockTeam,
  makeRoom,
  ownerOf,
} from './subscriptions.ts';

const STATUSES: Readonly<Record<string, SubscriptionStatus>> = {
  incomplete: 'incomplete',
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
};

export async function applySubscriptionEvent(
  trx: Knex.Transaction,
  event: SubscriptionEvent,
): Promise<EventOutcome> {
  const to = event.deleted ? 'canceled' : STATUSES[event.status];
  if (to === undefined) return { status: 'ignored' };
  const known = await Subscription.query(trx).findOne({ provider_id: event.providerId });
  const teamId = known?.team_id ?? event.teamId;
  if (teamId === null || !(await lockTeam(trx, teamId))) return { status: 'rejected', code: 'unknown_team' };
  const plan = event.plan === null ? null : await findPlan(trx, event.plan);
  if (event.plan !== null && plan === null) return { status: 'rejected', code: 'unknown_plan' };
  const found = await findOf(trx, event.providerId, teamId, plan);
  if (found === null) return begin(trx, event, to, teamId, plan);
  if (!isNews(found, event, to)) return { status: 'ignored' };
  await move(trx, found, event, to, plan);
  return { status: 'applied' };
}

/** The one that the provider names, or the team's own that no provider runs yet. */
async function findOf(
  trx: Knex.Transaction,
  providerId: string,
  teamId: number,
  plan: Plan | null,
): Promise<Subscription | null> {
  const rows = await Subscription.query(trx).where('team_id', teamId).orderBy('id', 'desc');
  const named = rows.find((row) => row.provider_id === providerId);
  if (named !== undefined) return named;
  const free = rows.filter(
    (row) =>
      row.provider_id === null && row.status !== 'canceled' && (plan === null || row.plan_id === plan.id),
  );
  return free.find((row) => row.status === 'incomplete') ?? free[0] ?? null;
}

async function begin(
  trx: Knex.Transaction,
  event: SubscriptionEvent,
  to: SubscriptionStatus,
  teamId: number,
  plan: Plan | null,
): Promise<EventOutcome> {
  if (to === 'canceled') return { status: 'ignored' };
  if (plan === null) return { status: 'rejected', code: 'unknown_plan' };
  const ownerId = await ownerOf(trx, teamId);
  if (ownerId === null) return { status: 'rejected', code: 'unknown_team' };
  if (to === 'incomplete') await cancelWaiting(trx, teamId);
  if (CURRENT_SUBSCRIPTIONS.includes(to)) await makeRoom(trx, teamId, 0);
  const fresh = await insert(trx, {
    team_id: teamId,
    user_id: ownerId,
    plan_id: plan.id,
    status: to,
    current_period_start: to === 'incomplete' ? null : raw('now()'),
  });
  await change(trx, fresh, columnsOf(event, to, plan));
  return { status: 'applied' };
}

function isNews(found: Subscription, event: SubscriptionEvent, to: SubscriptionStatus): boolean {
  const lastMs = found.provider_event_at === null ? 0 : Date.parse(found.provider_event_at);
  if (event.createdS * 1_000 < lastMs) return false;
  // What the provider has deleted is over, however little of it there was.
  if (event.deleted) return found.status !== 'canceled';
  return found.status !== 'canceled' && maySubscriptionBe(found.status, to);
}

async function move(
  trx: Knex.Transaction,
  found: Subscription,
  event: SubscriptionEvent,
  to: SubscriptionStatus,
  plan: Plan | null,
): Promise<void> {
  if (to === 'canceled') {
    await Subscription.query(trx)
      .findById(found.id)
      .patch(columnsOf(event, found.status, plan));
    return cancel(trx, found);
  }
  if (CURRENT_SUBSCRIPTIONS.includes(to)) await makeRoom(trx, found.team_id, found.id);
  const begins = found.status === 'incomplete' && to !== 'incomplete';
  const start = begins ? { current_period_start: raw('now()') } : {};
  await change(trx, found, { ...start, ...columnsOf(event, to, plan) });
}

function columnsOf(
  event: SubscriptionEvent,
  status: SubscriptionStatus,
  plan: Plan | null,
): PartialModelObject<Subscription> {
  const end = event.currentPeriodEndS;
  return {
    status,
    provider_id: event.providerId,
    provider_event_at: raw('to_timestamp(?)', event.createdS),
    cancel_at_period_end: event.cancelAtPeriodEnd,
    ...(end === null ? {} : { current_period_end: raw('to_timestamp(?)', end) }),
    ...(plan === null ? {} : { plan_id: plan.id }),
  };
}
