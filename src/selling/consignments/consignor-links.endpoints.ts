/** Consignors' links by API: making one, the list, and revoking. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Id, line, nullable, orNull, Percentage, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import type { ConsignorLink } from './consignor-link.model.ts';
import {
  consignorLinksOf,
  createConsignorLink,
  knownConsignors,
  revokeConsignorLink,
} from './consignor-links.ts';

const LinkBody = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    consignor_id: orNull(Type.Integer()),
    lot_ids: Type.Array(Type.Integer()),
    commission_percentage: orNull(Type.String(), {
      description: 'What the house takes of the hammer price; null: as the settlement has it.',
    }),
    created_at: Time,
    opened_at: orNull(Time),
    revoked_at: orNull(Time),
  },
  { $id: 'ConsignorLink' },
);
const MadeBody = Type.Object(
  { ...LinkBody.properties, url: Type.String({ description: 'Shown this once.' }) },
  { $id: 'NewConsignorLinkAnswer' },
);
const NewLinkBody = Type.Object(
  {
    name: line(200),
    consignor_id: Type.Optional(nullable(Id)),
    lot_ids: Type.Optional(Type.Array(Id, { maxItems: 500, uniqueItems: true })),
    commission_percentage: Type.Optional(nullable(Percentage)),
  },
  {
    $id: 'NewConsignorLink',
    additionalProperties: false,
    examples: [{ name: 'Estate Miller', lot_ids: [31, 32], commission_percentage: '15.00' }],
  },
);

const PATH = '/api/v1/seller/consignor-links';
const head = {
  tags: ['Consignments'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
  codes: TEAM_CODES,
} as const;

export function consignorLinkEndpoints(knex: Knex): Endpoint[] {
  return [create(knex), list(knex), revoke(knex)];
}

function create(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: PATH,
    operationId: 'createConsignorLink',
    summary: 'Make a link by which a consignor sees their lots and statement',
    description:
      'Without an account, to read only: the lots of the team that name `consignor_id`, and those in `lot_ids`. ' +
      'Whoever has the link sees them until it is revoked.',
    body: NewLinkBody,
    responses: { 201: { description: 'The link.', schema: bodyOf(MadeBody) } },
    async handle(request) {
      const { body, principal, baseUrl } = request;
      const { link, token } = await createConsignorLink(knex, {
        teamId: await actingTeam(knex, request),
        userId: principal.userId,
        name: body.name,
        consignorId: body.consignor_id ?? null,
        lotIds: body.lot_ids ?? [],
        commissionBps:
          body.commission_percentage == null ? null : Math.round(Number(body.commission_percentage) * 100),
      });
      return success({ ...shown(link), url: `${baseUrl}/consignor/${token}` }, { status: 201 });
    },
  });
}

function list(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: PATH,
    operationId: 'listConsignorLinks',
    summary: 'The team’s links for consignors, and the accounts that its lots name',
    responses: {
      200: {
        description: 'Those in force first.',
        schema: bodyOf(
          Type.Object({
            links: Type.Array(LinkBody),
            consignors: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
          }),
        ),
      },
    },
    async handle(request) {
      const teamId = await actingTeam(knex, request);
      const links = (await consignorLinksOf(knex, teamId)).map(shown);
      const consignors = (await knownConsignors(knex, teamId)).map(({ id, name }) => ({ id, name }));
      return success({ links, consignors });
    },
  });
}

function revoke(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'DELETE',
    path: `${PATH}/{link}`,
    operationId: 'revokeConsignorLink',
    summary: 'Revoke a link',
    params: Type.Object({ link: Id }),
    responses: { 204: { description: 'Nobody reads anything by it any more.' } },
    async handle(request) {
      const isOwn = await revokeConsignorLink(knex, await actingTeam(knex, request), request.params.link);
      if (!isOwn) throw notFound('There is no such link.');
      return { status: 204 };
    },
  });
}

function shown(link: ConsignorLink): Static<typeof LinkBody> {
  const { id, name, consignor_id, commission_bps: bps, created_at, opened_at, revoked_at } = link;
  return {
    ...{ id, name, consignor_id },
    lot_ids: (link.lots ?? []).map(({ lot_id }) => lot_id),
    commission_percentage: bps === null ? null : (bps / 100).toFixed(2),
    ...{ created_at, opened_at, revoked_at },
  };
}
