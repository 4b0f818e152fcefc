/**
 * Mail under a configuration: the outbox that web processes and commands put mails into, and what workers send them
 * with.
 */
import { type MailTransport, openMailFolder, openSmtp } from '../../../adapters/mail/transport.ts';
import { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import type { Config } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';

export function mailOutboxOf(config: Config): MailOutbox {
  return new MailOutbox({
    enabled: config.mail.kind !== 'off',
    secrets: config.appSecrets,
    siteUrl: () => addressFor(config),
  });
}

/** What mails go out with; null where mail is off. */
export function openMailTransport({ mail }: Pick<Config, 'mail'>): MailTransport | null {
  if (mail.kind === 'off') return null;
  return mail.kind === 'smtp' ? openSmtp(mail.url) : openMailFolder(mail.folder);
}
