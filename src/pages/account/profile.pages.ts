/** One's profile: name, phone, time zone and postal address; how far one is verified; and the teams that one keeps. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { isKeeper } from '../../accounts/models/team.model.ts';
import { roleIn, teamsOf } from '../../accounts/models/team-members.ts';
import { requireUserById } from '../../accounts/people/accounts.ts';
import { changeProfile } from '../../accounts/people/profile.ts';
import { readVerification, requestVerification } from '../../accounts/people/verification.ts';
import { describeTeam } from '../../accounts/teams/teams.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { Id } from '../../shared/fields.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

export interface ProfilePageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly pubSub: PubSub;
}

const PATH = '/account/profile';
const plain = (maxLength: number) => Type.Optional(Type.String({ maxLength, pattern: '^[^\\u0000]*$' }));
const ProfileForm = Type.Object({
  name: Type.String({ maxLength: 1_000 }),
  phone: plain(200),
  timezone: Type.String({ maxLength: 100 }),
  postal_address: plain(1_000),
});
const TeamForm = Type.Object({ about: plain(10_000), postal_address: plain(1_000), tax_number: plain(200) });

export function profilePages(parts: ProfilePageParts): Endpoint[] {
  return [profile(parts), change(parts), verify(parts), changeTeam(parts)];
}

interface Outcome {
  readonly saved?: boolean;
  readonly wrong?: string;
  readonly filled?: Record<string, unknown>;
}

function profile(parts: ProfilePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'profilePage',
    summary: 'The profile of the session’s user',
    query: Type.Object({ saved: Type.Optional(Type.Literal('1')) }),
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) =>
        show(parts, request, who, { saved: request.query.saved !== undefined }),
      ),
  });
}

async function show(
  { knex, pages }: ProfilePageParts,
  request: HttpRequest,
  who: SignedIn,
  outcome: Outcome,
) {
  const [user, verification, teams] = await Promise.all([
    requireUserById(knex, who.userId).select('name', 'email', 'phone', 'timezone', 'postal_address'),
    readVerification(knex, who.userId),
    teamsOf(knex, who.userId).orderBy('teams.id'),
  ]);
  const saved = { kind: 'good', text: 'Your profile has been saved.' };
  const wrong = outcome.wrong === undefined ? null : { kind: 'bad', text: outcome.wrong };
  const data = {
    profile: { ...user, ...outcome.filled },
    verification,
    teams,
    zones: Intl.supportedValuesOf('timeZone'),
    notice: wrong ?? (outcome.saved ? saved : null),
  };
  const status = wrong === null ? 200 : 422;
  return pages.html(request, { title: 'Profile', template: 'account/profile', data, status });
}

function change(parts: ProfilePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'changeProfileOnPage',
    summary: 'Changes the profile',
    body: { form: ProfileForm },
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const { name, phone, timezone, postal_address } = request.body;
        const wrong = wrongWith(name, phone, timezone, postal_address);
        if (wrong !== null) return show(parts, request, who, { wrong, filled: request.body });
        await changeProfile(parts.knex, who.userId, {
          name: name.trim(),
          phone: filled(phone),
          timezone,
          postal_address: filled(postal_address),
        });
        await announceAccountChange(parts.pubSub, { userIds: [who.userId] }).catch(() => undefined);
        await parts.pages.renew(request);
        const { headers, ...reply } = parts.pages.go(`${PATH}?saved=1`);
        // Pages are in this zone from now on, until a browser says another one.
        const zone = `zone=${encodeURIComponent(timezone)}; Path=/; Max-Age=31536000; SameSite=Lax`;
        return { ...reply, headers: { ...headers, 'Set-Cookie': zone } };
      }),
  });
}

function filled(text: string | undefined): string | null {
  const trimmed = text?.replaceAll('\r\n', '\n').trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function wrongWith(name: string, phone: string | undefined, timezone: string, address: string | undefined) {
  if (name.trim() === '' || name.trim().length > 200) return 'The name must have 1 to 200 characters.';
  if ((filled(phone)?.length ?? 0) > 50) return 'The phone number must have at most 50 characters.';
  if (!/^[A-Za-z0-9_+/-]+$/.test(timezone) || !isZone(timezone)) return 'This is not a time zone.';
  if ((filled(address)?.length ?? 0) > 500) return 'The address must have at most 500 characters.';
  return null;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

function verify({ knex, pages }: ProfilePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/verification`,
    operationId: 'verifyOnPage',
    summary: 'Asks for verification',
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        await requestVerification(knex, who.userId);
        return pages.go(`${PATH}#verification`);
      }),
  });
}

function changeTeam({ knex, pages }: ProfilePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/teams/{team}`,
    operationId: 'changeTeamOnPage',
    summary: 'Changes what a team says about itself',
    params: Type.Object({ team: Id }),
    body: { form: TeamForm },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const role = await roleIn(knex, request.params.team, who.userId);
        if (!isKeeper(role)) throw notFound('There is no such team.');
        const about = filled(request.body.about)?.slice(0, 5_000) ?? null;
        const postal_address = filled(request.body.postal_address)?.slice(0, 500) ?? null;
        const tax_number = filled(request.body.tax_number)?.slice(0, 50) ?? null;
        await describeTeam(knex, request.params.team, { about, postal_address, tax_number });
        return pages.go(`${PATH}?saved=1`);
      }),
  });
}
