/** A team as its members see it, and what its owners and admins decide: second factors, what its sales begin with. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type SignedRequest } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { Id, line } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { changedDefaults, checkSaleDefaults, SaleDefaults } from '../../shared/sale-defaults.ts';
import { readTwoFactor } from '../credentials/two-factor.ts';
import { Membership, Team, TeamColumns } from '../models/team.model.ts';
import { roleIn } from '../models/team-members.ts';
import { announceAccountChange, type PubSub } from '../tokens/account-changes.ts';
import { keptTeam } from './team-roles.ts';
import { renameTeam } from './teams.ts';

const TeamView = Type.Pick(
  TeamColumns,
  ['id', 'name', 'slug', 'personal', 'require_two_factor', 'sale_defaults', 'created_at'],
  { $id: 'Team' },
);

const TeamChanges = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        ...line(200),
        description: 'Its slug follows until the team is approved. Personal teams are not renamed.',
      }),
    ),
    require_two_factor: Type.Optional(Type.Boolean()),
    sale_defaults: Type.Optional(
      Type.Union([SaleDefaults, Type.Null()], {
        description:
          'What new auctions of the team begin with where they give nothing themselves. Fields that are not given ' +
          'stay, `null` empties one, or all.',
      }),
    ),
  },
  { $id: 'TeamChanges', additionalProperties: false, minProperties: 1 },
);

type TeamChanges = Static<typeof TeamChanges>;

export interface TeamParts {
  readonly knex: Knex;
  readonly pubSub: PubSub;
}

export function teamEndpoints(parts: TeamParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/teams/{team}',
      operationId: 'getTeam',
      summary: 'One of the caller’s teams',
      tags: ['Teams'],
      access: { kind: 'ability', ability: 'seller' },
      params: Type.Object({ team: Id }),
      responses: { 200: { description: 'The team.', schema: bodyOf(TeamView) } },
      async handle({ params, principal }) {
        if ((await roleIn(parts.knex, params.team, principal.userId)) === null)
          throw notFound('There is no such team.');
        return success(shown(await Team.query(parts.knex).findById(params.team).throwIfNotFound()));
      },
    }),
    endpoint({
      method: 'PATCH',
      path: '/api/v1/teams/{team}',
      operationId: 'changeTeam',
      summary: 'Rename a team, or change what it requires of its members',
      description: 'For owners and admins of the team. To require a second factor, the caller must have one.',
      tags: ['Teams'],
      access: { kind: 'ability', ability: 'seller' },
      params: Type.Object({ team: Id }),
      body: TeamChanges,
      codes: ['forbidden', 'two_factor_required'],
      responses: { 200: { description: 'The team after the change.', schema: bodyOf(TeamView) } },
      async handle({ params, principal, body }) {
        return success(shown(await changeTeam(parts, params.team, principal, body)));
      },
    }),
  ];
}

function shown({ id, name, slug, personal, require_two_factor, sale_defaults, created_at }: Team) {
  return { id, name, slug, personal, require_two_factor, sale_defaults, created_at };
}

/** Throws 404 for teams that the caller is not in, 403 for mere members and for callers without a second factor. */
async function changeTeam(
  { knex, pubSub }: TeamParts,
  teamId: number,
  { userId }: SignedRequest['principal'],
  { name, require_two_factor: requireTwoFactor, sale_defaults: defaults }: TeamChanges,
): Promise<Team> {
  const team = await keptTeam(knex, teamId, userId, 'set_defaults', 'change it');
  const wanted = requireTwoFactor ?? team.require_two_factor;
  // Also where it is required already: an admin without a second factor must not be the one to take it away.
  if ((wanted || team.require_two_factor) && !(await readTwoFactor(knex, userId)).enabled) {
    throw new Refusal('two_factor_required');
  }
  if (defaults !== undefined) {
    await requireValid((addError) => checkSaleDefaults(defaults ?? {}, addError));
    await changeDefaults(knex, teamId, defaults);
  }
  if (name !== undefined) await knex.transaction((trx) => renameTeam(trx, teamId, name));
  if (wanted === team.require_two_factor) return Team.query(knex).findById(teamId).throwIfNotFound();
  const changed = await Team.query(knex).patchAndFetchById(teamId, { require_two_factor: wanted });
  const members = await Membership.query(knex).where('team_id', teamId);
  await announceAccountChange(pubSub, { userIds: members.map((one) => one.user_id) });
  return changed;
}

/** Two who change other fields at once both keep theirs. */
function changeDefaults(knex: Knex, teamId: number, change: SaleDefaults | null): Promise<void> {
  return knex.transaction(async (trx) => {
    const { sale_defaults } = await Team.query(trx).findById(teamId).forUpdate().throwIfNotFound();
    const changed = changedDefaults(sale_defaults, change);
    await Team.query(trx).findById(teamId).patch({ sale_defaults: changed });
  });
}
