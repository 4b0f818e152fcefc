/** What waits in the queue of money: disputes, unmatched payments, what was set aside, settlements. */
import type { Knex } from 'knex';
import type { Invoice } from '../../billing/invoices/invoice.model.ts';
import type { Payment } from '../../billing/invoices/payment.model.ts';
import { setAsideTries } from '../../billing/payments/money-tries.ts';
import { refundsToSend } from '../../billing/payments/sent-refunds.ts';
import { searchPayments, searchSettlements, settlementNets } from '../../billing/staff/money-search.ts';
import { invoiceSubject, type MoneyActionParts } from './invoice-actions.ts';
import { invoiceCell, MONEY, paymentCell, setAsideCell } from './money-lists.ts';
import type { Cell } from './office.ts';
import { titlesOfAuctions } from './office-auction-rows.ts';
import { paymentSubject } from './payment-actions.ts';
import { type Decidable, decide, named, sectionOf } from './queue-table.ts';
import { pageIn } from './search-list.ts';
import { settlementSubject } from './settlement-actions.ts';

const OLDEST = ['id'];

const numberOf = (invoice: Invoice | null | undefined) => invoice?.invoice_number ?? '';

export function moneyQueue(parts: MoneyActionParts) {
  const { knex } = parts;
  const payments: Decidable = paymentSubject(parts);
  const settlements: Decidable = settlementSubject(parts);
  const invoices: Decidable = invoiceSubject(parts);
  return {
    disputes: disputesIn(knex),
    unmatched: unmatchedMoney(knex, payments),
    toSend: refundsWaiting(knex, payments),
    setAside: moneySetAside(knex, invoices, payments),
    toApprove: settlementsIn(knex, settlements, {
      status: 'pending',
      action: 'approve',
      heading: 'Settlements to approve',
      empty: 'No settlement waits for approval.',
    }),
    toPay: settlementsIn(knex, settlements, {
      status: 'approved',
      action: 'pay',
      heading: 'Settlements to pay',
      empty: 'No settlement waits for its pay-out.',
    }),
    subjects: [payments, settlements, invoices],
  };
}

function disputesIn(knex: Knex) {
  return sectionOf({
    heading: 'Disputes',
    columns: ['Payment', 'Disputed', 'Sale', 'Invoice', 'Paid by', 'Age', 'What decides it'],
    empty: 'No payment is disputed.',
    all: `${MONEY}/payments`,
    async read(perPage) {
      const found = await pageIn(searchPayments(knex, { disputed: true }), OLDEST, perPage);
      const sales = await titlesOfAuctions(
        knex,
        found.rows.flatMap(({ invoice }) => invoice?.auction_id ?? []),
      );
      const { rows, total } = await named(knex, found, ({ invoice }) => invoice?.user_id);
      const saleOf = ({ invoice }: Payment): Cell => {
        const id = invoice?.auction_id ?? null;
        return id === null ? null : { href: `/office/auctions/${id}`, text: sales.get(id) ?? String(id) };
      };
      return { rows: rows.map(({ one, person }) => ({ one, person, sale: saleOf(one) })), total };
    },
    row: ({ one, person, sale }) => [
      paymentCell(one),
      { cents: one.disputed_cents, currency: one.currency },
      sale,
      invoiceCell(one.invoice?.invoice_number),
      person,
      { since: one.created_at },
      `What ${one.provider} reports: the evidence is sent there`,
    ],
  });
}

function unmatchedMoney(knex: Knex, payments: Decidable) {
  return sectionOf({
    heading: 'Money unmatched',
    columns: ['Payment', 'Amount', 'Meant for', 'Age'],
    empty: 'Every payment is on an invoice.',
    all: `${MONEY}/payments?status=unallocated`,
    read: (perPage) => pageIn(searchPayments(knex, { status: 'unallocated' }), OLDEST, perPage),
    row: (one) => [
      paymentCell(one),
      { cents: one.unallocated_cents, currency: one.currency },
      invoiceCell(one.invoice?.invoice_number),
      { since: one.created_at },
    ],
    decisions: ({ id, payment_id: about, invoice }) => [
      decide(payments, {
        action: 'allocate',
        ...{ id, about },
        fields: [{ name: 'invoice', label: 'Invoice', maxLength: 30, value: invoice?.invoice_number ?? '' }],
      }),
      decide(payments, { action: 'refund', id, about }),
    ],
  });
}

function refundsWaiting(knex: Knex, payments: Decidable) {
  return sectionOf({
    heading: 'Refunds to send',
    columns: ['Transfer', 'Goes back', 'Invoice', 'To', 'Age'],
    empty: 'No refund of a bank transfer waits.',
    all: `${MONEY}/payments`,
    async read(limit) {
      return named(knex, await refundsToSend(knex, limit), ({ payment }) => payment.invoice?.user_id);
    },
    row: ({ one: { payment, cents }, person }) => [
      paymentCell(payment),
      { cents, currency: payment.currency },
      invoiceCell(payment.invoice?.invoice_number),
      person,
      { since: payment.created_at },
    ],
    decisions: ({ one: { payment } }) => [
      decide(payments, { action: 'sent', id: payment.id, about: payment.payment_id }),
    ],
  });
}

function moneySetAside(knex: Knex, invoices: Decidable, payments: Decidable) {
  return sectionOf({
    heading: 'Money set aside',
    columns: ['Invoice or payment', 'Amount', 'Why', 'Tried', 'Age'],
    empty: 'No money is set aside.',
    all: MONEY,
    read: (limit) => setAsideTries(knex, limit),
    row: (tried) => [
      setAsideCell(tried),
      {
        cents: tried.invoice?.amount_due_cents ?? tried.payment?.unallocated_cents ?? 0,
        currency: tried.invoice?.currency ?? tried.payment?.currency ?? 'usd',
      },
      tried.reason,
      `${tried.tries} times`,
      { since: tried.set_aside_at ?? '' },
    ],
    decisions: ({ invoice, payment }) =>
      payment == null
        ? [decide(invoices, { action: 'try-again', id: numberOf(invoice), about: numberOf(invoice) })]
        : [decide(payments, { action: 'refund', id: payment.id, about: payment.payment_id })],
  });
}

/** Settlements in a status, with the action that moves them on. */
interface WaitingSettlements {
  readonly status: 'pending' | 'approved';
  readonly action: 'approve' | 'pay';
  readonly heading: string;
  readonly empty: string;
}

function settlementsIn(
  knex: Knex,
  settlements: Decidable,
  { status, action, heading, empty }: WaitingSettlements,
) {
  return sectionOf({
    heading,
    columns: ['Settlement', 'Net', 'Seller', 'Auction', 'Age'],
    empty,
    all: `${MONEY}/settlements?status=${status}`,
    async read(perPage) {
      const { rows, total } = await pageIn(searchSettlements(knex, { status }), ['s.id'], perPage);
      const nets = await settlementNets(
        knex,
        rows.map(({ id }) => id),
      );
      return { rows: rows.map((one) => ({ one, net: nets.get(one.id) ?? 0n })), total };
    },
    row: ({ one, net }) => [
      { href: `${MONEY}/settlements/${one.id}`, text: one.statement_number },
      { cents: net, currency: one.currency },
      { href: `/office/sellers/${one.team_id}`, text: one.team_name },
      one.auction_title,
      { since: one.created_at },
    ],
    decisions: ({ one: { id, statement_number: about } }) => [decide(settlements, { action, id, about })],
  });
}
