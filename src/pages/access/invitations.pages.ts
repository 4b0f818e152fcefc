/** `/invitations/{token}`: somebody who was invited into a team opens the invitation and accepts it. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import {
  acceptInvitation,
  type FoundInvitation,
  findInvitation,
  TOKEN_PATTERN,
  takeBackAcceptance,
} from '../../accounts/teams/invitations.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { hasOpenBids, type OpenBidLot } from '../../bidding/bids/open-bids.ts';
import { forbidden, notFound, Refusal } from '../../shared/refusal.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

export interface InvitationPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly pubSub: Pick<PubSub, 'publish'>;
  /** The open lots of a team on which somebody has bid. */
  readonly openBids: (userId: number, teamId: number) => Promise<readonly OpenBidLot[]>;
}

/** Bids that were on their way as somebody of no team are in after this long. */
const BIDS_ON_THEIR_WAY_MS = 500;

const PATH = '/invitations/{token}';
const Params = Type.Object({ token: Type.String({ pattern: TOKEN_PATTERN }) });

export function invitationPages(parts: InvitationPageParts): Endpoint[] {
  const { knex, pages } = parts;
  const page = (request: HttpRequest, invitation: FoundInvitation) =>
    pages.html(request, {
      title: 'Invitation',
      template: 'access/invitation',
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
      summary: 'An invitation to a team',
      params: Params,
      handle: (request) =>
        pages.forSignedIn(request, async (who) =>
          page(request, await invitationFor(knex, request.params.token, who)),
        ),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'acceptInvitation',
      summary: 'Accepts an invitation',
      params: Params,
      body: { form: Type.Object({}) },
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const { token } = request.params;
          await join(parts, await invitationFor(knex, token, who), token, who);
          await pages.renew(request);
          return pages.go(`/invitations/${token}`);
        }),
    }),
  ];
}

/**
 * Makes the person a member, unless they have bid on open lots of the team: 409 `has_open_bids`. Checked again
 * afterwards, when every process knows them as a member; a bid in between undoes the joining.
 */
async function join(
  { knex, pubSub, openBids }: InvitationPageParts,
  { team_id: teamId }: FoundInvitation,
  token: string,
  who: SignedIn,
): Promise<void> {
  const announce = () => announceAccountChange(pubSub, { userIds: [who.userId] });
  const refuseBidder = async (undo: () => Promise<void>) => {
    const lots = await openBids(who.userId, teamId);
    if (lots.length === 0) return;
    await undo();
    throw new Refusal('has_open_bids', { message: hasOpenBids(lots), data: { lots } });
  };
  await refuseBidder(async () => {});
  if (!(await acceptInvitation(knex, token, who))) return;
  await announce();
  await new Promise((done) => setTimeout(done, BIDS_ON_THEIR_WAY_MS));
  await refuseBidder(async () => {
    await takeBackAcceptance(knex, token, who.userId);
    await announce();
  });
}

/** Throws 404 where there is none that this person could use or has used, 403 where it is for another address. */
async function invitationFor(knex: Knex, token: string, who: SignedIn): Promise<FoundInvitation> {
  const found = await findInvitation(knex, token);
  if (found === null || !(found.open || found.accepted_by === who.userId)) {
    throw notFound('There is no such invitation, or it has expired.');
  }
  if (found.email !== who.email && found.accepted_by !== who.userId) {
    throw forbidden('This invitation is for another email address. Sign in with the address it was sent to.');
  }
  return found;
}
