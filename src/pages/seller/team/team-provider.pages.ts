/** `/seller/team/sign-in`: the OpenID Connect provider that a team's people sign in at. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { isKeeper } from '../../../accounts/models/team.model.ts';
import { callbackOf } from '../../../accounts/teams/team-sign-in.endpoints.ts';
import { readProvider } from '../../../accounts/teams/team-sign-in.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit } from '../forms/desk-form.ts';
import type { Desk, Visit } from '../frame/desk.ts';

const PATH = '/seller/team/sign-in';
const words = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });

export function teamProviderPages(desk: Desk): Endpoint[] {
  return [page(desk), save(desk), remove(desk)];
}

function page(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'teamProviderPage',
    summary: 'The team’s own sign-in',
    handle: (request) => desk.at(request, (visit) => draw(desk, visit, null)),
  });
}

function save(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'setIdentityProviderOnPage',
    summary: 'Has the team’s people sign in at their own provider',
    body: {
      form: Type.Object({ issuer: words(2_000), client_id: words(500), client_secret: words(1_000) }),
    },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const proof = desk.pages.proveFirst(request, PATH);
        if (proof !== null) return proof;
        const { issuer, client_id, client_secret } = request.body;
        const secret = client_secret.trim();
        const body = {
          ...{ issuer: issuer.trim(), client_id: client_id.trim() },
          client_secret: secret === '' ? null : secret,
        };
        return submit(
          desk,
          () => visit.perform('setIdentityProvider', { params: { team: visit.team.id }, body }),
          (refused) => draw(desk, visit, { refused, values: body }),
          () => PATH,
        );
      }),
  });
}

function remove(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/remove`,
    operationId: 'removeIdentityProviderOnPage',
    summary: 'Takes the team’s own sign-in away',
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const proof = desk.pages.proveFirst(request, PATH);
        if (proof !== null) return proof;
        await visit.perform('removeIdentityProvider', { params: { team: visit.team.id } });
        return desk.go(PATH);
      }),
  });
}

interface Refused {
  readonly refused: Refusal;
  readonly values: { readonly issuer: string; readonly client_id: string };
}

async function draw(desk: Desk, visit: Visit, refused: Refused | null): Promise<Reply> {
  const { team, request } = visit;
  const provider = await readProvider(desk.knex, team.id);
  return desk.html(visit, {
    title: 'Team sign-in',
    template: 'seller/team/team-provider',
    status: refused?.refused.status ?? 200,
    data: {
      provider,
      values: {
        issuer: refused?.values.issuer ?? provider?.issuer ?? '',
        client_id: refused?.values.client_id ?? provider?.client_id ?? '',
      },
      errors: refused?.refused.errors ?? {},
      isKeeper: isKeeper(team.role),
      redirectUri: callbackOf(request.baseUrl, team.id),
      signInUrl: `${request.baseUrl}/sign-in/team?team=${team.slug}`,
    },
  });
}
