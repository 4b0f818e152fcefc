/**
 * A settlement's row with its lines, and the adjustments that it carries: what changed about auctions that were
 * settled before. Money is integer cents, the commission basis points. Of each line `net = hammer − commission − fees
 * + adjustment`.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { PartialModelObject } from 'objection';
import { belongsTo, hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { nextNumbers } from '../../shared/numbering.ts';
import { statusSchema } from '../../shared/statuses/billing-statuses.ts';
import { Invoice } from '../invoices/invoice.model.ts';

const idOrNull = orNull(Type.Integer());
const timeOrNull = orNull(Type.String());

export const SettlementStatusSchema = statusSchema('settlement');

const SettlementColumns = Type.Object({
  id: Type.Integer(),
  statement_number: Type.String(),
  kind: oneOf(['auction', 'adjustment']),
  auction_id: Type.Integer(),
  team_id: Type.Integer(),
  status: SettlementStatusSchema,
  currency: Type.String(),
  commission_bps: Type.Integer(),
  fee_invoice_id: idOrNull,
  payout_cents: orNull(Type.Integer(), {
    description: 'What the seller was paid out: the net, and what they had already paid towards the fee.',
  }),
  fee_paid_cents: Type.Integer({
    description: 'The part of the pay-out that returns what they had already paid towards the fee.',
  }),
  approved_at: timeOrNull,
  paid_at: timeOrNull,
  reopened_at: timeOrNull,
  reopened_reason: orNull(Type.String()),
  created_at: Type.String(),
});

const Fee = Type.Object({ name: Type.String(), amount_cents: Type.Integer() });

const SettlementLineColumns = Type.Object({
  id: Type.Integer(),
  settlement_id: Type.Integer(),
  lot_id: Type.Integer(),
  invoice_id: idOrNull,
  settled_by: oneOf(['invoice', 'platform', 'nobody']),
  lot_number: Type.Integer(),
  title: Type.String(),
  hammer_cents: Type.Integer(),
  commission_cents: Type.Integer(),
  fees: Type.Array(Fee),
  adjustment_cents: Type.Integer({
    description: 'The seller’s part of refunds on a sale that remains valid, and of disputes that were lost.',
  }),
  net_cents: Type.Integer(),
});

export class SettlementLineRow extends shapedBy('settlement_lines', SettlementLineColumns) {
  declare invoice?: Invoice | null;

  static override relationMappings = () => ({
    invoice: belongsTo(Invoice, 'settlement_lines.invoice_id'),
  });
}

const AdjustmentColumns = Type.Object({
  id: Type.Integer(),
  settlement_id: Type.Integer({ description: 'The settlement that includes it.' }),
  auction_id: Type.Integer({ description: 'The auction whose figures changed.' }),
  lot_id: idOrNull,
  kind: Type.Union([Type.Literal('sale'), Type.Literal('fee')], {
    description:
      '`sale`: a sale changed after the pay-out; `fee`: the fee invoice charged too much, which is returned.',
  }),
  description: Type.String(),
  commission_cents: Type.Integer(),
  amount_cents: Type.Integer(),
  created_at: Type.String(),
});

export class Adjustment extends shapedBy('settlement_adjustments', AdjustmentColumns) {}

export class Settlement extends shapedBy('settlements', SettlementColumns) {
  declare lines?: SettlementLineRow[];
  declare adjustments?: Adjustment[];

  static override relationMappings = () => ({
    lines: hasMany(SettlementLineRow, 'settlement_lines.settlement_id', Settlement),
    adjustments: hasMany(Adjustment, 'settlement_adjustments.settlement_id', Settlement),
  });
}

type Columns = PartialModelObject<Settlement>;

/** Writes a new one, with the next number. */
export async function insertSettlement(trx: Knex.Transaction, columns: Columns): Promise<Settlement> {
  const statement_number = firstOf(await nextNumbers(trx, 'SET', 1));
  return Settlement.query(trx)
    .insert({ ...columns, statement_number })
    .returning('*');
}

/** Writes columns of a settlement. */
export async function saveSettlement(
  trx: Knex.Transaction,
  { id }: Pick<Settlement, 'id'>,
  columns: Columns,
): Promise<Settlement> {
  return Settlement.query(trx).findById(id).patch(columns).returning('*').first().throwIfNotFound();
}
