/** A bearer token as stored: the hash, never the token. */
import { Type } from '@sinclair/typebox';
import { SQL_ARRAY, shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';

export const ABILITIES = ['read', 'write', 'seller', 'admin'] as const;
export type TokenAbility = (typeof ABILITIES)[number];

/** A `test` token acts on the test service and is none here. */
export const TOKEN_KINDS = ['live', 'test'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

const TokenColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  name: Type.String(),
  kind: oneOf(TOKEN_KINDS),
  /** Hex SHA-256 of the token. */
  token_hash: Type.String(),
  abilities: Type.Array(oneOf(ABILITIES), SQL_ARRAY),
  last_used_at: orNull(Time),
  /** The address it was used from last. */
  last_used_ip: orNull(Type.String()),
  expires_at: orNull(Time),
  revoked_at: orNull(Time),
  created_at: Time,
});

export class Token extends shapedBy('tokens', TokenColumns) {}
