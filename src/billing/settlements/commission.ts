/** What the house takes of a sale: the commission of the seller's plan, or the house's own where the team has none. */
import type { Knex } from 'knex';

/** Five per cent, for teams without a plan. */
export const DEFAULT_COMMISSION_BPS = 500;

/** The commission of a team's current plan, in basis points. */
export async function commissionOf(knex: Knex, teamId: number): Promise<number> {
  const row = await knex('subscriptions as s')
    .join('plans as p', 'p.id', 's.plan_id')
    .where('s.team_id', teamId)
    .whereIn('s.status', ['trialing', 'active', 'past_due'])
    .first<{ bps: number } | undefined>({ bps: 'p.commission_bps' });
  return row?.bps ?? DEFAULT_COMMISSION_BPS;
}
