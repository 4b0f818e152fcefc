/** `/seller`: what waits for the team, and the choice of the team that one acts for. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { chooseTeam } from '../../../accounts/people/profile.ts';
import { announceAccountChange, type PubSub } from '../../../accounts/tokens/account-changes.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { Refusal } from '../../../shared/refusal.ts';
import { LIVE_AUCTION_SQL, OVER_AUCTIONS } from '../../../shared/statuses/auction-statuses.ts';
import { localPath } from '../../onward.ts';
import { PAGE } from '../../page.ts';
import type { Desk } from './desk.ts';

export interface DeskPageParts {
  readonly desk: Desk;
  readonly pubSub: PubSub;
}

export function deskPages({ desk, pubSub }: DeskPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller',
      operationId: 'sellerDeskPage',
      summary: 'The seller’s desk: what is waiting for the team',
      handle: (request) =>
        desk.at(request, async (visit) => {
          const overview = await readOverview(desk.knex, visit.team.id);
          return desk.html(visit, {
            title: 'Seller’s desk',
            template: 'seller/frame/overview',
            data: overview,
          });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/seller/team',
      operationId: 'chooseTeamOnPage',
      summary: 'Chooses the team to act for',
      body: { form: Type.Object({ team: Id, back: Path, page: Path }) },
      handle: (request) =>
        desk.pages.forSignedIn(request, async (who) => {
          const { team, back, page } = request.body;
          if (!who.teamIds.includes(team)) throw new Refusal('not_a_team_member');
          await chooseTeam(desk.knex, who.userId, team);
          await announceAccountChange(pubSub, { userIds: [who.userId] }).catch(() => undefined);
          await desk.pages.renew(request);
          return desk.go(page === undefined ? roomPath(back) : deskPath(page));
        }),
    }),
  ];
}

const Path = Type.Optional(Type.String({ maxLength: 500 }));

/** A page of the team that was chosen. */
function deskPath(page: string): string {
  const path = localPath(page);
  return path.startsWith('/seller/') ? path : '/seller';
}

/** The same room for the other team; what has an id there is the first team's. */
function roomPath(back: string | undefined): string {
  const path = localPath(back);
  return /^\/seller\/[a-z]+/.exec(path)?.[0] ?? '/seller';
}

interface UpcomingAuction {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly status: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly lots: number;
}

async function readOverview(knex: Knex, teamId: number) {
  const [auctions, counts] = await Promise.all([
    knex('auctions as a')
      .where('a.team_id', teamId)
      .whereNotIn('a.status', [...OVER_AUCTIONS])
      .orderByRaw("a.status = 'active' DESC, a.start_time, a.id")
      .limit(12)
      .select<UpcomingAuction[]>(
        'a.id',
        'a.title',
        'a.type',
        'a.status',
        'a.start_time',
        'a.end_time',
        // SQL: counts alongside each row, and over the whole team in one statement.
        knex.raw('(SELECT count(*)::int FROM lots l WHERE l.auction_id = a.id) AS lots'),
      ),
    knex.raw<{ rows: Record<string, number>[] }>(
      `SELECT
         (SELECT count(*)::int FROM registrations r JOIN auctions a ON a.id = r.auction_id
           WHERE a.team_id = :teamId AND r.status = 'pending'
             AND a.status IN ${LIVE_AUCTION_SQL}) AS registrations,
         (SELECT count(*)::int FROM lots l WHERE l.team_id = :teamId AND l.status = 'draft') AS drafts,
         (SELECT count(*)::int FROM lots l WHERE l.team_id = :teamId AND l.status = 'active') AS open_lots,
         (SELECT count(*)::int FROM settlements s
           WHERE s.team_id = :teamId AND s.status <> 'paid') AS settlements`,
      { teamId },
    ),
  ]);
  return { auctions, counts: counts.rows[0] };
}
