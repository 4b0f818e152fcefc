/** `/seller/team`: the team's name, who is in it and as what, and who is invited. */

import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { GIVEN_ROLES, isKeeper } from '../../../accounts/models/team.model.ts';
import { membersOf } from '../../../accounts/models/team-members.ts';
import { openInvitations } from '../../../accounts/teams/invitations.ts';
import { changeRole, withdrawInvitation } from '../../../accounts/teams/members.ts';
import { announceAccountChange, type PubSub } from '../../../accounts/tokens/account-changes.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit } from '../forms/desk-form.ts';
import type { Desk, Visit } from '../frame/desk.ts';

export interface TeamPageParts {
  readonly desk: Desk;
  readonly pubSub: PubSub;
}

const PATH = '/seller/team';
const words = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });

export function teamPages(parts: TeamPageParts): Endpoint[] {
  return [page(parts), rename(parts), invite(parts), member(parts), withdraw(parts)];
}

interface Outcome {
  readonly refused?: Refusal;
  readonly email?: string;
}

async function draw({ desk }: TeamPageParts, visit: Visit, { refused, email = '' }: Outcome): Promise<Reply> {
  const { knex } = desk;
  const { id } = visit.team;
  const [members, invitations] = await Promise.all([
    membersOf(knex, id).orderByRaw('memberships.role = \'owner\' DESC, "user".name, "user".id'),
    openInvitations(knex, id),
  ]);
  return desk.html(visit, {
    title: 'Team',
    template: 'seller/team/team',
    status: refused?.status ?? 200,
    data: {
      ...{ members, invitations, email, me: visit.who.userId },
      isKeeper: isKeeper(visit.team.role),
      emailErrors: refused?.errors['email'] ?? [],
      otherErrors: Object.entries(refused?.errors ?? {}).flatMap(([field, messages]) =>
        field === 'email' ? [] : messages,
      ),
    },
  });
}

function page(parts: TeamPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerTeamPage',
    summary: 'The team’s members and invitations',
    handle: (request) => parts.desk.at(request, (visit) => draw(parts, visit, {})),
  });
}

function rename(parts: TeamPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/name`,
    operationId: 'renameTeamOnPage',
    summary: 'Renames the team',
    body: { form: Type.Object({ name: words(1_000) }) },
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const body = { name: request.body.name.trim() };
        const params = { team: visit.team.id };
        return submit(
          parts.desk,
          () => visit.perform('changeTeam', { params, body }),
          (refused) => draw(parts, visit, { refused }),
          () => PATH,
        );
      }),
  });
}

function invite(parts: TeamPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/invitations`,
    operationId: 'inviteToTeamOnPage',
    summary: 'Invites somebody to the team',
    body: { form: Type.Object({ email: words(1_000), role: oneOf(GIVEN_ROLES) }) },
    handle: (request) =>
      parts.desk.at(request, async (visit) => {
        const { email, role } = request.body;
        const body = { email: email.trim(), role };
        const params = { team: visit.team.id };
        return submit(
          parts.desk,
          () => visit.perform('inviteToTeam', { params, body }),
          (refused) => draw(parts, visit, { refused, email }),
          () => PATH,
        );
      }),
  });
}

function member(parts: TeamPageParts): Endpoint {
  const { desk, pubSub } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/members/{user}`,
    operationId: 'changeTeamMemberOnPage',
    summary: 'Changes a member’s role, or removes a member',
    params: Type.Object({ user: Id }),
    body: { form: Type.Object({ role: oneOf([...GIVEN_ROLES, 'removed']) }) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { user } = request.params;
        const { role } = request.body;
        const team = visit.team.id;
        const work = async () => {
          if (role === 'removed') return visit.perform('removeTeamMember', { params: { team, user } });
          await changeRole(desk.knex, team, user, role, visit.who.userId);
          await announceAccountChange(pubSub, { userIds: [user] }).catch(() => undefined);
          return null;
        };
        return submit(
          desk,
          work,
          (refused) => draw(parts, visit, { refused }),
          () => (user === visit.who.userId ? '/seller' : PATH),
        );
      }),
  });
}

function withdraw(parts: TeamPageParts): Endpoint {
  const { desk } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/invitations/{id}/withdraw`,
    operationId: 'withdrawTeamInvitationOnPage',
    summary: 'Withdraws an invitation',
    params: Type.Object({ id: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        await withdrawInvitation(desk.knex, visit.team.id, request.params.id, visit.who.userId);
        return desk.go(PATH);
      }),
  });
}
