/** A person with an account. `password_hash` never leaves the accounts folder. */
import { Row } from '../../../adapters/postgres/model.ts';

export type VerificationStatus = 'unverified' | 'pending' | 'verified' | 'rejected';

export class User extends Row {
  static override tableName = 'users';

  /** Lower case. */
  declare email: string;
  declare name: string;
  declare phone: string | null;
  declare timezone: string;
  declare password_hash: string | null;
  declare is_admin: boolean;
  declare email_verified_at: string | null;
  /** Null: they have not opened the link yet that was mailed to them. */
  declare email_confirmed_at: string | null;
  /** Grows when all of their sessions end. */
  declare session_generation: number;
  declare verification_status: VerificationStatus;
  declare verified_at: string | null;
  declare suspended_at: string | null;
  declare current_team_id: number | null;
  declare created_at: string;
}

/** One thing that was looked at before a person counted as verified: `email`, `identity`. */
export class VerificationCheck extends Row {
  static override tableName = 'verification_checks';

  declare user_id: number;
  declare type: string;
  declare status: VerificationStatus;
  declare verified_at: string | null;
  declare created_at: string;
}
