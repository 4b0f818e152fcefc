/** A bearer token as it is stored: the hash, never the token. */
import { Row } from '../../../adapters/postgres/model.ts';

export const ABILITIES = ['read', 'write', 'seller', 'admin'] as const;
export type TokenAbility = (typeof ABILITIES)[number];

export class Token extends Row {
  static override tableName = 'tokens';

  declare user_id: number;
  declare name: string;
  /** Hex SHA-256 of the token. */
  declare token_hash: string;
  declare abilities: TokenAbility[];
  declare last_used_at: string | null;
  /** The address it was used from last. */
  declare last_used_ip: string | null;
  declare expires_at: string | null;
  declare revoked_at: string | null;
  declare created_at: string;
}
