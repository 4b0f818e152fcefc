/**
 * Signing in through a team's OpenID Connect provider: `/sign-in/team` says which team, a link leads to the provider,
 * and `/sign-in/team/callback/{team}` is where it sends people back, to sign in or to link their account
 * (`team-link.pages.ts`). The second factor of an account is required as after the password.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import {
  type Identity,
  type IdentityProviders,
  ProviderFailed,
} from '../../../adapters/openid/identity-provider.ts';
import { hasTwoFactor } from '../../accounts/credentials/two-factor.ts';
import type { AttemptCounter } from '../../accounts/sessions/sign-in-guard.ts';
import { CALLBACK_PATH, callbackOf } from '../../accounts/teams/team-sign-in.endpoints.ts';
import { findProvider, ownerOf, type TeamProvider } from '../../accounts/teams/team-sign-in.ts';
import { Id } from '../../shared/fields.schema.ts';
import type { Log } from '../../shared/log.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { localPath, MAX_NEXT } from '../onward.ts';
import { PAGE, signedIn } from '../page.ts';
import { type SignInParts, signedInTo } from './sign-in.pages.ts';
import { passCookie, readPass, sealLink } from './team-pass.ts';

export interface TeamSignInPageParts extends SignInParts {
  readonly providers: IdentityProviders;
  /** Ways to a provider and back, from one address. */
  readonly ways: AttemptCounter;
  readonly log: Pick<Log, 'warn'>;
}

const Slug = Type.String({ pattern: '^[a-z0-9-]{1,400}$' });
const Next = Type.Optional(Type.String({ maxLength: MAX_NEXT }));

export function teamSignInPages(parts: TeamSignInPageParts): Endpoint[] {
  return [choosePage(parts), startPage(parts), callbackPage(parts)];
}

function choosePage({ knex, pages, secrets }: TeamSignInPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/sign-in/team',
    operationId: 'teamSignInPage',
    summary: 'The way to a team’s own sign-in',
    query: Type.Object({ team: Type.Optional(Type.String({ maxLength: 1_000 })), next: Next }),
    async handle(request) {
      const { team = '', next } = request.query;
      const slug = team.trim().toLowerCase();
      const found = slug === '' ? null : await findProvider(knex, secrets, slug);
      const data = {
        team: slug,
        next: localPath(next),
        found: found === null ? null : { ...found.team, host: new URL(found.settings.issuer).host },
      };
      return pages.html(request, { title: 'Sign in with your team', template: 'access/team-sign-in', data });
    },
  });
}

function startPage(parts: TeamSignInPageParts): Endpoint {
  const { knex, secrets, providers } = parts;
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/sign-in/team/{team}/start',
    operationId: 'startTeamSignIn',
    summary: 'Leads to a team’s provider',
    params: Type.Object({ team: Slug }),
    query: Type.Object({ next: Next, link: Type.Optional(Type.Literal('yes')) }),
    async handle(request) {
      const { team } = request.params;
      const { next, link } = request.query;
      const linksUserId = link === 'yes' ? (signedIn(request)?.userId ?? null) : null;
      if (link === 'yes' && (linksUserId === null || isForeign(request))) throw notFound();
      await requireFew(parts, request);
      const found = await findProvider(knex, secrets, team);
      if (found === null) throw notFound('This team has no sign-in of its own.');
      try {
        const { to, pass } = await providers.begin(
          found.settings,
          callbackOf(request.baseUrl, found.team.id),
        );
        const kept = { pass, team, next: localPath(next), linksUserId };
        return {
          status: 303,
          headers: {
            Location: to,
            'Cache-Control': 'no-store',
            'Set-Cookie': passCookie(kept, secrets, request),
          },
        };
      } catch (error) {
        return failedAt(parts, request, found, error);
      }
    },
  });
}

/** A page of another site must not begin to link anything. */
function isForeign({ headers }: HttpRequest): boolean {
  return !['same-origin', 'none', undefined].includes(String(headers['sec-fetch-site'] ?? 'none'));
}

function callbackPage(parts: TeamSignInPageParts): Endpoint {
  const { knex, secrets, providers } = parts;
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: CALLBACK_PATH,
    operationId: 'teamSignInCallback',
    summary: 'Where a team’s provider sends people back',
    params: Type.Object({ team: Id }),
    async handle(request) {
      const kept = readPass(request, secrets);
      const found = kept === null ? null : await findProvider(knex, secrets, kept.team);
      // Another team's provider has sent them here, for whom what it says was not meant.
      if (kept === null || found === null || found.team.id !== request.params.team)
        return trouble(parts, request, 'over', null);
      await requireFew(parts, request);
      const address = `${callbackOf(request.baseUrl, found.team.id)}?${request.rawQuery}`;
      let identity: Identity;
      try {
        identity = await providers.finish(found.settings, address, kept.pass);
      } catch (error) {
        return failedAt(parts, request, found, error);
      }
      if (kept.linksUserId !== null) return linkPage(parts, request, found, identity, kept.linksUserId);
      const userId = await ownerOf(knex, found.team.id, identity.subject);
      if (userId === null) return trouble(parts, request, 'unlinked', found);
      return enter(parts, request, userId, kept.next);
    },
  });
}

/** As after the password. */
async function enter(
  parts: TeamSignInPageParts,
  request: HttpRequest,
  userId: number,
  next: string,
): Promise<Reply> {
  if (!(await hasTwoFactor(parts.knex, userId))) return signedInTo(parts, request, userId, next, 'provider');
  parts.count('second_factor_asked');
  const way = `/sign-in/code?next=${encodeURIComponent(next)}`;
  return parts.pages.go(way, await parts.sessions.signInHalf(userId, request));
}

/** Says who came back, and asks whether they are the account: nobody else can say yes for its owner. */
function linkPage(
  parts: TeamSignInPageParts,
  request: HttpRequest,
  { team, settings }: TeamProvider,
  { subject, email }: Identity,
  userId: number,
): Reply {
  if (signedIn(request)?.userId !== userId) return trouble(parts, request, 'over', null);
  const link = sealLink({ teamId: team.id, userId, subject, email }, parts.secrets);
  return parts.pages.html(request, {
    title: 'Team sign-in',
    template: 'account/team-link-confirm',
    data: { team, host: new URL(settings.issuer).host, name: email ?? subject, link },
    secret: true,
  });
}

async function requireFew({ ways }: TeamSignInPageParts, { ip }: HttpRequest): Promise<void> {
  const retryAfterS = await ways.take(rateKey(null, ip));
  if (retryAfterS !== null) throw new Refusal('rate_limited', { retryAfterS });
}

function failedAt(
  parts: TeamSignInPageParts,
  request: HttpRequest,
  provider: TeamProvider,
  error: unknown,
): Reply {
  if (!(error instanceof ProviderFailed)) throw error;
  parts.log.warn({ team: provider.team.id, why: error.message }, 'a team’s provider did not sign anybody in');
  return trouble(parts, request, 'failed', provider);
}

function trouble(
  { pages }: TeamSignInPageParts,
  request: HttpRequest,
  what: 'over' | 'failed' | 'unlinked',
  provider: TeamProvider | null,
): Reply {
  return pages.html(request, {
    title: 'Sign in with your team',
    template: 'access/team-trouble',
    data: { what, team: provider?.team ?? null },
    status: what === 'failed' ? 502 : 403,
    secret: true,
  });
}
