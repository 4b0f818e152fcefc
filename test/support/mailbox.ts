/** What has been mailed to an address, read from the outbox as the worker would. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unseal } from '../../src/shared/sealed.ts';
import type { Service } from './service.ts';

export interface SentMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly kind: string;
  readonly eventKey: string;
}

/** Oldest first. Only mails that no worker has sent yet can be read. */
export async function mailsTo(service: Service, email: string): Promise<SentMail[]> {
  const rows = await service.backends.knex('mails').where('recipient', email).orderBy('id');
  return rows.map((row) => ({
    ...JSON.parse(unseal(row.sealed, service.config.appSecrets)),
    kind: row.kind,
    eventKey: row.event_key,
  }));
}

/** The path of the newest link to an address that begins so: `/confirm/`. */
export async function newestLink(service: Service, email: string, beginning: string): Promise<string> {
  const mails = await mailsTo(service, email);
  const links = mails
    .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
    .map((url) => new URL(url))
    .map(({ pathname, search }) => `${pathname}${search}`);
  const link = links.filter((path) => path.startsWith(beginning)).at(-1);
  if (link === undefined) throw new Error(`no mail to ${email} leads to ${beginning}`);
  return link;
}

/** What the worker has written to the folder of mails, oldest first, as the files are. */
export function writtenMails({ config }: Service): string[] {
  const folder = join(config.dataDir, 'mail');
  const files = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.eml'));
  return files.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
}
