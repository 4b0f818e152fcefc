/** Mails on their way out, and the addresses that want no notifications. */
import { type Static, Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';

const MailKindSchema = oneOf(['security', 'notification']);

/**
 * `security`: about the account itself (confirm, reset, new sign-in); always sent. `notification`: everything else;
 * carries `List-Unsubscribe` and is not sent to addresses that have opted out.
 */
export type MailKind = Static<typeof MailKindSchema>;

const MailColumns = Type.Object({
  id: Type.Integer(),
  event_key: Type.String(),
  recipient: Type.String(),
  kind: MailKindSchema,
  /** What it is about; null where nothing counts it. */
  about: orNull(Type.String()),
  /** Its content, encrypted; deleted once it is sent or given up. */
  sealed: orNull(Type.String()),
  created_at: Time,
  sent_at: orNull(Time),
  failed_at: orNull(Time),
  error: orNull(Type.String()),
  /** The trace context of what it reports, and the bid that it is about, where there are such. */
  trace: orNull(Type.String()),
  bid_id: orNull(Type.String()),
});

export class MailRow extends shapedBy('mails', MailColumns) {}

const OptOutColumns = Type.Object({ email: Type.String(), created_at: Time });

export class MailOptOut extends shapedBy('mail_opt_outs', OptOutColumns, 'email') {}
