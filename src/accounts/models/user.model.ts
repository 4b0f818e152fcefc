/** A person with an account. `password_hash` never leaves the accounts folder. */
import { type Static, Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { LANGUAGE_CODES } from '../../shared/language.ts';

export const VerificationStatusSchema = oneOf(['unverified', 'pending', 'verified', 'rejected']);
export type VerificationStatus = Static<typeof VerificationStatusSchema>;

export const UserColumns = Type.Object({
  id: Type.Integer(),
  /** Lower case. */
  email: Type.String(),
  name: Type.String(),
  phone: orNull(Type.String()),
  timezone: Type.String(),
  /** What the person has chosen, or what their browser liked when they signed up; null: English, or the browser’s. */
  language: orNull(oneOf(LANGUAGE_CODES)),
  postal_address: orNull(Type.String()),
  password_hash: orNull(Type.String()),
  is_admin: Type.Boolean(),
  email_verified_at: orNull(Time),
  /** Null: they have not opened the link yet that was mailed to them. */
  email_confirmed_at: orNull(Time),
  /** Grows when all of their sessions end. */
  session_generation: Type.Integer(),
  verification_status: VerificationStatusSchema,
  verified_at: orNull(Time),
  suspended_at: orNull(Time),
  suspended_reason: orNull(Type.String()),
  /** What staff chose at the suspension for the bids with which the person led. */
  suspended_leads: orNull(oneOf(['left', 'voided'])),
  current_team_id: orNull(Type.Integer()),
  created_at: Time,
});

export class User extends shapedBy('users', UserColumns) {}

/**
 * Since when an address is known to be its account's: by a mailed link, by staff, or because whoever made the account
 * vouched for it, on the command line or by an import. Null: it is still to be confirmed.
 */
export function addressKnownAt(user: Pick<User, 'email_verified_at' | 'email_confirmed_at'>): string | null {
  return user.email_confirmed_at === null ? null : (user.email_verified_at ?? user.email_confirmed_at);
}

export const VerificationCheckColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  type: Type.String(),
  status: VerificationStatusSchema,
  verified_at: orNull(Time),
  created_at: Time,
});

/** One check that was made before a person counted as verified: `email`, `identity`. */
export class VerificationCheck extends shapedBy('verification_checks', VerificationCheckColumns) {}
