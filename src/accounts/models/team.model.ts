/**
 * Teams, who is in them, and who is invited into them. Everybody has one personal team; `personal_user_id` names whose
 * it is.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ref } from 'objection';
import { belongsTo, hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { SaleDefaults } from '../../shared/sale-defaults.ts';
import { listSql } from '../../shared/statuses/status-table.ts';
import { User } from './user.model.ts';

/** The roles that an owner may give. */
export const GIVEN_ROLES = ['admin', 'member'] as const;
const RoleSchema = oneOf(['owner', ...GIVEN_ROLES]);
export type Role = Static<typeof RoleSchema>;

/** The roles that invite, see webhook secrets and delete; a mere member does all else. */
const KEEPERS: readonly Role[] = ['owner', 'admin'];
export const KEEPER_SQL = listSql(KEEPERS);

export function isKeeper(role: Role | null): boolean {
  return role !== null && KEEPERS.includes(role);
}

export const TeamColumns = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  personal_user_id: orNull(Type.Integer()),
  /** Computed by the database. */
  personal: Type.Boolean(),
  approved_at: orNull(Time),
  about: orNull(Type.String()),
  postal_address: orNull(Type.String()),
  tax_number: orNull(Type.String()),
  require_two_factor: Type.Boolean({
    description: 'Members without a second factor get 403 `two_factor_required` in the team’s context.',
  }),
  sale_defaults: SaleDefaults,
  created_at: Time,
});

export class Team extends shapedBy('teams', TeamColumns) {
  declare memberships?: Membership[];

  static override relationMappings = () => ({
    memberships: hasMany(Membership, 'memberships.team_id', Team),
  });
}

/** The personal team of each row of `users` that a statement changes. */
export function personalTeamId() {
  return Team.query().select('id').where('personal_user_id', ref('users.id'));
}

const MembershipColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  user_id: Type.Integer(),
  role: RoleSchema,
  created_at: Time,
});

export class Membership extends shapedBy('memberships', MembershipColumns) {
  declare team?: Team;
  declare user?: User;

  static override relationMappings = () => ({
    team: belongsTo(Team, 'memberships.team_id'),
    user: belongsTo(User, 'memberships.user_id'),
  });
}

const TeamInvitationColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  invited_by: Type.Integer(),
  email: Type.String(),
  role: oneOf(GIVEN_ROLES),
  /** Hex SHA-256 of the token. */
  token_hash: Type.String(),
  expires_at: Time,
  accepted_at: orNull(Time),
  accepted_by: orNull(Type.Integer()),
  created_at: Time,
});

export class TeamInvitation extends shapedBy('team_invitations', TeamInvitationColumns) {
  declare team?: Team;
  declare inviter?: User;

  static override relationMappings = () => ({
    team: belongsTo(Team, 'team_invitations.team_id'),
    inviter: belongsTo(User, 'team_invitations.invited_by'),
  });
}
