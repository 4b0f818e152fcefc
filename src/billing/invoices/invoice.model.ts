/**
 * An invoice's row and its lines. Money is integer cents, times ISO 8601 UTC with microseconds. The figures of what was
 * paid, refunded, credited and is owed are sums over the ledger, kept by the database; `invoices.ts` moves the status.
 */
import { Type } from '@sinclair/typebox';
import type { AnyQueryBuilder } from 'objection';
import { belongsTo, hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { TaxNumber } from '../../accounts/models/tax-number.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { SoldSet } from '../../shared/parcels.schema.ts';
import { INVOICE_KINDS, statusSchema } from '../../shared/statuses/billing-statuses.ts';

export type InvoiceKind = (typeof INVOICE_KINDS)[number];
export const InvoiceKindSchema = oneOf(INVOICE_KINDS);
export const InvoiceStatusSchema = statusSchema('invoice');

const idOrNull = orNull(Type.Integer());
const timeOrNull = orNull(Type.String());

const textOrNull = orNull(Type.String());

/** Who sold and who bought, by what was known of them when the invoice was made. */
const PartiesThen = Type.Object({
  buyer: Type.Object({ name: Type.String(), email: Type.String(), address: textOrNull }),
  seller: orNull(Type.Object({ name: Type.String(), address: textOrNull, tax_number: textOrNull })),
});

const InvoiceColumns = Type.Object({
  id: Type.Integer(),
  invoice_number: Type.String(),
  kind: InvoiceKindSchema,
  status: InvoiceStatusSchema,
  user_id: Type.Integer({ description: 'The user who owes it.' }),
  team_id: orNull(Type.Integer(), {
    description: 'The team whose webhook subscriptions get its events.',
  }),
  auction_id: idOrNull,
  lot_id: idOrNull,
  bid_id: orNull(Type.String(), { description: 'The bid that bought a part of the lot; null: all of it.' }),
  take: orNull(Type.Integer(), { description: 'How many pieces that bid bought.' }),
  set: Type.Optional(
    orNull(SoldSet, { description: 'What the lot was bought with, of lots sold in any combination.' }),
  ),
  subscription_id: idOrNull,
  campaign_id: idOrNull,
  period_start: timeOrNull,
  period_end: timeOrNull,
  currency: Type.String(),
  amount_due_cents: Type.Integer({ description: 'The sum of its lines, less what deposits cover.' }),
  amount_paid_cents: Type.Integer({ description: 'Everything received; refunds are not subtracted.' }),
  amount_refunded_cents: Type.Integer(),
  owed_cents: Type.Integer({
    description: 'What it still asks for; below zero: what was paid beyond that. Zero on deposits.',
  }),
  credited_cents: Type.Integer({
    description:
      'On a deposit: how much of other invoices it covers. On other invoices: how much deposits cover.',
  }),
  conditions_version: orNull(Type.Integer(), {
    description: 'Of the conditions of sale that its buyer accepted.',
  }),
  tax_number_id: orNull(Type.Integer(), { description: 'The number for which it is without tax.' }),
  parties: orNull(PartiesThen),
  due_at: Type.String(),
  overdue_at: timeOrNull,
  reminded_at: timeOrNull,
  paid_at: timeOrNull,
  voided_at: timeOrNull,
  refunded_at: timeOrNull,
  reopened_at: timeOrNull,
  deposit_applied_at: orNull(Type.String(), {
    description: 'Since when the bidder may bid because this deposit is paid.',
  }),
  checkout_url: orNull(Type.String()),
  checkout_cents: orNull(Type.Integer()),
  checkout_base: orNull(Type.String(), {
    description: 'The service’s own address when the link was created.',
  }),
  checkout_expires_at: timeOrNull,
  created_at: Type.String(),
});

export type LineKind = 'hammer' | 'premium' | 'tax' | 'commission' | 'fee' | 'subscription' | 'deposit';

export interface InvoiceLine {
  readonly kind: LineKind;
  readonly description: string;
  readonly amount_cents: number;
}

const InvoiceLineColumns = Type.Object({
  id: Type.Integer(),
  invoice_id: Type.Integer(),
  position: Type.Integer(),
  kind: Type.Unsafe<LineKind>(Type.String()),
  description: Type.String(),
  amount_cents: Type.Integer(),
});

export class InvoiceLineRow extends shapedBy('invoice_lines', InvoiceLineColumns) {}

export class Invoice extends shapedBy('invoices', InvoiceColumns) {
  /** What deposits cover of it now. */
  declare credits?: DepositCredit[];
  declare creditNotes?: CreditNote[];
  declare lines?: InvoiceLineRow[];
  declare lot?: Lot | null;
  /** Where it was asked for. */
  declare is_disputed?: boolean;
  declare taxNumber?: TaxNumber | null;

  static override relationMappings = () => ({
    credits: {
      ...hasMany(DepositCredit, 'deposit_credits.invoice_id', Invoice),
      modify: (credits: AnyQueryBuilder) => credits.orderBy('id'),
    },
    creditNotes: {
      ...hasMany(CreditNote, 'credit_notes.invoice_id', Invoice),
      modify: (notes: AnyQueryBuilder) => notes.orderBy('id'),
    },
    lines: {
      ...hasMany(InvoiceLineRow, 'invoice_lines.invoice_id', Invoice),
      modify: (lines: AnyQueryBuilder) => lines.orderBy('position'),
    },
    lot: belongsTo(Lot, 'invoices.lot_id'),
    taxNumber: belongsTo(TaxNumber, 'invoices.tax_number_id'),
  });
}

const CreditColumns = Type.Object({
  id: Type.Integer(),
  deposit_invoice_id: Type.Integer(),
  invoice_id: Type.Integer(),
  amount_cents: Type.Integer(),
  created_at: Type.String(),
});

/** What a deposit covers of a winner's invoice: a view of the postings of kind `credit`. */
export class DepositCredit extends shapedBy('deposit_credits', CreditColumns) {
  declare deposit?: Invoice;

  static override relationMappings = () => ({
    deposit: belongsTo(Invoice, 'deposit_credits.deposit_invoice_id'),
  });
}

const CreditNoteColumns = Type.Object({
  id: Type.Integer(),
  number: Type.String({ description: 'Taken when the transaction commits that makes it.' }),
  invoice_id: Type.Integer(),
  amount_cents: Type.Integer(),
  tax_cents: Type.Integer({ description: 'How much of it is tax.' }),
  created_at: Type.String(),
});

/** What an invoice no longer asks for because money went back. */
export class CreditNote extends shapedBy('credit_notes', CreditNoteColumns) {
  declare invoice?: Invoice;

  static override relationMappings = () => ({
    invoice: belongsTo(Invoice, 'credit_notes.invoice_id'),
  });
}
