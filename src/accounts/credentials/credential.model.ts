/**
 * What proves who somebody is besides their password: mailed links, authenticators, recovery codes. Hashes and seals
 * only.
 */
import { Type } from '@sinclair/typebox';
import { SQL_ARRAY, shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';

export type LinkPurpose = 'confirm' | 'reset';

const AccountLinkColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  purpose: oneOf(['confirm', 'reset']),
  /** Hex SHA-256 of the token. */
  token_hash: Type.String(),
  expires_at: Time,
  used_at: orNull(Time),
  created_at: Time,
  /** Hex SHA-256 of what the browser keeps in which the sign-up was sent. */
  browser_hash: orNull(Type.String()),
  /** Of a sign-up whose account takes the place of the link's, which was never confirmed; with its name. */
  password_hash: orNull(Type.String()),
  name: orNull(Type.String()),
});

export class AccountLink extends shapedBy('account_links', AccountLinkColumns) {}

const TwoFactorColumns = Type.Object({
  user_id: Type.Integer(),
  sealed_secret: Type.String(),
  enabled_at: orNull(Time),
  /** The time step of the code that was used last; 0 before the first. */
  last_step: Type.Integer(),
  created_at: Time,
});

export class TwoFactor extends shapedBy('two_factors', TwoFactorColumns, 'user_id') {}

const RecoveryCodeColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  code_hash: Type.String(),
  used_at: orNull(Time),
  created_at: Time,
});

export class RecoveryCode extends shapedBy('recovery_codes', RecoveryCodeColumns) {}

const EmailChangeColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  old_email: Type.String(),
  new_email: Type.String(),
  /** Hex SHA-256 of the tokens: of the new address, of the old one, and of the old one after the change. */
  confirm_hash: Type.String(),
  stop_hash: Type.String(),
  undo_hash: orNull(Type.String()),
  /** The account's at the time of the request. */
  password_hash: orNull(Type.String()),
  created_at: Time,
  expires_at: Time,
  confirmed_at: orNull(Time),
  stopped_at: orNull(Time),
});

export class EmailChange extends shapedBy('email_changes', EmailChangeColumns) {}

export const PasskeyColumns = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** These three in base64url. */
  credential_id: Type.String(),
  public_key: Type.String(),
  user_handle: Type.String(),
  /** How often it was used, as its authenticator counts; 0 where it does not. */
  counter: Type.Integer(),
  transports: Type.Array(Type.String(), SQL_ARRAY),
  name: Type.String(),
  synced: Type.Boolean({ description: 'Whether it is on several devices of its owner.' }),
  created_at: Time,
  last_used_at: orNull(Time),
});

export class Passkey extends shapedBy('passkeys', PasskeyColumns) {}
