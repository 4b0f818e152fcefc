/**
 * Sales that fall through: a winner who does not pay. The invoice is voided and the lot is free, to be offered to the
 * next bidder or listed again; the lot's journal says so only once somebody else has bought it.
 */
import type { Knex } from 'knex';
import { writeOutcome } from '../../bidding/records/sale-outcomes.ts';
import { followChange, type InvoiceFollowUp } from '../../billing/invoices/follow-up.ts';
import { Invoice, InvoiceLineRow } from '../../billing/invoices/invoice.model.ts';
import { requireDecidable, voidInvoice } from '../../billing/invoices/invoices.ts';
import { invalidTransition, notFound } from '../../shared/refusal.ts';
import { LIVE_INVOICES } from '../../shared/statuses/billing-statuses.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { lockSales } from './lot-outcomes.ts';
import { SaleDefault } from './offer.model.ts';

/**
 * Flags a lot whose winner has not paid, or was given everything back, and voids the invoice where it is still owed.
 * `number` says which invoice, where several buyers of a part of it have not paid. Throws `not_found` where nobody was
 * billed, `invalid_transition` where they have paid or were flagged before, and where it is not clear who is meant.
 * `status`: what the invoice is now.
 */
export function defaultLot(
  { knex, followUps }: { readonly knex: Knex; readonly followUps: readonly InvoiceFollowUp[] },
  lotId: number,
  named: string | null = null,
) {
  return inTransaction(knex, async (trx) => {
    const invoice = await fallenThrough(trx, lotId, named);
    const { invoice_number: number, user_id: userId } = invoice;
    if (invoice.status !== 'voided' && invoice.status !== 'refunded') {
      requireDecidable(invoice, 'void', 'lot');
      const voided = await voidInvoice(trx, invoice);
      await followChange(trx, followUps, voided, 'voided');
    }
    await SaleDefault.query(trx).insert({ lot_id: lotId, user_id: userId, invoice_id: invoice.id });
    const hammer_cents = await hammerOf(trx, invoice);
    // Who has another part of it has bought all the same.
    if (!(await hasBought(trx, lotId, userId)))
      await writeOutcome(trx, { lot_id: lotId, user_id: userId, outcome: 'defaulted', hammer_cents });
    const status = invoice.status === 'refunded' ? ('refunded' as const) : ('voided' as const);
    return { lotId, userId, invoiceNumber: number, status };
  });
}

async function fallenThrough(trx: Knex.Transaction, lotId: number, named: string | null): Promise<Invoice> {
  const sales = await lockSales(trx, lotId);
  const wanted =
    named === null ? sales : sales.filter(({ invoice_number: number }) => number === named.toUpperCase());
  const [newest] = wanted;
  if (newest === undefined)
    throw notFound(`lot: lot ${lotId} has no winner’s invoice${named === null ? '' : ` ${named}`}`);
  const due: Invoice[] = [];
  for (const invoice of wanted)
    if (invoice.status !== 'paid' && !(await hasDefaulted(trx, invoice))) due.push(invoice);
  const [only, ...others] = due;
  if (only !== undefined && others.length === 0) return only;
  // Not in the table: whether they were flagged before, and which of several is meant.
  const refusal = (sentence: string) => invalidTransition(`lot: ${sentence}`);
  if (only !== undefined) {
    const numbers = due.map(({ invoice_number }) => invoice_number).join(', ');
    throw refusal(`several buyers of lot ${lotId} have not paid; say --invoice with one of ${numbers}`);
  }
  requireDecidable(newest, 'void', 'lot');
  throw refusal(`${newest.invoice_number} is already marked as defaulted`);
}

async function hasBought(trx: Knex, lotId: number, userId: number): Promise<boolean> {
  const live = await Invoice.query(trx)
    .where({ lot_id: lotId, user_id: userId, kind: 'winner' })
    .whereIn('status', [...LIVE_INVOICES])
    .first();
  return live !== undefined;
}

/** Whether the buyer has defaulted on this invoice. */
async function hasDefaulted(knex: Knex, { id }: Invoice): Promise<boolean> {
  return (await SaleDefault.query(knex).where('invoice_id', id).first()) !== undefined;
}

async function hammerOf(trx: Knex.Transaction, { id }: Invoice): Promise<number> {
  const line = await InvoiceLineRow.query(trx).findOne({ invoice_id: id, kind: 'hammer' });
  return line?.amount_cents ?? 0;
}
