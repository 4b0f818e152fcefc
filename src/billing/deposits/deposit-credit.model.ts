/** What a deposit covers of a winner's invoice, until that invoice falls through. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';

const CreditColumns = Type.Object({
  id: Type.Integer(),
  deposit_invoice_id: Type.Integer(),
  invoice_id: Type.Integer(),
  amount_cents: Type.Integer(),
  created_at: Type.String(),
  released_at: Type.Union([Type.String(), Type.Null()]),
});

export class DepositCredit extends shapedBy('deposit_credits', CreditColumns) {}
