/**
 * Invoices as the API shows them, and what their list takes. Amounts are JSON numbers in whole units of the currency.
 */
import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../shared/fields.schema.ts';
import { pagingQuery } from '../../shared/paging/page.schema.ts';
import { SoldSet } from '../../shared/parcels.schema.ts';
import { InvoiceKindSchema as Kind, InvoiceStatusSchema as Status } from './invoice.model.ts';

const Time = Type.String({ description: 'ISO 8601 UTC with microseconds.' });
const TimeOrNull = orNull(Time);

export const InvoiceBody = Type.Object(
  {
    id: Type.Integer(),
    invoice_number: Type.String({ example: 'INV-2026-00001' }),
    reference: Type.String({
      example: 'RF34I000123',
      description: 'To write on a bank transfer: a creditor reference of ISO 11649.',
    }),
    kind: Kind,
    status: Status,
    amount_due: Type.Number({ description: 'The sum of the lines, less the credits.' }),
    amount_paid: Type.Number({ description: 'Everything received; refunds are not subtracted.' }),
    amount_refunded: Type.Number(),
    currency: Type.String({ example: 'usd' }),
    due_at: Time,
    is_overdue: Type.Boolean({ description: 'Whether it is open and past its due date.' }),
    is_disputed: Type.Boolean({
      description: 'Whether its payer disputes a payment of it with their bank, which is not decided yet.',
    }),
    paid_at: TimeOrNull,
    lot: Type.Union([
      Type.Object({ id: Type.Integer(), title: Type.String(), slug: Type.String() }),
      Type.Null(),
    ]),
    auction_id: orNull(Type.Integer()),
    conditions_version: orNull(
      Type.Integer({ description: 'The version of the auction’s conditions of sale that it is under.' }),
    ),
    tax_number: orNull(
      Type.String({ description: 'The buyer’s approved number, for which it is without tax.' }),
    ),
    lines: Type.Array(
      Type.Object({ kind: Type.String(), description: Type.String(), amount: Type.Number() }),
    ),
    credits: Type.Array(
      Type.Object({
        kind: Type.Literal('deposit'),
        invoice_number: Type.String({ description: 'The deposit’s invoice.' }),
        amount: Type.Number(),
      }),
      { description: 'How much of it a deposit covers.' },
    ),
    credit_notes: Type.Array(
      Type.Object({
        number: Type.String({ example: 'CN-2026-00001' }),
        amount: Type.Number(),
        created_at: Time,
      }),
      {
        description:
          'What a refund has taken off it, each with a document at `/api/v1/credit-notes/{number}/document`.',
      },
    ),
    set: Type.Optional(SoldSet),
    payment_url: Type.Optional(Type.String({ description: 'The URL where an open invoice can be paid.' })),
    created_at: Time,
  },
  { $id: 'Invoice' },
);

export type InvoiceView = Static<typeof InvoiceBody>;

export const InvoiceListQuery = Type.Object({
  status: Type.Optional(Status),
  kind: Type.Optional(Kind),
  ...pagingQuery,
});

/** The id, or the number that is printed on it. */
export const InvoiceParams = Type.Object({
  id: Type.String({ pattern: '^([1-9][0-9]{0,14}|INV-[0-9]{4}-[0-9]{5,9})$' }),
});

export const CreditNoteParams = Type.Object({
  number: Type.String({ pattern: '^CN-[0-9]{4}-[0-9]{5,9}$' }),
});
