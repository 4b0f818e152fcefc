/** A team's OpenID Connect provider by API. Its people sign in through it on pages. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { type IdentityProviders, ProviderFailed } from '../../../adapters/openid/identity-provider.ts';
import { Id, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import { keptTeam } from './team-roles.ts';
import {
  type NewProvider,
  readProvider,
  removeProvider,
  type ShownProvider,
  saveProvider,
  settingsWith,
} from './team-sign-in.ts';

export interface TeamSignInParts {
  readonly knex: Knex;
  readonly secrets: readonly [string, ...string[]];
  readonly providers: IdentityProviders;
  /** Throws 422 under `issuer` for an address that must not be read. */
  readonly requireIssuer: (url: string) => Promise<void>;
}

/** Where providers send people back. */
export const CALLBACK_PATH = '/sign-in/team/callback/{team}';

/** Where this team's sends them: an address of its own, so that no other provider's answer is taken for its. */
export function callbackOf(baseUrl: string, teamId: number): string {
  return `${baseUrl}${CALLBACK_PATH.replace('{team}', String(teamId))}`;
}

const Provider = Type.Object(
  {
    issuer: Type.String(),
    client_id: Type.String(),
    redirect_uri: Type.String({ description: 'To be registered at the provider.' }),
    sign_in_url: Type.String({ description: 'Where the team’s people sign in.' }),
    changed_at: Time,
  },
  { $id: 'IdentityProvider' },
);

const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u0020]+$' });
const NewIdentityProvider = Type.Object(
  {
    issuer: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Its address, as its tokens name it.',
    }),
    client_id: line(500),
    client_secret: Type.Optional(
      Type.Union([line(1_000), Type.Null()], {
        description:
          'Never answered; without it the one that there is stays, for the same issuer and client.',
      }),
    ),
  },
  {
    $id: 'NewIdentityProvider',
    examples: [
      { issuer: 'https://login.example.com', client_id: 'auctions', client_secret: 'a-long-random-secret' },
    ],
  },
);

const PATH = '/api/v1/teams/{team}/identity-provider';
const HEAD = {
  path: PATH,
  tags: ['Teams'],
  access: { kind: 'ability', ability: 'seller' },
  params: Type.Object({ team: Id }),
  codes: ['forbidden'],
} as const;

export function teamSignInEndpoints(parts: TeamSignInParts): Endpoint[] {
  const { knex } = parts;
  return [
    endpoint({
      ...HEAD,
      method: 'GET',
      operationId: 'getIdentityProvider',
      summary: 'The team’s OpenID Connect provider',
      responses: { 200: { description: 'The provider.', schema: bodyOf(Provider) } },
      async handle({ params, principal, baseUrl }) {
        const { slug } = await keptTeam(
          knex,
          params.team,
          principal.userId,
          'keep_sign_in',
          'see its sign-in',
        );
        const found = await readProvider(knex, params.team);
        if (found === null) throw notFound('The team has no provider.');
        return success(shown(found, slug, callbackOf(baseUrl, params.team), baseUrl));
      },
    }),
    endpoint({
      ...HEAD,
      method: 'PUT',
      operationId: 'setIdentityProvider',
      summary: 'Have the team’s people sign in at their own provider',
      description:
        'For owners and admins of the team. The provider is read at once (OpenID Connect Discovery); it takes the ' +
        'place of the password for members who link their account with it, under Security, and never that of the ' +
        'second factor. Another issuer or client ends all links.',
      body: NewIdentityProvider,
      responses: { 200: { description: 'The provider.', schema: bodyOf(Provider) } },
      async handle({ params, principal, body, baseUrl }) {
        const { slug } = await keptTeam(
          knex,
          params.team,
          principal.userId,
          'keep_sign_in',
          'change its sign-in',
        );
        const owner = { teamId: params.team, userId: principal.userId };
        await setProvider(parts, owner, { ...body, client_secret: body.client_secret ?? null });
        const found = await readProvider(knex, params.team);
        if (found === null) throw notFound('The team has no provider.');
        return success(shown(found, slug, callbackOf(baseUrl, params.team), baseUrl));
      },
    }),
    endpoint({
      ...HEAD,
      method: 'DELETE',
      operationId: 'removeIdentityProvider',
      summary: 'Take the team’s provider away',
      responses: { 204: { description: 'Nobody signs in through it any more.' } },
      async handle({ params, principal }) {
        await keptTeam(knex, params.team, principal.userId, 'keep_sign_in', 'change its sign-in');
        await removeProvider(knex, params.team);
        return { status: 204 };
      },
    }),
  ];
}

/** Keeps a provider that answers. Throws 422 for one that does not. */
async function setProvider(
  { knex, secrets, providers, requireIssuer }: TeamSignInParts,
  owner: { readonly teamId: number; readonly userId: number },
  wanted: NewProvider,
): Promise<void> {
  await requireIssuer(wanted.issuer);
  const settings = await settingsWith(knex, secrets, owner.teamId, wanted);
  try {
    await providers.check(settings);
  } catch (error) {
    if (!(error instanceof ProviderFailed)) throw error;
    throw invalid({ issuer: ['No OpenID Connect provider answers there.'] });
  }
  await saveProvider(knex, secrets, owner, settings);
}

function shown(
  { issuer, client_id, changed_at }: ShownProvider,
  slug: string,
  redirectUri: string,
  baseUrl: string,
) {
  return {
    issuer,
    client_id,
    redirect_uri: redirectUri,
    sign_in_url: `${baseUrl}/sign-in/team?team=${slug}`,
    changed_at,
  };
}
