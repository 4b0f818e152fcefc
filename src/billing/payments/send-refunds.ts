/**
 * Sends what was ordered to go back, through the provider that took it, and books that: at once, as under way until
 * the provider says the same. Of an order it may not be known whether it was sent: it is sent again with its key, by
 * whoever wants it again or by the clock.
 */
import type { Knex } from 'knex';
import { messageOf } from '../../../engine/thrown.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { Payment } from '../invoices/payment.model.ts';
import { RefundRefused } from '../providers/provider.ts';
import { type TryParts, tryEach, waitingTries } from './money-tries.ts';
import { holdPayments } from './provider-event.ts';
import { openOrders, RefundOrder } from './refund-orders.ts';
import { bookOrder, type MoneyParts } from './take-back.ts';

const AT_ONCE = 100;

/** It is not known whether an order was sent, or it was and cannot be booked yet: it stays ordered. */
class NotBooked extends Error {
  override readonly name = 'NotBooked';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/**
 * Sends these and books what was sent, in one transaction. Returns whether this call has booked them all; somebody else
 * may have ended one in between. Throws once all were tried: `RefundRefused`, of what is ordered no more, before
 * `NotBooked`. Orders must be committed: within the caller's transaction one that was sent could be forgotten.
 */
export async function sendOrders(parts: MoneyParts, orders: readonly RefundOrder[]): Promise<boolean> {
  if (parts.knex.isTransaction) throw new Error('refunds are sent within no transaction');
  if (orders.length === 0) return true;
  const { booked, failures } = await inTransaction(parts.knex, (trx) => sendHeld(parts, trx, orders));
  if (failures.length > 0) throw failures.find((error) => error instanceof RefundRefused) ?? failures[0];
  return booked === orders.length;
}

/** `ordered`: whether it was sent is not known yet; the clock sends it again with its key, until it is. */
export type Refunding = 'sent' | 'ordered';

/** How that is said. */
export const REFUND_ORDERED =
  'The refund is ordered, but the provider has not answered. It is asked again by itself, and sends the money once.';

/**
 * Sends at once what staff want sent back. Where it was not `cents` that were ordered (an earlier order ends first), or
 * somebody else has ended one, what remains is ordered anew. Throws what `order` does, and `RefundRefused`.
 */
export async function sendAtOnce(
  parts: MoneyParts,
  order: () => Promise<{ readonly orders: readonly RefundOrder[]; readonly cents: number }>,
): Promise<Refunding> {
  for (;;) {
    const { orders, cents } = await order();
    const ordered = orders.reduce((sum, one) => sum + one.cents, 0);
    try {
      const isSent = await sendOrders(parts, orders);
      if (isSent && (orders.length === 0 || ordered === cents)) return 'sent';
    } catch (error) {
      if (error instanceof NotBooked) return 'ordered';
      throw error;
    }
  }
}

async function sendHeld(parts: MoneyParts, trx: Knex.Transaction, orders: readonly RefundOrder[]) {
  const payments = orders.map(({ payment_id }) => payment_id);
  await holdPayments(trx, payments);
  const open: RefundOrder[] = [];
  for (const { id } of orders) open.push(...(await RefundOrder.query(trx).where('id', id)));
  const { sent, failures } = await sendByProvider(parts, trx, open);
  const byHand = open.filter(({ provider }) => provider === null);
  // What staff are to send goes with the rest, or, where that was refused, not at all.
  if (failures.length === 0) sent.push(...byHand);
  else if (failures.every((error) => error instanceof RefundRefused))
    for (const { id } of byHand) await RefundOrder.query(trx).deleteById(id);
  for (const order of open) {
    if (!sent.includes(order)) continue;
    const payment = await Payment.query(trx).findById(order.payment_id).throwIfNotFound();
    await bookOrder(trx, parts.followUps, payment, order);
  }
  return { booked: sent.length, failures };
}

async function sendByProvider(
  { provider }: MoneyParts,
  trx: Knex.Transaction,
  open: readonly RefundOrder[],
): Promise<{ sent: RefundOrder[]; failures: unknown[] }> {
  const sent: RefundOrder[] = [];
  const failures: unknown[] = [];
  for (const order of open) {
    if (order.provider === null) continue;
    const payment = await Payment.query(trx).findById(order.payment_id).throwIfNotFound();
    try {
      await send(provider, order, payment);
      sent.push(order);
    } catch (error) {
      if (error instanceof RefundRefused) await RefundOrder.query(trx).deleteById(order.id);
      failures.push(error instanceof RefundRefused ? error : new NotBooked(error));
    }
  }
  return { sent, failures };
}

/** Throws where it was not sent for certain, or could not be booked. */
async function send(
  provider: MoneyParts['provider'],
  { provider: name, cents, key }: RefundOrder,
  { payment_id, currency, left_cents }: Payment,
): Promise<void> {
  if (provider?.name !== name) throw new Error(`payment ${payment_id} was taken by ${name}`);
  await provider.refund(payment_id, cents, currency, key);
  if (left_cents < cents) throw new Error(`more of payment ${payment_id} was sent back than is left of it`);
}

/** Ends what was ordered and not booked: of invoices, and of payments that were for none. */
export async function finishRefunds(parts: MoneyParts & TryParts): Promise<void> {
  const { knex } = parts;
  const ordered = (db?: Knex) => RefundOrder.query(db).joinRelated('payment');
  const invoices = await Invoice.query(knex)
    .whereExists(ordered().whereRaw(`${ABOUT} = invoices.id`))
    .whereNotExists(waitingTries('invoice'))
    .orderBy('id')
    .limit(AT_ONCE);
  await tryEach(parts, invoices, async ({ id }) => {
    const open = ordered(knex).whereRaw(`${ABOUT} = ?`, [id]);
    await sendOrders(parts, await open.orderBy('refund_orders.id'));
  });
  const payments = await Payment.query(knex)
    .whereExists(ordered().whereRaw(`${ABOUT} IS NULL`).whereColumn('payment.id', 'payments.id'))
    .whereNotExists(waitingTries('payment'))
    .orderBy('id')
    .limit(AT_ONCE);
  await tryEach(parts, payments, async (payment) => {
    await sendOrders(parts, await openOrders(knex, payment));
  });
}

/** SQL: the invoice that an order is about. */
const ABOUT = 'coalesce(refund_orders.invoice_id, payment.invoice_id)';
