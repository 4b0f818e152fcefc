/** The forms of passkeys on the pages where somebody says who they are: what each carries, and what is wrong. */
import { Type } from '@sinclair/typebox';
import type { Session } from '../../../adapters/http/endpoint.ts';
import type { PasskeyPurpose } from '../../accounts/credentials/passkey-challenges.ts';
import { assertionOptions, listPasskeys, type PasskeyParts } from '../../accounts/credentials/passkeys.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { MAX_NEXT } from '../onward.ts';
import { tooMany } from '../page.ts';

export type PasskeyTrouble = 'unknown' | 'wait';

/** The query of a page with such a form: where it leads, and why the last passkey was not taken. */
export const PasskeyQuery = Type.Object({
  next: Type.Optional(Type.String({ maxLength: MAX_NEXT })),
  amount: Type.Optional(Type.String({ maxLength: 40 })),
  passkey: Type.Optional(oneOf(['unknown', 'wait'] satisfies PasskeyTrouble[])),
});

const TROUBLES: Readonly<Record<PasskeyTrouble, string>> = {
  unknown: 'This passkey is not known here, or was not used in time. Try again, or use another way.',
  wait: tooMany(600),
};

/** What such a page says at first. */
export function passkeyTrouble(trouble: PasskeyTrouble | undefined): string | null {
  return trouble === undefined ? null : TROUBLES[trouble];
}

/** What the form carries of a passkey of whoever it turns out to be; null without a session. */
export function anyPasskey(
  { challenges }: PasskeyParts,
  site: string,
  session: Session | null,
): object | null {
  if (session === null) return null;
  return assertionOptions(challenges, { purpose: 'sign_in', sessionId: session.id, userId: null }, site);
}

/** The same of a passkey of this user; null where they have none. */
export async function ownPasskey(
  { knex, challenges }: PasskeyParts,
  { purpose, userId }: { readonly purpose: PasskeyPurpose; readonly userId: number },
  site: string,
  session: Session | null,
): Promise<object | null> {
  const own = await listPasskeys(knex, userId);
  if (session === null || own.length === 0) return null;
  return assertionOptions(challenges, { purpose, sessionId: session.id, userId }, site, own);
}
