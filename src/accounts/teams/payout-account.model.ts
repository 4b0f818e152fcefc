/** A team's pay-out account, as stored: sealed, with the last digits of its number in the clear. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

const PayoutAccountColumns = Type.Object({
  team_id: Type.Integer(),
  sealed: Type.String(),
  last_digits: Type.String(),
  changed_by_user_id: orNull(Type.Integer()),
  changed_at: Time,
});

export class PayoutAccountRow extends shapedBy('payout_accounts', PayoutAccountColumns, 'team_id') {}
