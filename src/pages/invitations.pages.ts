/** `/invitations/{token}`: somebody who was invited into a team looks at the invitation and accepts it. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../adapters/http/endpoint.ts';
import { forbidden, notFound } from '../../adapters/http/problem.ts';
import {
  acceptInvitation,
  type FoundInvitation,
  findInvitation,
  TOKEN_PATTERN,
} from '../accounts/teams/invitations.ts';
import { announceAccountChange, type PubSub } from '../accounts/tokens/account-changes.ts';
import { PAGE, type Pages, type SignedIn, signedIn } from './page.ts';

export interface InvitationPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly pubSub: Pick<PubSub, 'publish'>;
}

const PATH = '/invitations/{token}';
const Params = Type.Object({ token: Type.String({ pattern: TOKEN_PATTERN }) });

export function invitationPages(parts: InvitationPageParts): Endpoint[] {
  const { knex, pages, pubSub } = parts;
  const page = (request: HttpRequest, invitation: FoundInvitation) =>
    pages.html(request, {
      title: 'Invitation',
      template: 'invitation',
      data: { invitation },
      secret: true,
      headers: { 'Referrer-Policy': 'no-referrer' },
    });
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'invitationPage',
      summary: 'An invitation into a team',
      params: Params,
      async handle(request) {
        const who = signedIn(request);
        if (who === null) return pages.signInFirst(request);
        return page(request, await invitationFor(knex, request.params.token, who));
      },
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'acceptInvitation',
      summary: 'Accepts an invitation',
      params: Params,
      body: { form: Type.Object({}) },
      async handle(request) {
        const who = signedIn(request);
        if (who === null) return pages.signInFirst(request);
        const { token } = request.params;
        await invitationFor(knex, token, who);
        if (await acceptInvitation(knex, token, who)) {
          await announceAccountChange(pubSub as PubSub, { userIds: [who.userId] });
        }
        return pages.go(`/invitations/${token}`);
      },
    }),
  ];
}

/** Throws 404 where there is none that this person could use or has used, 403 where it is for another address. */
async function invitationFor(knex: Knex, token: string, who: SignedIn): Promise<FoundInvitation> {
  const found = await findInvitation(knex, token);
  if (found === null || !(found.open || found.accepted_by === who.userId)) {
    throw notFound('There is no such invitation, or it is over.');
  }
  if (found.email !== who.email && found.accepted_by !== who.userId) {
    throw forbidden('This invitation is for another e-mail address. Sign in with the one it was sent to.');
  }
  return found;
}
