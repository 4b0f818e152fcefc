/**
 * `/account/activity`: what the caller did and what was done to them; `/seller/activity`: the same of a team, for
 * owners and admins.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { type ActivityFilter, type ListedActivity, listActivity } from '../../accounts/activity/activity.ts';
import type { Team } from '../../accounts/models/team.model.ts';
import { teamsOf } from '../../accounts/models/team-members.ts';
import { requireUnlocked } from '../../accounts/teams/team-context.ts';
import { keptTeam } from '../../accounts/teams/team-roles.ts';
import { Id } from '../../shared/fields.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';
import { detailTexts } from './activity-words.ts';

export interface ActivityPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

const Before = Type.Optional(Id);
const PER_PAGE = 50;

export function activityPages(parts: ActivityPageParts): Endpoint[] {
  const { knex, pages } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/account/activity',
      operationId: 'activityPage',
      summary: 'What the caller did, and what was done to their account',
      query: Type.Object({ before: Before }),
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const filter = { userId: who.userId, beforeId: request.query.before, limit: PER_PAGE };
          return page(parts, request, { title: 'Activity', filter, base: '/account/activity?', frame: {} });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller/activity',
      operationId: 'teamActivityPage',
      summary: 'What was done for a team',
      query: Type.Object({ before: Before, team: Type.Optional(Id) }),
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const team = await teamOf(knex, who, request.query.team);
          const filter = { teamId: team.id, beforeId: request.query.before, limit: PER_PAGE };
          const teams = await teamsOf(knex, who.userId)
            .orderBy('teams.personal', 'desc')
            .orderBy('teams.name');
          return page(parts, request, {
            title: `Activity of ${team.name}`,
            filter,
            base: `/seller/activity?team=${team.id}&`,
            frame: { team, teams, room: 'activity', sheets: ['desk.css'] },
          });
        }),
    }),
  ];
}

/** Throws 404 for teams that the caller is not in, 403 for mere members and where a second factor is missing. */
async function teamOf(knex: Knex, who: SignedIn, named: number | undefined): Promise<Team> {
  const teamId = named ?? who.currentTeamId ?? who.teamIds[0];
  if (teamId === undefined) throw notFound('There is no such team.');
  const team = await keptTeam(knex, teamId, who.userId, 'see_activity', 'see its activity');
  requireUnlocked(who, team.id);
  return team;
}

interface ActivityPage {
  readonly title: string;
  readonly filter: ActivityFilter;
  /** What the address of older entries begins with. */
  readonly base: string;
  /** What the menu beside it is drawn with. */
  readonly frame: object;
}

async function page(
  { knex, pages }: ActivityPageParts,
  request: HttpRequest,
  { title, filter, base, frame }: ActivityPage,
) {
  const entries = (await listActivity(knex, filter)).map(withoutStaff);
  const last = entries.length === PER_PAGE ? (entries.at(-1)?.id ?? null) : null;
  const older = last === null ? null : `${base}before=${last}`;
  return pages.html(request, {
    title,
    template: 'account/activity',
    data: { entries, older, heading: title, detailTexts, ...frame },
    secret: true,
  });
}

/** What the office did is shown as the staff's, not as that of one of them. */
function withoutStaff(entry: ListedActivity): ListedActivity {
  return entry.via === 'office' ? { ...entry, user_id: null, user_email: null, ip: null } : entry;
}
