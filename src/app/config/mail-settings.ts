/**
 * How mail goes out: `SMTP_URL` and `MAIL_FROM`. Without a server, development and tests write files under the data
 * folder, and production has no mail at all.
 */
import { resolve } from 'node:path';
import type { EnvironmentReader } from './environment-reader.ts';

/** `from` is a `From` header: `Rostrum <mail@example.com>`. */
export type MailSettings =
  | { readonly kind: 'smtp'; readonly url: string; readonly from: string }
  | { readonly kind: 'folder'; readonly folder: string; readonly from: string }
  | { readonly kind: 'off' };

interface Surroundings {
  readonly production: boolean;
  readonly dataDir: string;
  readonly publicUrl: string | null;
  /** The name of the sender where `MAIL_FROM` gives none. */
  readonly sender: string;
}

const ADDRESS = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/;
const NAMED = /^([^<>@\r\n]{1,100}) *<([^<>]+)>$/;

/** Throws `ConfigError` for an address that is none. */
export function readMail(
  read: EnvironmentReader,
  { production, dataDir, publicUrl, sender }: Surroundings,
): MailSettings {
  const url = read.address('SMTP_URL', ['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com:465');
  const from = readFrom(read) ?? `${sender} <no-reply@${hostOf(publicUrl)}>`;
  if (url !== null) return { kind: 'smtp', url, from };
  return production ? { kind: 'off' } : { kind: 'folder', folder: resolve(dataDir, 'mail'), from };
}

function readFrom(read: EnvironmentReader): string | null {
  const text = read.text('MAIL_FROM');
  if (text === null) return null;
  const address = NAMED.exec(text)?.[2] ?? text;
  return ADDRESS.test(address)
    ? text
    : read.fail('MAIL_FROM', 'an address such as "Rostrum <mail@example.com>"');
}

function hostOf(publicUrl: string | null): string {
  return publicUrl === null ? 'localhost' : new URL(publicUrl).hostname;
}
