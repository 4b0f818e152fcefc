/**
 * Settles deposits when an auction is over: they are credited against their bidders' open winner invoices, and the rest
 * is refunded through the provider. A repeated job; each step is its own transaction, and a repetition does what
 * remains.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { Auction } from '../../bidding/records/auction.model.ts';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { OVER_AUCTIONS } from '../../shared/statuses/auction-statuses.ts';
import { OWED_INVOICE_SQL } from '../../shared/statuses/billing-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { followChange, type InvoiceChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import { DepositCredit, Invoice } from '../invoices/invoice.model.ts';
import { creditInvoice, keptCents, outstandingCents, voidInvoice } from '../invoices/invoices.ts';
import { refundInvoice } from '../payments/refund-money.ts';
import type { PaymentProvider } from '../providers/provider.ts';

export interface ReturnParts {
  readonly knex: Knex;
  readonly provider: PaymentProvider | null;
  readonly followUps: readonly InvoiceFollowUp[];
  /** Called for a deposit that cannot be refunded at the moment; it is retried. */
  readonly onError: (error: unknown, invoiceNumber: string) => void;
}

const AT_ONCE = 200;

/**
 * Credits and returns the deposits of all auctions that are over. One that fails keeps back no other. Returns how
 * many are done.
 */
export async function returnDeposits(parts: ReturnParts): Promise<number> {
  let done = 0;
  for (let after = 0; ; ) {
    const due = await dueDeposits(parts.knex, after);
    for (const { id, invoice_number: number } of due) {
      after = id;
      try {
        await returnDeposit(parts, id);
        done += 1;
      } catch (error) {
        parts.onError(error, number);
      }
    }
    if (due.length < AT_ONCE) return done;
  }
}

async function dueDeposits(knex: Knex, after: number): Promise<Invoice[]> {
  return Invoice.query(knex)
    .where('kind', 'deposit')
    .where('id', '>', after)
    .whereRaw(
      `(status IN ${OWED_INVOICE_SQL}
        OR (status = 'paid' AND amount_paid_cents - amount_refunded_cents - credited_cents > 0))`,
    )
    .whereIn(
      'auction_id',
      Auction.query()
        .select('id')
        .whereIn('status', [...OVER_AUCTIONS]),
    )
    .orderBy('id')
    .limit(AT_ONCE);
}

/** Credits one deposit and refunds the rest of it; an unpaid one is no longer owed. */
async function returnDeposit(parts: Omit<ReturnParts, 'onError'>, id: number): Promise<void> {
  await inTransaction(parts.knex, (trx) => creditDeposit(parts, trx, id));
  await inTransaction(parts.knex, (trx) => refundRest(parts, trx, id));
}

/** What a deposit still holds, in cents. */
function heldCents(deposit: Invoice): number {
  return Math.max(0, keptCents(deposit) - deposit.credited_cents);
}

async function creditDeposit(
  { followUps }: Pick<ReturnParts, 'followUps'>,
  trx: Knex.Transaction,
  id: number,
): Promise<void> {
  const { auction_id, user_id } = await Invoice.query(trx).findById(id).throwIfNotFound();
  // Winner invoices before deposits, as those do who void or refund them.
  const owed = await Invoice.query(trx)
    .where({ auction_id, user_id, kind: 'winner', status: 'open' })
    .orderBy('id')
    .forUpdate();
  const deposit = await Invoice.query(trx).findById(id).forUpdate().throwIfNotFound();
  const facts: OutboxEvent[] = [];
  let held = deposit.status === 'paid' ? heldCents(deposit) : 0;
  for (const invoice of owed) {
    const cents = Math.min(held, outstandingCents(invoice));
    if (cents === 0 || invoice.currency !== deposit.currency) continue;
    held -= cents;
    await DepositCredit.query(trx).insert({
      deposit_invoice_id: id,
      invoice_id: invoice.id,
      amount_cents: cents,
    });
    await Invoice.query(trx)
      .findById(id)
      .patch({ credited_cents: raw('credited_cents + ?', cents) });
    const credited = await creditInvoice(trx, invoice, cents);
    facts.push(...credited.facts);
    if (credited.invoice.status === 'paid')
      facts.push(...(await followChange(trx, followUps, credited.invoice, 'paid')));
  }
  await appendEvents(trx, facts);
}

async function refundRest(
  { provider, followUps }: Pick<ReturnParts, 'provider' | 'followUps'>,
  trx: Knex.Transaction,
  id: number,
): Promise<void> {
  const deposit = await Invoice.query(trx).findById(id).forUpdate().throwIfNotFound();
  if (deposit.status === 'draft' || deposit.status === 'open') {
    // A partial payment is refunded as well.
    const emptied = await refundInvoice(trx, provider, deposit, heldCents(deposit));
    const voided = await voidInvoice(trx, emptied.invoice);
    const followed = await followChange(trx, followUps, voided.invoice, 'voided');
    await appendEvents(trx, [...emptied.facts, ...voided.facts, ...followed]);
    return;
  }
  const cents = deposit.status === 'paid' ? heldCents(deposit) : 0;
  if (cents === 0) return;
  const refunded = await refundInvoice(trx, provider, deposit, cents);
  const followed = await followChange(trx, followUps, refunded.invoice, 'refunded');
  await appendEvents(trx, [...refunded.facts, ...followed]);
}

/** A winner's invoice that fell through needs no cover: the deposit is free again, for another invoice or a refund. */
export async function releaseCredits(
  trx: Knex.Transaction,
  invoice: Invoice,
  change: InvoiceChange,
): Promise<readonly OutboxEvent[]> {
  const fellThrough = invoice.status === 'voided' || invoice.status === 'refunded';
  if (invoice.kind !== 'winner' || invoice.credited_cents === 0 || change === 'paid' || !fellThrough)
    return [];
  const credits = await DepositCredit.query(trx)
    .where('invoice_id', invoice.id)
    .whereNull('released_at')
    .orderBy('deposit_invoice_id');
  for (const { id, deposit_invoice_id, amount_cents } of credits) {
    await DepositCredit.query(trx)
      .findById(id)
      .patch({ released_at: raw('now()') });
    await Invoice.query(trx)
      .findById(deposit_invoice_id)
      .patch({ credited_cents: raw('credited_cents - ?', amount_cents) });
  }
  await creditInvoice(trx, invoice, -invoice.credited_cents);
  return [];
}
