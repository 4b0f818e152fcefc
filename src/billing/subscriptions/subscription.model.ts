/** A team's subscription to a plan, and how it may move. One is current at a time; one more may wait for its first payment. */
export const SUBSCRIPTION_STATUSES = ['incomplete', 'trialing', 'active', 'past_due', 'canceled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export interface Subscription {
  readonly id: number;
  readonly team_id: number;
  /** Who is billed. */
  readonly user_id: number;
  readonly plan_id: number;
  readonly status: SubscriptionStatus;
  /** Given by staff: renewed without an invoice. */
  readonly granted: boolean;
  readonly current_period_start: string | null;
  readonly current_period_end: string | null;
  readonly cancel_at_period_end: boolean;
  /** The payment provider's name for it, where the provider runs it. */
  readonly provider_id: string | null;
  /** When the newest event that was applied to it was made. */
  readonly provider_event_at: string | null;
  /** Counts its changes. */
  readonly revision: number;
  readonly created_at: string;
  readonly canceled_at: string | null;
}

/** Statuses in which the team has what the plan gives. */
export const CURRENT: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];

const MOVES: Readonly<Record<SubscriptionStatus, readonly SubscriptionStatus[]>> = {
  incomplete: ['active'],
  trialing: ['active'],
  active: ['past_due', 'canceled'],
  past_due: ['active', 'canceled'],
  canceled: [],
};

/** Whether it may go there, staying where it is included. */
export function mayMove(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return from === to || MOVES[from].includes(to);
}
