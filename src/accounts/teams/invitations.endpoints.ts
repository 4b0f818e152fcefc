/** Inviting people into a team over the API. They accept on the page that the answer's address leads to. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { Email, Id } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { invite } from './invitations.ts';

const Role = Type.Union([Type.Literal('admin'), Type.Literal('member')], { default: 'member' });

const Invitation = Type.Object(
  {
    id: Type.Integer(),
    team_id: Type.Integer(),
    email: Type.String(),
    role: Role,
    token: Type.String({ description: 'Shown this once.' }),
    url: Type.String({
      description: 'Where the invited person accepts, signed in with the invited address.',
    }),
    expires_at: Type.String(),
    created_at: Type.String(),
  },
  { $id: 'TeamInvitation' },
);

export interface InvitationParts {
  readonly knex: Knex;
  readonly mail: MailOutbox;
}

export function invitationEndpoints({ knex, mail }: InvitationParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/teams/{team}/invitations',
      operationId: 'inviteToTeam',
      summary: 'Invite somebody to a team',
      description:
        'For owners and admins of the team. Valid once, for seven days; inviting the same address again ' +
        'replaces the earlier invitation. Once the team is approved it is sent by email too, one a day to an ' +
        'address; at most 50 invitations a day. The answer says nothing of whether the address has an account.',
      tags: ['Teams'],
      access: { kind: 'ability', ability: 'seller' },
      params: Type.Object({ team: Id }),
      body: Type.Object(
        { email: Email, role: Type.Optional(Role) },
        { $id: 'NewTeamInvitation', additionalProperties: false },
      ),
      codes: ['forbidden', 'two_factor_required', 'plan_limit', 'too_many_invitations'],
      responses: { 201: { description: 'The invitation.', schema: bodyOf(Invitation) } },
      async handle({ params, principal, body, baseUrl }) {
        const wanted = { email: body.email, role: body.role ?? 'member' };
        const { invitation, token, url } = await invite(
          { knex, mail, baseUrl },
          params.team,
          principal,
          wanted,
        );
        const { id, team_id, email, role, expires_at, created_at } = invitation;
        return success({ id, team_id, email, role, token, url, expires_at, created_at }, { status: 201 });
      },
    }),
  ];
}
