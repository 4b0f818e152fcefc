/** The page of one invoice under `/office/money`, with voiding and refunding it. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { requireUserById } from '../../accounts/people/accounts.ts';
import { findInvoice, type InvoiceRow } from '../../billing/invoices/invoice-rows.ts';
import { Payment } from '../../billing/invoices/payment.model.ts';
import { setAsideReason, tryAgain } from '../../billing/payments/money-tries.ts';
import { REFUND_ORDERED } from '../../billing/payments/send-refunds.ts';
import { type RefundParts, refundByNumber, voidByNumber } from '../../billing/staff/invoice-orders.ts';
import { judgeInvoice } from '../../shared/policy/invoice-verdicts.ts';
import { refundsTable } from './invoice-refunds.ts';
import { MONEY } from './money-lists.ts';
import type { Cell, OfficePage, OfficeParts } from './office.ts';
import type { Subject } from './office-action.ts';

/** What billing's orders need besides the database, which each action brings. */
export type MoneyActionParts = OfficeParts & Omit<RefundParts, 'knex'>;

const InvoiceParams = Type.Object({ invoice: Type.String({ pattern: '^INV-[0-9]{4}-[0-9]{5,9}$' }) });

/** An invoice, and why work on its money was set aside. */
type FoundInvoice = InvoiceRow & { readonly set_aside: string | null };

export function invoiceSubject(parts: MoneyActionParts): Subject<FoundInvoice, typeof InvoiceParams> {
  const { provider, followUps, refundDeposit } = parts;
  const about = ({ user_id, team_id, invoice_number }: InvoiceRow) => ({
    aboutUserId: user_id,
    teamId: team_id,
    detail: { invoice_number },
  });
  return {
    path: `${MONEY}/invoices/{invoice}`,
    operationId: 'officeInvoicePage',
    summary: 'One invoice',
    params: InvoiceParams,
    async find(knex, params) {
      const row = await findInvoice(knex, params.invoice);
      return row === null ? null : Object.assign(row, { set_aside: await setAsideReason(knex, row.id) });
    },
    show: (row) => invoicePage(parts.knex, row),
    actions: [
      {
        operationId: 'voidInvoiceInOffice',
        name: 'void',
        title: 'Void',
        button: 'Void',
        danger: true,
        notice: 'The invoice is voided: it no longer has to be paid.',
        blockedBy: (row) =>
          judgeInvoice(row, 'void', 'staff') === 'allowed' ? null : `The invoice is already ${row.status}.`,
        async act(knex, row) {
          await voidByNumber({ knex, provider, followUps }, row.invoice_number);
          return about(row);
        },
      },
      {
        operationId: 'refundInvoiceInOffice',
        name: 'refund',
        title: 'Refund',
        button: 'Refund',
        danger: true,
        notice: 'Everything that was paid is refunded.',
        goesOnNotice: REFUND_ORDERED,
        // Deposits call the journal, and the provider: neither waits for a transaction of ours.
        beyondPostgres: true,
        blockedBy: (row) =>
          judgeInvoice(row, 'refund', 'staff') === 'allowed'
            ? null
            : `The invoice is ${row.status}: there is nothing to refund.`,
        async act(knex, row) {
          const parts = { knex, provider, followUps, refundDeposit };
          const { refund } = await refundByNumber(parts, row.invoice_number);
          return { ...about(row), goesOn: refund === 'ordered' };
        },
      },
      {
        operationId: 'retryMoneyInOffice',
        name: 'try-again',
        title: 'Try again what was set aside',
        button: 'Try again',
        notice: 'It is tried again within the next minute.',
        blockedBy: ({ set_aside }) => (set_aside === null ? 'Nothing of this invoice is set aside.' : null),
        async act(knex, row) {
          await tryAgain(knex, row.invoice_number);
          return about(row);
        },
      },
    ],
  };
}

async function invoicePage(knex: Knex, row: FoundInvoice): Promise<OfficePage> {
  const { currency } = row;
  const money = (cents: number): Cell => ({ cents, currency });
  const [user, payments, back] = await Promise.all([
    requireUserById(knex, row.user_id),
    Payment.query(knex).where('invoice_id', row.id).orderBy('id'),
    refundsTable(knex, row),
  ]);
  return {
    section: 'money',
    heading: `Invoice ${row.invoice_number}`,
    crumbs: [[`${MONEY}/invoices`, 'Invoices']],
    facts: [
      ['State', { pill: row.status }],
      ['Kind', row.kind],
      ['Who owes it', { href: `/office/people/${row.user_id}`, text: user.name }],
      ['Owed', money(row.amount_due_cents)],
      ['Paid', money(row.amount_paid_cents)],
      ['Refunded', money(row.amount_refunded_cents)],
      ['Credit notes', row.creditNotes.map(({ number }) => number).join(', ') || null],
      ['Due', { time: row.due_at }],
      ['Set aside', row.set_aside ?? 'nothing'],
      [
        'Lot',
        row.lot_id === null ? null : { href: `/office/lots/${row.lot_id}`, text: row.lot?.title ?? '' },
      ],
    ],
    tables: [
      {
        heading: 'Lines',
        columns: ['Kind', 'What', 'Amount'],
        rows: row.lines.map((line) => [line.kind, line.description, money(line.amount_cents)]),
        empty: 'It has no lines.',
      },
      {
        heading: 'Payments',
        columns: ['Payment', 'State', 'Amount', 'Sent back', 'Came'],
        rows: payments.map((one): Cell[] => [
          { href: `${MONEY}/payments/${one.id}`, text: one.payment_id },
          { pill: one.status },
          money(one.amount_cents),
          money(one.refunded_cents),
          { time: one.created_at },
        ]),
        empty: 'Nothing was paid.',
      },
      back,
    ],
  };
}
