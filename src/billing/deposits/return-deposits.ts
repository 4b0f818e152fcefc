/**
 * Settles deposits when an auction is over: what they hold is credited against their bidders' open winner invoices, and
 * the rest is refunded through the provider. A repeated job; each step is its own transaction, and a repetition does
 * what remains.
 */
import type { Knex } from 'knex';
import { Auction } from '../../bidding/records/auction.model.ts';
import { OVER_AUCTIONS } from '../../shared/statuses/auction-statuses.ts';
import { LIVE_INVOICES, OWED_INVOICE_SQL } from '../../shared/statuses/billing-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { credit, freeCents, releaseAll } from '../invoices/credits.ts';
import { followChange, type InvoiceChange } from '../invoices/follow-up.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { outstandingCents, reread, voidInvoice, writeOff } from '../invoices/invoices.ts';
import { DISPUTED_SQL } from '../invoices/payment.model.ts';
import { holdMoney } from '../ledger/money-lock.ts';
import { type TryParts, tryEach, waitingTries } from '../payments/money-tries.ts';
import { orderOfInvoice, type RefundOrder } from '../payments/refund-orders.ts';
import { sendOrders } from '../payments/send-refunds.ts';
import type { MoneyParts } from '../payments/take-back.ts';

export type ReturnParts = MoneyParts & TryParts;

const AT_ONCE = 200;

/** Credits and returns the deposits of all auctions that are over. Returns how many are done. */
export async function returnDeposits(parts: ReturnParts): Promise<number> {
  let done = 0;
  for (let after = 0; ; ) {
    const due = await dueDeposits(parts.knex, after);
    done += await tryEach(parts, due, async ({ id }) => {
      await inTransaction(parts.knex, (trx) => creditDeposit(parts, trx, id));
      await sendOrders(parts, await inTransaction(parts.knex, (trx) => orderRest(parts, trx, id)));
      await inTransaction(parts.knex, (trx) => voidUnused(parts, trx, id));
    });
    if (due.length < AT_ONCE) return done;
    after = due.at(-1)?.id ?? after;
  }
}

async function dueDeposits(knex: Knex, after: number): Promise<Invoice[]> {
  return Invoice.query(knex)
    .where('kind', 'deposit')
    .where('id', '>', after)
    .whereRaw(
      `(status IN ${OWED_INVOICE_SQL} OR (status = 'paid'
        AND amount_paid_cents - amount_refunded_cents - credited_cents > ${DISPUTED_SQL}))`,
    )
    .whereNotExists(waitingTries('invoice'))
    .whereIn(
      'auction_id',
      Auction.query()
        .select('id')
        .whereIn('status', [...OVER_AUCTIONS]),
    )
    .orderBy('id')
    .limit(AT_ONCE);
}

/** A deposit as it is now, its team's money held; null: it holds nothing that could be used. */
async function holdDeposit(trx: Knex.Transaction, id: number): Promise<Invoice | null> {
  const { team_id } = await reread(trx, { id });
  await holdMoney(trx, team_id);
  const deposit = await reread(trx, { id });
  return LIVE_INVOICES.includes(deposit.status) ? deposit : null;
}

async function creditDeposit({ followUps }: MoneyParts, trx: Knex.Transaction, id: number): Promise<void> {
  const deposit = await holdDeposit(trx, id);
  if (deposit === null) return;
  const { auction_id, user_id, currency } = deposit;
  const owed = await Invoice.query(trx)
    .where({ auction_id, user_id, currency, kind: 'winner', status: 'open' })
    .orderBy('id');
  let free = await freeCents(trx, deposit);
  for (const invoice of owed) {
    const cents = Math.min(free, outstandingCents(invoice));
    if (cents <= 0) continue;
    free -= cents;
    const credited = await credit(trx, deposit, invoice, cents);
    if (credited.status === 'paid') await followChange(trx, followUps, credited, 'paid');
  }
}

/** What covers nothing goes back. */
async function orderRest(parts: MoneyParts, trx: Knex.Transaction, id: number): Promise<RefundOrder[]> {
  const deposit = await holdDeposit(trx, id);
  return deposit === null ? [] : orderOfInvoice(trx, parts, deposit, await freeCents(trx, deposit));
}

/** A deposit that was never whole and covers nothing is no longer owed. What came since goes back first. */
async function voidUnused({ followUps }: MoneyParts, trx: Knex.Transaction, id: number): Promise<void> {
  const deposit = await holdDeposit(trx, id);
  if (deposit === null || (await freeCents(trx, deposit)) > 0) return;
  if (deposit.status !== 'draft' && (deposit.status !== 'open' || deposit.credited_cents > 0)) return;
  await followChange(trx, followUps, await voidInvoice(trx, deposit), 'voided');
}

/** A winner's invoice that fell through needs no cover: the deposit is free again, for another invoice or a refund. */
export async function releaseCredits(
  trx: Knex.Transaction,
  invoice: Invoice,
  change: InvoiceChange,
): Promise<void> {
  const fellThrough = invoice.status === 'voided' || invoice.status === 'refunded';
  if (invoice.kind !== 'winner' || invoice.credited_cents === 0 || change === 'paid' || !fellThrough) return;
  await releaseAll(trx, invoice);
  await writeOff(trx, invoice);
}
