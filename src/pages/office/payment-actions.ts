/** The page of one payment under `/office/money`, where it can be allocated or refunded. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { Payment } from '../../billing/invoices/payment.model.ts';
import { openOrders } from '../../billing/payments/refund-orders.ts';
import { REFUND_ORDERED } from '../../billing/payments/send-refunds.ts';
import { markSent, TRANSFER_PROVIDER } from '../../billing/payments/sent-refunds.ts';
import { allocatePayment, refundUnallocated } from '../../billing/staff/payment-orders.ts';
import { Id } from '../../shared/fields.schema.ts';
import { InputError } from '../../shared/input-error.ts';
import { PAYMENT_POLICY, paymentState } from '../../shared/policy/payment-policy.ts';
import { judge } from '../../shared/policy/policy.ts';
import type { MoneyActionParts } from './invoice-actions.ts';
import { MONEY } from './money-lists.ts';
import type { OfficePage } from './office.ts';
import type { Action, Subject } from './office-action.ts';

const PaymentParams = Type.Object({ payment: Id });

export function paymentSubject(parts: MoneyActionParts): Subject<Payment, typeof PaymentParams> {
  return {
    path: `${MONEY}/payments/{payment}`,
    operationId: 'officePaymentPage',
    summary: 'One payment',
    params: PaymentParams,
    async find(knex, params) {
      return (await Payment.query(knex).findById(params.payment).withGraphFetched('invoice')) ?? null;
    },
    show: (found) => paymentPage(parts.knex, found),
    actions: [allocateAction(parts), refundAction(parts), sentAction()],
  };
}

function unless(action: 'allocate' | 'refund') {
  return (payment: Payment): string | null => {
    const state = paymentState(payment);
    if (judge(PAYMENT_POLICY, action, state, 'staff') === 'allowed') return null;
    return state === 'disputed'
      ? 'The payer disputes the payment: it is not known yet whose money it is.'
      : `The payment is ${state}, not unallocated.`;
  };
}

function allocateAction({ followUps }: MoneyActionParts): Action<Payment> {
  return {
    operationId: 'allocatePaymentInOffice',
    name: 'allocate',
    title: 'Allocate to an invoice',
    button: 'Allocate',
    notice: 'The payment is allocated to the invoice.',
    fieldNames: ['invoice', 'payer'],
    fields: () => [
      {
        name: 'invoice',
        label: 'Invoice',
        kind: 'line',
        required: true,
        maxLength: 30,
        hint: 'Such as INV-2026-00001. It must be open and in the same currency.',
      },
      {
        name: 'payer',
        label: 'Whose invoice',
        kind: 'select',
        options: [
          ['', 'The payer’s own'],
          ['other', 'Another person’s'],
        ],
      },
    ],
    blockedBy: unless('allocate'),
    async act(knex, { id, payment_id }, { values }) {
      const number = values['invoice'] ?? '';
      if (number === '') throw new InputError('invoice: Name the invoice.');
      const terms = { otherPayer: values['payer'] === 'other' };
      const allocated = await allocatePayment({ knex, followUps }, String(id), number, terms).catch(
        underInvoice,
      );
      return {
        aboutUserId: allocated.invoice.user_id,
        detail: { payment: payment_id, invoice_number: number, payer: allocated.payer },
      };
    },
  };
}

function refundAction({ provider, followUps }: MoneyActionParts): Action<Payment> {
  return {
    operationId: 'refundPaymentInOffice',
    name: 'refund',
    title: 'Refund it',
    button: 'Refund',
    danger: true,
    notice: 'The payment is refunded to the payer.',
    goesOnNotice: REFUND_ORDERED,
    // What is ordered stays so, whatever becomes of sending it.
    beyondPostgres: true,
    blockedBy: unless('refund'),
    async act(knex, { id, payment_id }) {
      const { refund } = await refundUnallocated({ knex, provider, followUps }, String(id));
      return { detail: { payment: payment_id }, goesOn: refund === 'ordered' };
    },
  };
}

function sentAction(): Action<Payment> {
  return {
    operationId: 'sentPaymentInOffice',
    name: 'sent',
    title: 'What goes back was sent',
    button: 'Sent',
    notice: 'It is noted as sent.',
    blockedBy: ({ provider: by }) => (by === TRANSFER_PROVIDER ? null : `It goes back through ${by}.`),
    async act(knex, { id, payment_id }) {
      const { cents } = await markSent(knex, String(id));
      return { detail: { payment: payment_id, cents } };
    },
  };
}

/** A missing invoice is an error in the field of that name. */
function underInvoice(error: unknown): never {
  if (error instanceof InputError && error.message.startsWith('number: '))
    throw new InputError(error.message.replace('number: ', 'invoice: '));
  throw error;
}

async function paymentPage(knex: Knex, found: Payment): Promise<OfficePage> {
  const { currency, invoice: meant } = found;
  const ordered = (await openOrders(knex, found)).reduce((sum, { cents }) => sum + cents, 0);
  return {
    section: 'money',
    heading: `Payment ${found.payment_id}`,
    crumbs: [[`${MONEY}/payments`, 'Payments']],
    facts: [
      ['State', { pill: found.status }],
      ['Amount', { cents: found.amount_cents, currency }],
      ['Sent back', { cents: found.refunded_cents, currency }],
      ...(ordered > 0 ? [['Ordered to go back', { cents: ordered, currency }] as const] : []),
      ['Disputed', { cents: found.disputed_cents, currency }],
      ['Provider', found.provider],
      ['Came', { time: found.created_at }],
      [
        'Meant for',
        meant === null || meant === undefined
          ? null
          : { href: `${MONEY}/invoices/${meant.invoice_number}`, text: meant.invoice_number },
      ],
    ],
  };
}
