/** From where an account was signed in to, according to its activity. Signing in reads it for accounts under attack. */
import type { Knex } from 'knex';
import { Activity } from '../activity/activity.ts';
import { areNeighbours } from '../people/network-tries.ts';

/** Of so many of the account's last deeds, the sign-ins count. */
const CHECKED_ROWS = 500;

/** Whether the account was signed in to from this address, or from one beside it, lately. */
export async function hasSignedInFrom(knex: Knex, userId: number, ip: string): Promise<boolean> {
  const last = Activity.query()
    .where('user_id', userId)
    .orderBy('id', 'desc')
    .limit(CHECKED_ROWS)
    .as('activity');
  const rows = await Activity.query(knex).from(last).where('action', 'sign_in').distinct('ip');
  return rows.some((row) => row.ip !== null && areNeighbours(row.ip, ip));
}
