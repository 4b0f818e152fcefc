/**
 * Sends what was ordered to go back, through the provider that took it, and books that: at once, as under way until
 * the provider says the same. Of an order it may not be known whether it was sent: it is sent again with its key, by
 * whoever wants it again or by the clock.
 */
import type { Knex } from 'knex';
import { appendEvents } from '../../events/outbox.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { Payment } from '../invoices/payment.model.ts';
import { RefundRefused } from '../providers/provider.ts';
import { type TryParts, tryEach, WAITS_SQL } from './money-tries.ts';
import { holdPayments } from './provider-event.ts';
import { RefundOrder } from './refund-orders.ts';
import { bookOrder, type MoneyParts } from './take-back.ts';

const AT_ONCE = 100;

/**
 * Sends these and books what was sent, in one transaction. Returns whether this call has booked them all; somebody else
 * may have ended one in between. Throws what the provider throws, once all were tried; one that it has refused for
 * certain is ordered no more, and one of which nothing is known stays ordered.
 */
export async function sendOrders(parts: MoneyParts, orders: readonly RefundOrder[]): Promise<boolean> {
  if (orders.length === 0) return true;
  const { booked, failures } = await inTransaction(parts.knex, (trx) => sendHeld(parts, trx, orders));
  if (failures.length > 0) throw failures[0];
  return booked === orders.length;
}

/**
 * Sends them, and says whether that is all that was to go back: else they were an earlier order, or somebody else has
 * ended one, and what remains is decided anew.
 */
export async function sendAll(
  parts: MoneyParts,
  orders: readonly RefundOrder[],
  wantedCents: number,
): Promise<boolean> {
  const cents = orders.reduce((sum, order) => sum + order.cents, 0);
  return (await sendOrders(parts, orders)) && (orders.length === 0 || cents === wantedCents);
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
    await appendEvents(trx, (await bookOrder(trx, parts.followUps, payment, order)).facts);
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
      failures.push(error);
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

/** Ends what was ordered and not booked, but of payments that were for no invoice: those staff send back once more. */
export async function finishRefunds(parts: MoneyParts & TryParts): Promise<void> {
  const { knex } = parts;
  const due = await Invoice.query(knex)
    .whereExists(RefundOrder.query().joinRelated('payment').whereRaw(`${ABOUT} = invoices.id`))
    .whereRaw(`NOT ${WAITS_SQL}`)
    .orderBy('id')
    .limit(AT_ONCE);
  await tryEach(parts, due, async ({ id }) => {
    const open = RefundOrder.query(knex).joinRelated('payment').whereRaw(`${ABOUT} = ?`, [id]);
    await sendOrders(parts, await open.orderBy('refund_orders.id'));
  });
}

/** SQL: the invoice that an order is about. */
const ABOUT = 'coalesce(refund_orders.invoice_id, payment.invoice_id)';
