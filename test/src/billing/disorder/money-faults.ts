// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the source.
/**
 * Faults of money that the naive ledger must find, each kind that was once there among them: one change of one file
 * each, planted in what a process of its own loads. The text must be there exactly once.
 */
import type { Fault } from '../../../simulation/faults.ts';

const BACK = 'src/billing/payments/apply-back.ts';
const TAKE_BACK = 'src/billing/payments/take-back.ts';
const PAYMENT = 'src/billing/payments/apply-payment.ts';
const INVOICES = 'src/billing/invoices/invoices.ts';
const STAFF = 'src/billing/staff/payment-orders.ts';
const CREDITS = 'src/billing/invoices/credits.ts';
const SURPLUS = 'src/billing/payments/return-surplus.ts';
const DEPOSITS = 'src/billing/deposits/return-deposits.ts';

export const MONEY_FAULTS: readonly Fault[] = [
  {
    name: 'a cent of an unknown charge, taken from a sale',
    file: 'src/billing/payments/provider-event.ts',
    text: ".where((own) => own.whereIn('payment_id', ids).orWhereIn('charge_id', ids))",
    instead: ".where((own) => own.whereIn('payment_id', ids).orWhereNot('payment_id', ''))",
  },
  {
    name: 'a dispute that leaves what a deposit covers',
    file: BACK,
    text: 'if (moved > 0) for (const invoice of invoices)',
    instead: 'if (moved < 0) for (const invoice of invoices)',
  },
  {
    name: 'a refund of a deposit that leaves what it covers',
    file: TAKE_BACK,
    text: "for (const { invoice, cents } of from === 'disputed' ? [] : on)",
    instead: "for (const { invoice, cents } of from === 'provider' ? [] : on)",
  },
  {
    name: 'a deposit that is free again and stays',
    file: DEPOSITS,
    text: 'await releaseAll(trx, invoice);',
    instead: '',
  },
  {
    name: 'yen in hundredths',
    file: 'src/billing/staff/record-transfer.ts',
    text: 'parseCents(transfer.amount, decimalsOf(currency))',
    instead: 'parseCents(transfer.amount, 2)',
  },
  {
    name: 'what we sent back, booked again',
    file: BACK,
    text: 'const own = told.filter(({ confirmed }) => !confirmed);',
    instead: 'const own = told.filter(({ confirmed }) => confirmed);',
  },
  {
    name: 'a refund that is sent twice',
    file: 'src/billing/payments/send-refunds.ts',
    text: 'await provider.refund(payment_id, cents, currency, key);',
    instead: 'for (const n of [1, 2]) await provider.refund(payment_id, cents, currency, `${key}${n}`);',
  },
  {
    name: 'a refund that is ordered anew while the earlier may be on its way',
    file: 'src/billing/payments/refund-orders.ts',
    text: "where('invoice_id', id).orderBy('id');\n  if (open.length > 0) return open;",
    instead: "where('invoice_id', id).orderBy('id');",
  },
  {
    name: 'a refund of which nothing is known, taken for refused',
    file: 'src/billing/payments/send-refunds.ts',
    text: 'if (error instanceof RefundRefused) await RefundOrder.query(trx).deleteById(order.id);',
    instead: 'await RefundOrder.query(trx).deleteById(order.id);',
  },
  {
    name: 'a sum of refunds, taken for one more of them',
    file: BACK,
    text: 'return event.refundedInAllCents - sum(told);',
    instead: 'return event.refundedInAllCents;',
  },
  {
    name: 'two currencies on one invoice',
    file: STAFF,
    text: 'if (payment.currency !== invoice.currency) {',
    instead: 'if (payment.currency === "" ) {',
  },
  {
    name: 'a payment in another currency that pays',
    file: PAYMENT,
    text: 'if (invoices.every(({ currency }) => currency !== event.currency))',
    instead: 'if (invoices.every(({ currency }) => currency === ""))',
  },
  {
    name: 'what is paid twice and stays',
    file: SURPLUS,
    text: 'return surplus > 0 ? orderOfInvoice(',
    instead: 'return surplus > 9e15 ? orderOfInvoice(',
  },
  {
    name: 'a covered sale that ends with what was paid beyond it',
    file: TAKE_BACK,
    text: 'keptCents(now) === 0 && (whole || outstandingCents(now) > 0)',
    instead: 'keptCents(now) === 0',
  },
  {
    name: 'a deposit that covers something and goes back as surplus',
    file: CREDITS,
    text: "if (invoice.kind === 'deposit') return Math.min(surplus, await freeCents(trx, invoice));",
    instead: '',
  },
  {
    name: 'a second payment that goes back while the first is disputed',
    file: CREDITS,
    text: 'return surplus - (await disputedCents(trx, invoice));',
    instead: 'return surplus;',
  },
  {
    name: 'a loss of what was paid beyond what was due',
    file: BACK,
    text: 'Math.max(0, surplusCents(invoice))',
    instead: '0',
  },
  {
    name: 'a refund under a name that is known too late',
    file: BACK,
    text: 'if (!(await learnName(trx, payment, chargeId))) return;',
    instead: 'if (!(await learnName(trx, payment, chargeId)) || chargeId !== null) return;',
  },
  {
    name: 'a deposit that is voided and covers all the same',
    file: 'src/billing/staff/invoice-orders.ts',
    text: 'await release(trx, followUps, invoice, keptCents(invoice))',
    instead: '[]',
  },
  {
    name: 'a loss that outlives its sale',
    file: INVOICES,
    text: '    await lostBack(trx, invoice),\n',
    instead: '',
  },
  {
    name: 'a loss that outlives the refund of its sale',
    file: 'src/billing/staff/invoice-orders.ts',
    text: 'await post(trx, await lostBack(trx, invoice));',
    instead: '',
  },
  {
    name: 'sums that no number holds',
    file: INVOICES,
    text: 'return Number.isSafeInteger(invoice.amount_paid_cents + cents);',
    instead: 'return cents > 0;',
  },
  {
    name: 'a second dispute that is lost before the first has ended',
    file: BACK,
    text: 'event.amountCents > payment.left_cents &&',
    instead: 'event.amountCents < 0 &&',
  },
  {
    name: 'a seller who bears no lost dispute',
    file: BACK,
    text: "disputesBorneBy === 'seller' && invoice.kind === 'winner'",
    instead: "disputesBorneBy === 'seller' && invoice.kind === 'deposit'",
  },
  {
    name: 'a settlement that does not follow a dispute',
    file: 'src/billing/settlements/settlements.ts',
    text: "if (!counts || invoice.auction_id === null || change === 'failed') return;",
    instead:
      "if (!counts || invoice.auction_id === null || change === 'failed' || change === 'disputed') return;",
  },
  {
    name: 'a refund after the pay-out that is no adjustment',
    file: 'src/billing/settlements/settlements.ts',
    text: '    await adjustPaid(trx, settlement, lines);\n',
    instead: '',
  },
  {
    name: 'disputed money that staff put on an invoice',
    file: 'src/shared/policy/payment-policy.ts',
    text: 'payment.unallocated_cents - payment.disputed_cents',
    instead: 'payment.unallocated_cents',
  },
];
