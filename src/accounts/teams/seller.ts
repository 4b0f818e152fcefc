/**
 * What somebody who acts for a team is to the team's things, for the tables of `shared/policy`: read when it is asked,
 * in the transaction that depends on it.
 */
import type { Knex } from 'knex';
import type { SignedRequest } from '../../../adapters/http/endpoint.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { teamWhos } from '../../shared/policy/relations.ts';
import type { Who } from '../../shared/policy/who.ts';
import type { Role } from '../models/team.model.ts';
import { actingTeam } from './team-context.ts';

/** Who acts, and for which team. */
export interface Seller {
  readonly teamId: number;
  /** Null: whoever runs the command line, who acts as the owner does. */
  readonly userId: number | null;
  /** An admin of the service. */
  readonly isStaff: boolean;
}

/** Who acts for the team that a request names. Throws what `actingTeam` throws. */
export async function actingSeller(
  knex: Knex,
  request: Pick<SignedRequest, 'principal' | 'headers'>,
): Promise<Seller> {
  const { userId, isAdmin } = request.principal;
  return { teamId: await actingTeam(knex, request), userId, isStaff: isAdmin };
}

/** SQL over `teams t`: whether it may put something before the public. A team is suspended with its owner. */
const SELLS_SQL = `t.approved_at IS NOT NULL AND NOT EXISTS (SELECT FROM memberships o JOIN users u ON u.id = o.user_id
  WHERE o.team_id = t.id AND o.role = 'owner' AND u.suspended_at IS NOT NULL)`;

/**
 * Everything that they are to a thing of the team. With `lock` the team's approval stays as it is until the transaction
 * ends.
 */
export async function whosOf(
  knex: Knex,
  { teamId, userId, isStaff }: Seller,
  { lock }: { readonly lock: boolean } = { lock: false },
): Promise<readonly Who[]> {
  // SQL: one statement reads and locks.
  const { rows } = await knex.raw<{ rows: { role: Role | null; sells: boolean }[] }>(
    `SELECT m.role, ${SELLS_SQL} AS sells
     FROM teams t LEFT JOIN memberships m ON m.team_id = t.id AND m.user_id = :userId
     WHERE t.id = :teamId ${lock ? 'FOR SHARE OF t' : ''}`,
    { teamId, userId },
  );
  const { role, sells } = firstOf(rows);
  return teamWhos({ role: userId === null ? 'owner' : role, sells, isStaff });
}
