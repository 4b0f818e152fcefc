/**
 * Addresses that want no notifications, as accounts keep them (`normalizeEmail`). The link in each of those mails names
 * the address and proves, by a signature under APP_SECRET, that it was we who made it; it works without an account and
 * for as long as the secret is known.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { MailOptOut } from './mail.model.ts';

const TOKEN = /^([A-Za-z0-9_-]{4,342})\.([A-Za-z0-9_-]{43})$/;

/** What the links look like, for a path's schema. */
export const OPT_OUT_TOKEN = TOKEN.source;

/** The page on which an address opts out. */
export function unsubscribeUrl(
  siteUrl: string,
  email: string,
  secrets: readonly [string, ...string[]],
): string {
  const address = Buffer.from(email).toString('base64url');
  return `${siteUrl}/mail/unsubscribe/${address}.${signatureOf(address, secrets[0])}`;
}

/** The address that a link's token names, or null where we did not make it. */
export function readOptOutToken(token: string, secrets: readonly string[]): string | null {
  const [, address = '', signature = ''] = TOKEN.exec(token) ?? [];
  const signatureBytes = Buffer.from(signature);
  const isOurs = secrets.some((secret) => {
    const expected = Buffer.from(signatureOf(address, secret));
    return expected.length === signatureBytes.length && timingSafeEqual(expected, signatureBytes);
  });
  return isOurs ? Buffer.from(address, 'base64url').toString('utf8') : null;
}

/** Turns notifications by mail off for an address, or on again. Doing it twice changes nothing. */
export async function setOptOut(knex: Knex, email: string, out: boolean): Promise<void> {
  const row = { email };
  if (out) await MailOptOut.query(knex).insert(row).onConflict('email').ignore();
  else await MailOptOut.query(knex).where(row).delete();
}

/** Whether an address has opted out. */
export async function isOptedOut(knex: Knex, email: string): Promise<boolean> {
  return (await MailOptOut.query(knex).findById(email)) !== undefined;
}

function signatureOf(address: string, secret: string): string {
  return createHmac('sha256', secret).update(`mail opt-out:${address}`).digest('base64url');
}
