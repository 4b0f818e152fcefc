/**
 * What we sent back of a payment, and whether it has left: a provider confirms that by its events. Bank transfers have
 * no provider: what goes back of them waits until staff have sent it and said so.
 */
import type { Knex } from 'knex';
import { itemAt } from '../../../engine/first-of.ts';
import { invalidTransition } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Payment } from '../invoices/payment.model.ts';
import { post } from '../ledger/post.ts';
import { holdNamed } from './provider-event.ts';

/** What payments that staff record are booked under. */
export const TRANSFER_PROVIDER = 'bank_transfer';

export interface SentRefund {
  readonly cause: string;
  readonly cents: number;
  readonly confirmed: boolean;
  readonly created_at: string;
}

/** Everything that went back of a payment, oldest first; what its provider told us of is confirmed by that. */
export async function sentRefunds(knex: Knex, { id }: Pick<Payment, 'id'>): Promise<SentRefund[]> {
  // SQL: tables without a model; a lost dispute is no refund of the provider's count.
  const { rows } = await knex.raw<{ rows: SentRefund[] }>(
    `SELECT p.cause, p.created_at, -e.amount AS cents, e.account = 'provider' OR EXISTS (
       SELECT FROM ledger_postings c WHERE c.cause = 'confirmed:' || p.cause) AS confirmed
     FROM ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id
     WHERE e.payment_id = ? AND p.kind = 'refund' AND e.account IN ('provider', 'refunds_under_way') ORDER BY p.id`,
    [id],
  );
  return rows;
}

/** What we sent has left. */
export async function confirmSent(
  trx: Knex.Transaction,
  { id, currency }: Payment,
  sent: readonly SentRefund[],
): Promise<void> {
  const postings = sent.map(({ cause, cents }) => ({
    cause: `confirmed:${cause}`,
    kind: 'refund_confirmed' as const,
    currency,
    entries: [
      { account: 'refunds_under_way' as const, amount: cents, paymentId: id },
      { account: 'provider' as const, amount: -cents, paymentId: id },
    ],
  }));
  await post(trx, ...postings);
}

/** A bank transfer of which something waits to be sent back. */
export interface RefundToSend {
  readonly payment: Payment;
  readonly cents: number;
}

/** What staff have to send back, oldest transfer first, and of how many. */
export async function refundsToSend(
  knex: Knex,
  limit: number,
): Promise<{ rows: RefundToSend[]; total: number }> {
  // SQL: sums over a table without a model.
  const { rows: sums } = await knex.raw<{ rows: { id: number; cents: number; total: number }[] }>(
    `SELECT y.id, -sum(e.amount)::bigint AS cents, count(*) OVER ()::int AS total
     FROM payments y JOIN ledger_entries e ON e.payment_id = y.id AND e.account = 'refunds_under_way'
     WHERE y.provider = ? GROUP BY y.id HAVING sum(e.amount) <> 0 ORDER BY y.id LIMIT ?`,
    [TRANSFER_PROVIDER, limit],
  );
  const ids = sums.map(({ id }) => id);
  const payments = await Payment.query(knex).whereIn('id', ids).withGraphFetched('invoice').orderBy('id');
  const rows = payments.map((payment, at) => ({ payment, cents: itemAt(sums, at).cents }));
  return { rows, total: sums[0]?.total ?? 0 };
}

/**
 * Staff have sent back what was to go back of a transfer, by our id or the bank's. Throws `not_found`, and
 * `invalid_transition` where nothing of it waits.
 */
export function markSent(knex: Knex, paymentId: string): Promise<RefundToSend> {
  return inTransaction(knex, async (trx) => {
    const { payment } = await holdNamed(trx, paymentId, null);
    const waiting = (await sentRefunds(trx, payment)).filter(({ confirmed }) => !confirmed);
    if (waiting.length === 0 || payment.provider !== TRANSFER_PROVIDER)
      throw invalidTransition(`id: nothing of payment ${paymentId} waits for being sent back`);
    await confirmSent(trx, payment, waiting);
    return { payment, cents: waiting.reduce((sum, { cents }) => sum + cents, 0) };
  });
}
