/**
 * The record of who did what from where: one table that only grows, written by whatever changes something and read by
 * the people it is about, by owners and admins of teams, and by staff. Nothing secret is ever in it.
 */
import type { Knex } from 'knex';
import { Row } from '../../../adapters/postgres/model.ts';

/**
 * `page`: a browser that is signed in; `link`: somebody with a link that was mailed; `command`: the command line;
 * `signature`: who signs what they send; `office`: staff, on the pages of the office.
 */
export const ACTIVITY_VIAS = ['page', 'token', 'link', 'command', 'signature', 'office'] as const;
export type ActivityVia = (typeof ACTIVITY_VIAS)[number];

export type ActivityDetail = Readonly<Record<string, string | number | boolean | null>>;

export interface NewActivity {
  /** A few words, verb first: `create_token`. */
  readonly action: string;
  readonly via: ActivityVia;
  /** Who did it; null: nobody who is signed in. */
  readonly userId: number | null;
  /** Whom it concerns, where that is somebody else. */
  readonly aboutUserId?: number | null;
  readonly teamId?: number | null;
  readonly tokenId?: number | null;
  readonly ip?: string | null;
  readonly detail?: ActivityDetail;
}

export class Activity extends Row {
  static override tableName = 'activity';

  declare recorded_at: string;
  declare action: string;
  declare via: ActivityVia;
  declare user_id: number | null;
  declare about_user_id: number | null;
  declare team_id: number | null;
  declare token_id: number | null;
  declare ip: string | null;
  declare detail: ActivityDetail;

  static override get jsonAttributes(): string[] {
    return ['detail'];
  }
}

/** Writes entries down, in the caller's transaction where `knex` is one. */
export async function recordActivity(knex: Knex, ...activities: readonly NewActivity[]): Promise<void> {
  if (activities.length === 0) return;
  await Activity.query(knex).insert(
    activities.map((entry) => ({
      action: entry.action,
      via: entry.via,
      user_id: entry.userId,
      about_user_id: entry.aboutUserId ?? null,
      team_id: entry.teamId ?? null,
      token_id: entry.tokenId ?? null,
      ip: entry.ip ?? null,
      detail: entry.detail ?? {},
    })),
  );
}

export interface ActivityFilter {
  /** What somebody did, and what was done to them. */
  readonly userId?: number | undefined;
  readonly teamId?: number | undefined;
  readonly action?: string | undefined;
  /** What was done about a lot; with its team, by whose entries it is found. */
  readonly lotId?: number | undefined;
  readonly via?: ActivityVia | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  /** ISO 8601; entries of this moment are left out. */
  readonly until?: string | undefined;
  /** Only entries before this id: the way to the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** An entry with the names of whom it names, where they are still there. */
export interface ListedActivity {
  readonly id: number;
  readonly recorded_at: string;
  readonly action: string;
  readonly via: ActivityVia;
  readonly user_id: number | null;
  readonly user_email: string | null;
  readonly about_user_id: number | null;
  readonly about_user_email: string | null;
  readonly team_id: number | null;
  readonly team_name: string | null;
  readonly token_id: number | null;
  readonly ip: string | null;
  readonly detail: ActivityDetail;
}

/** Newest first. */
export async function listActivity(knex: Knex, filter: ActivityFilter): Promise<ListedActivity[]> {
  const rows = Activity.query(knex)
    .alias('a')
    .leftJoin('users as u', 'u.id', 'a.user_id')
    .leftJoin('users as about', 'about.id', 'a.about_user_id')
    .leftJoin('teams as t', 't.id', 'a.team_id')
    .select('a.*', 'u.email as user_email', 'about.email as about_user_email', 't.name as team_name')
    .orderBy('a.id', 'desc')
    .limit(filter.limit);
  const { userId, teamId, action, lotId, via, since, until, beforeId } = filter;
  if (userId !== undefined) {
    rows.where((own) => own.where('a.user_id', userId).orWhere('a.about_user_id', userId));
  }
  if (teamId !== undefined) rows.where('a.team_id', teamId);
  if (action !== undefined) rows.where('a.action', action);
  // SQL: looks into what was kept of the request.
  if (lotId !== undefined) rows.whereRaw("a.detail->>'lot' = ?", [String(lotId)]);
  if (via !== undefined) rows.where('a.via', via);
  if (until !== undefined) rows.where('a.recorded_at', '<', until);
  if (since !== undefined) rows.where('a.recorded_at', '>=', since);
  if (beforeId !== undefined) rows.where('a.id', '<', beforeId);
  return rows.castTo<ListedActivity[]>();
}
