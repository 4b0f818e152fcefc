/**
 * What the house charges on a sale: the commission of the seller's plan, or the house's default if the team has none.
 */
import type { Knex } from 'knex';
import { shareOf } from '../../../engine/money.ts';
import { MAX_LOTS_PER_AUCTION } from '../../shared/lot.schema.ts';
import { CURRENT_SUBSCRIPTIONS } from '../../shared/statuses/billing-statuses.ts';
import { Subscription } from '../subscriptions/subscription.model.ts';

/** Five per cent, for teams without a plan. */
const DEFAULT_COMMISSION_BPS = 500;

/**
 * The most that the house takes of one sale, some nine billion dollars: the invoice over an auction's commission is
 * one amount, which a number holds however many lots it has and whatever they are sold for.
 */
export const MAX_COMMISSION_CENTS = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LOTS_PER_AUCTION);

/** What the house takes of a sale at this rate. */
export function commissionOn(hammerCents: number, commissionBps: number): number {
  return Math.min(MAX_COMMISSION_CENTS, shareOf(hammerCents, commissionBps));
}

/** The commission of a team's current plan, in basis points. */
export async function commissionOf(knex: Knex, teamId: number): Promise<number> {
  const current = await Subscription.query(knex)
    .where('team_id', teamId)
    .whereIn('status', [...CURRENT_SUBSCRIPTIONS])
    .withGraphFetched('plan')
    .first();
  return current?.plan?.commission_bps ?? DEFAULT_COMMISSION_BPS;
}
