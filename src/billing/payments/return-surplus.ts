/**
 * What was paid beyond what is due goes back by itself: money that came twice, or after a deposit had covered the
 * invoice. A repeated job: a second payment of a paid invoice is put on it, and what the invoice keeps too much is sent
 * back, of its newest payment first.
 */
import type { Knex } from 'knex';
import { inTransaction } from '../../shared/transactions.ts';
import { returnableCents } from '../invoices/credits.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { allocate, canTake, reread } from '../invoices/invoices.ts';
import { DISPUTED_SQL, Payment } from '../invoices/payment.model.ts';
import { holdMoney, holdPayment } from '../ledger/money-lock.ts';
import { type TryParts, tryEach, waitingTries } from './money-tries.ts';
import { openOrders, orderOfInvoice, type RefundOrder } from './refund-orders.ts';
import { finishRefunds, sendOrders } from './send-refunds.ts';
import type { MoneyParts } from './take-back.ts';

const AT_ONCE = 100;

/** Ends what is not known to have been sent, and sends back what is too much. Returns how many invoices it was of. */
export async function returnSurplus(parts: MoneyParts & TryParts): Promise<number> {
  await finishRefunds(parts);
  const due = await Invoice.query(parts.knex)
    .where('status', 'paid')
    .where((over) =>
      over
        .whereRaw(`owed_cents < 0 AND -owed_cents > ${DISPUTED_SQL}`)
        .orWhereRaw(
          `kind = 'deposit' AND amount_paid_cents - amount_refunded_cents > greatest(amount_due_cents, credited_cents)`,
        )
        .orWhereExists(
          Payment.query()
            .whereColumn('payments.invoice_id', 'invoices.id')
            .whereColumn('payments.currency', 'invoices.currency')
            .where('payments.status', 'unallocated'),
        ),
    )
    .whereNotExists(waitingTries('invoice'))
    .orderBy('id')
    .limit(AT_ONCE);
  return tryEach(parts, due, async (invoice) => {
    const orders = await inTransaction(parts.knex, (trx) => orderSurplus(parts, trx, invoice));
    await sendOrders(parts, orders);
  });
}

async function orderSurplus(
  parts: MoneyParts,
  trx: Knex.Transaction,
  { id, team_id }: Invoice,
): Promise<RefundOrder[]> {
  const double = () => Payment.query(trx).where({ invoice_id: id, status: 'unallocated' }).orderBy('id');
  await holdPayment(trx, ...(await double()).map(({ payment_id }) => payment_id));
  await holdMoney(trx, team_id);
  const invoice = await reread(trx, { id });
  if (invoice.status !== 'paid') return [];
  for (const payment of await double())
    if (
      payment.currency === invoice.currency &&
      canTake(await reread(trx, invoice), payment.unallocated_cents) &&
      // What staff are about to send back is no surplus.
      (await openOrders(trx, payment)).length === 0
    )
      await allocate(trx, payment, invoice);
  const surplus = await returnableCents(trx, await reread(trx, invoice));
  return surplus > 0 ? orderOfInvoice(trx, parts, invoice, surplus, 'desc') : [];
}
