/** A team's OpenID Connect provider, and which of the people it knows is whose account. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

const ProviderColumns = Type.Object({
  team_id: Type.Integer(),
  issuer: Type.String(),
  client_id: Type.String(),
  sealed_secret: Type.String(),
  changed_at: Time,
  changed_by: orNull(Type.Integer()),
});

export class IdentityProviderRow extends shapedBy('team_identity_providers', ProviderColumns, 'team_id') {}

const IdentityColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  user_id: Type.Integer(),
  /** Theirs at the provider, for good. */
  subject: Type.String(),
  /** What the provider said of them when they were linked; shown, never trusted. */
  email: orNull(Type.String()),
  linked_at: Time,
  last_used_at: orNull(Time),
});

export class TeamIdentity extends shapedBy('team_identities', IdentityColumns) {}
