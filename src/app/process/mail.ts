/** The outbox that web processes and commands put mails into; workers send them. */
import type { Knex } from 'knex';
import { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import { operatorName, readOfficeSetting } from '../../shared/operator.ts';
import type { Config } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';

export function mailOutboxOf(config: Config): MailOutbox {
  return new MailOutbox({
    enabled: config.mail.kind !== 'off',
    secrets: config.appSecrets,
    siteUrl: () => addressFor(config),
    sender: (knex) => operatorNameNow(config, knex),
  });
}

/** What the operator is called, by the office or else the environment. */
export async function operatorNameNow(config: Pick<Config, 'operator'>, knex: Knex): Promise<string> {
  return (await readOfficeSetting(knex, 'name')) ?? operatorName(config.operator);
}
