/**
 * What a team's plan allows it: auctions and lots that are not over, members with the owner, gigabytes of media.
 * Called in the transaction that adds one, wherever that is; those who add at once are counted one after the other.
 * Nothing bounds a team without a plan, and nothing that a plan does not name.
 */
import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import { Refusal } from '../../shared/refusal.ts';
import { OVER_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';
import { CURRENT_SUBSCRIPTIONS } from '../../shared/statuses/billing-statuses.ts';
import { OVER_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { Team } from '../models/team.model.ts';

/** What a plan can limit. */
export const PLAN_LIMITS = ['auctions', 'lots', 'members', 'media_gb'] as const;

export type PlanLimit = (typeof PLAN_LIMITS)[number];

/** The present usage of each, in units of the limit; media in bytes. */
const COUNTS: Readonly<Record<PlanLimit, string>> = {
  auctions: `SELECT count(*) AS used FROM auctions WHERE team_id = ? AND status NOT IN ${OVER_AUCTION_SQL}`,
  lots: `SELECT count(*) AS used FROM lots WHERE team_id = ? AND status NOT IN ${OVER_LOT_SQL}`,
  members: 'SELECT count(*) AS used FROM memberships WHERE team_id = ?',
  media_gb: `SELECT coalesce(sum(m.size), 0) AS used FROM media m LEFT JOIN lots l ON l.id = m.lot_id
    JOIN auctions a ON a.id = coalesce(l.auction_id, m.auction_id) WHERE a.team_id = ?`,
};

const NAMES: Readonly<Record<PlanLimit, string>> = {
  auctions: 'auctions that are not over',
  lots: 'lots that are not over',
  members: 'members with the owner',
  media_gb: 'gigabytes of media',
};

/**
 * Throws 403 `plan_limit` where `adding` more (bytes, of media) would be more than the team's plan allows; 0 checks
 * whether there is room for any at all.
 */
export async function requirePlanRoom(
  trx: Knex,
  teamId: number,
  what: PlanLimit,
  adding: number,
): Promise<void> {
  const limit = await limitOf(trx, teamId, what);
  if (limit === null) return;
  await Team.query(trx).findById(teamId).forNoKeyUpdate();
  // SQL: counts rows of contexts above this one, whose models it may not import.
  const { rows } = await trx.raw<{ rows: { used: string | number }[] }>(COUNTS[what], [teamId]);
  const there = Number(firstOf(rows).used);
  const allowed = what === 'media_gb' ? limit * 1024 ** 3 : limit;
  if (there + adding <= allowed) return;
  throw new Refusal('plan_limit', {
    message: `The team’s plan allows ${limit} ${NAMES[what]}.`,
    data: { limit: what, allowed: limit, used: what === 'media_gb' ? there / 1024 ** 3 : there },
  });
}

async function limitOf(trx: Knex, teamId: number, what: PlanLimit): Promise<number | null> {
  // SQL: subscriptions and plans belong to contexts above this one.
  const row = await trx('subscriptions as s')
    .join('plans as p', 'p.id', 's.plan_id')
    .where('s.team_id', teamId)
    .whereIn('s.status', [...CURRENT_SUBSCRIPTIONS])
    .first<{ limits: Record<string, unknown> } | undefined>('p.limits');
  const limit = row?.limits[what];
  return typeof limit === 'number' ? limit : null;
}
