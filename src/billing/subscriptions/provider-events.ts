/**
 * What the payment provider says of a subscription that it runs. Events may come late and in any order: an older one than the last
 * applied, and a move that the states do not allow, change nothing.
 */
import type { Knex } from 'knex';
import type { OutboxEvent } from '../../events/outbox.ts';
import type { EventOutcome } from '../payments/event-outcome.ts';
import type { SubscriptionEvent } from '../payments/payment-event.ts';
import { CURRENT, mayMove, type Subscription, type SubscriptionStatus } from './subscription.model.ts';
import {
  cancel,
  change,
  findPlan,
  insert,
  lockTeam,
  makeRoom,
  ownerOf,
  type PlanRow,
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
  const known = await trx('subscriptions')
    .where('provider_id', event.providerId)
    .first<{ team_id: number } | undefined>('team_id');
  const teamId = known?.team_id ?? event.teamId;
  if (teamId === null || !(await lockTeam(trx, teamId))) return { status: 'rejected', code: 'unknown_team' };
  const plan = event.plan === null ? null : await findPlan(trx, event.plan);
  if (event.plan !== null && plan === null) return { status: 'rejected', code: 'unknown_plan' };
  const found = await findOf(trx, event.providerId, teamId, plan);
  if (found === null) return begin(trx, event, to, teamId, plan);
  if (!isNews(found, event, to)) return { status: 'ignored' };
  return { status: 'applied', facts: await move(trx, found, event, to, plan) };
}

/** The one that the provider names, or the team's own that no provider runs yet. */
async function findOf(
  trx: Knex.Transaction,
  providerId: string,
  teamId: number,
  plan: PlanRow | null,
): Promise<Subscription | null> {
  const rows: Subscription[] = await trx('subscriptions').where('team_id', teamId).orderBy('id', 'desc');
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
  plan: PlanRow | null,
): Promise<EventOutcome> {
  if (to === 'canceled') return { status: 'ignored' };
  if (plan === null) return { status: 'rejected', code: 'unknown_plan' };
  const ownerId = await ownerOf(trx, teamId);
  if (ownerId === null) return { status: 'rejected', code: 'unknown_team' };
  const facts: OutboxEvent[] = [];
  const waiting = await trx('subscriptions')
    .where({ team_id: teamId, status: 'incomplete' })
    .first<Subscription | undefined>();
  if (waiting !== undefined && to === 'incomplete') facts.push(...(await cancel(trx, waiting)));
  if (CURRENT.includes(to)) facts.push(...(await makeRoom(trx, teamId, 0)));
  const fresh = await insert(trx, {
    team_id: teamId,
    user_id: ownerId,
    plan_id: plan.id,
    status: to,
    current_period_start: to === 'incomplete' ? null : trx.fn.now(),
  });
  const done = await change(trx, fresh, columnsOf(trx, event, to, plan));
  return { status: 'applied', facts: [...facts, ...done.facts] };
}

function isNews(found: Subscription, event: SubscriptionEvent, to: SubscriptionStatus): boolean {
  const lastMs = found.provider_event_at === null ? 0 : Date.parse(found.provider_event_at);
  if (event.createdS * 1_000 < lastMs) return false;
  // What the provider has deleted is over, however little of it there was.
  if (event.deleted) return found.status !== 'canceled';
  return found.status !== 'canceled' && mayMove(found.status, to);
}

async function move(
  trx: Knex.Transaction,
  found: Subscription,
  event: SubscriptionEvent,
  to: SubscriptionStatus,
  plan: PlanRow | null,
): Promise<OutboxEvent[]> {
  if (to === 'canceled') {
    await trx('subscriptions')
      .where('id', found.id)
      .update(columnsOf(trx, event, found.status, plan));
    return cancel(trx, found);
  }
  const room = CURRENT.includes(to) ? await makeRoom(trx, found.team_id, found.id) : [];
  const begins = found.status === 'incomplete' && to !== 'incomplete';
  const start = begins ? { current_period_start: trx.fn.now() } : {};
  const done = await change(trx, found, { ...start, ...columnsOf(trx, event, to, plan) });
  return [...room, ...done.facts];
}

function columnsOf(
  trx: Knex.Transaction,
  event: SubscriptionEvent,
  status: SubscriptionStatus,
  plan: PlanRow | null,
): Record<string, unknown> {
  const end = event.currentPeriodEndS;
  return {
    status,
    provider_id: event.providerId,
    provider_event_at: trx.raw('to_timestamp(?)', [event.createdS]),
    cancel_at_period_end: event.cancelAtPeriodEnd,
    ...(end === null ? {} : { current_period_end: trx.raw('to_timestamp(?)', [end]) }),
    ...(plan === null ? {} : { plan_id: plan.id }),
  };
}
