/** What the house takes of a sale: the commission of the seller's plan, or the house's own where the team has none. */
import type { Knex } from 'knex';
import { CURRENT, Subscription } from '../subscriptions/subscription.model.ts';

/** Five per cent, for teams without a plan. */
const DEFAULT_COMMISSION_BPS = 500;

/** The commission of a team's current plan, in basis points. */
export async function commissionOf(knex: Knex, teamId: number): Promise<number> {
  const current = await Subscription.query(knex)
    .where('team_id', teamId)
    .whereIn('status', [...CURRENT])
    .withGraphFetched('plan')
    .first();
  return current?.plan?.commission_bps ?? DEFAULT_COMMISSION_BPS;
}
