/**
 * `/account/security/team-sign-in/{team}`: linking one's account with oneself at a team's provider, after a proof of
 * just now, and taking the link back. Only the account's owner links it, and sees with whom.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import {
  linkIdentity,
  listTeamSignIns,
  type OwnTeamSignIn,
  unlinkIdentity,
} from '../../accounts/teams/team-sign-in.ts';
import { notFound } from '../../shared/refusal.ts';
import { openLink } from '../access/team-pass.ts';
import { PAGE, type SignedIn } from '../page.ts';
import { type SecurityParts, securityPage } from './security.pages.ts';
import { announceFactorChange } from './two-factor.pages.ts';

const SECURITY = '/account/security';
const PATH = `${SECURITY}/team-sign-in/{team}`;
const params = Type.Object({ team: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) });

export function teamLinkPages(parts: SecurityParts): Endpoint[] {
  const { knex, pages, secrets } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'teamLinkPage',
      summary: 'The way to link one’s account with a team’s sign-in',
      params,
      handle: (request) =>
        pages.proved(request, here(request), async (who) => {
          const team = await requireTeam(parts, who, request.params.team);
          const data = { team, host: new URL(team.issuer).host };
          return pages.html(request, {
            title: 'Team sign-in',
            template: 'account/team-link',
            data,
            secret: true,
          });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'linkTeamSignInOnPage',
      summary: 'Links one’s account with a team’s sign-in',
      params,
      body: { form: Type.Object({ link: Type.String({ maxLength: 4_000 }) }) },
      handle: (request) =>
        pages.proved(request, here(request), async (who) => {
          const team = await requireTeam(parts, who, request.params.team);
          const link = openLink(request.body.link, secrets);
          if (link === null || link.userId !== who.userId || link.teamId !== team.id)
            return securityPage(parts, request, who, { wrong: OVER });
          const { teamId: team_id, userId: user_id, subject, email } = link;
          if (!(await linkIdentity(knex, { team_id, user_id, subject, email })))
            return securityPage(parts, request, who, { wrong: TAKEN });
          const note = `Your account can be signed in to through ${team.name} now.`;
          await announceFactorChange(parts, request, who, 'link_team_sign_in', note);
          return pages.go(SECURITY);
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/remove`,
      operationId: 'unlinkTeamSignInOnPage',
      summary: 'Takes the link with a team’s sign-in back',
      params,
      body: { form: Type.Object({}) },
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const team = await requireTeam(parts, who, request.params.team);
          await unlinkIdentity(knex, team.id, who.userId);
          return pages.go(SECURITY);
        }),
    }),
  ];
}

const OVER = 'This took too long. Begin again.';
const TAKEN = 'Somebody else has linked their account with this person at the team’s sign-in.';

const here = ({ params: { team } }: HttpRequest & { readonly params: { readonly team: string } }) =>
  `${SECURITY}/team-sign-in/${team}`;

async function requireTeam({ knex }: SecurityParts, who: SignedIn, slug: string): Promise<OwnTeamSignIn> {
  const team = (await listTeamSignIns(knex, who.userId)).find((one) => one.slug === slug);
  if (team === undefined) throw notFound('You are in no such team that has a sign-in of its own.');
  return team;
}
