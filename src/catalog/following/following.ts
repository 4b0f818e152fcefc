/** Sellers that people follow: one row per person and team. Followers are told of new sales. */
import type { Knex } from 'knex';
import { invalid, notFound } from '../../shared/refusal.ts';

/** The most sellers that one person follows. */
const MAX_FOLLOWED = 1_000;

export interface FollowedSeller {
  readonly team_id: number;
  readonly name: string;
  readonly slug: string;
  readonly followed_at: string;
}

/** SQL for whether a team is a seller that everybody may see: it may sell, or has sold; `t` is its row. */
export const IS_SELLER = `(t.approved_at IS NOT NULL OR EXISTS (SELECT FROM auctions a WHERE a.team_id = t.id
  AND a.privacy_setting = 'public' AND a.published_at IS NOT NULL))`;

/** Whether they did not follow it before. Throws 404 for what is no seller, 422 for one more than a person follows. */
export async function followSeller(knex: Knex, userId: number, teamId: number): Promise<boolean> {
  const seller = await knex('teams as t').where('t.id', teamId).whereRaw(IS_SELLER).first('t.id');
  if (seller === undefined) throw notFound('There is no such seller.');
  const [counted] = await knex('team_follows').where('user_id', userId).count<{ n: string }[]>('* as n');
  if (Number(counted?.n ?? 0) >= MAX_FOLLOWED && !(await isFollowing(knex, userId, teamId)))
    throw invalid({ team: [`You follow ${MAX_FOLLOWED} sellers: leave one first.`] });
  const added = await knex('team_follows')
    .insert({ user_id: userId, team_id: teamId })
    .onConflict()
    .ignore()
    .returning('team_id');
  return added.length > 0;
}

export async function unfollowSeller(knex: Knex, userId: number, teamId: number): Promise<void> {
  await knex('team_follows').where({ user_id: userId, team_id: teamId }).delete();
}

export async function isFollowing(knex: Knex, userId: number, teamId: number): Promise<boolean> {
  return (await knex('team_follows').where({ user_id: userId, team_id: teamId }).first()) !== undefined;
}

/** The sellers that somebody follows, as a query for paging. */
export function followedSellers(knex: Knex, userId: number): Knex.QueryBuilder<FollowedSeller> {
  return knex('team_follows as w')
    .join('teams as t', 't.id', 'w.team_id')
    .leftJoin('users as u', 'u.id', 't.personal_user_id')
    .where('w.user_id', userId)
    .select(
      'w.team_id',
      // SQL: a name that is worked out: a person’s or their team’s.
      knex.raw('coalesce(u.name, t.name) AS name'),
      't.slug',
      'w.created_at as followed_at',
    );
}
