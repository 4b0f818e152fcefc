/**
 * Sales that fall through: a winner who does not pay, and the offer to whoever bid most after them. Staff decide both on the command
 * line; the lot's journal stays as it is, for it says what was bid and not who paid.
 */
import type { Knex } from 'knex';
import { appendEvents } from '../../events/outbox.ts';
import { InputError } from '../../shared/input-error.ts';
import { saleAmounts } from '../../shared/sale-amounts.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { createInvoices } from '../invoices/create-invoices.ts';
import type { Invoice } from '../invoices/invoice.model.ts';
import { voidInvoice } from '../invoices/invoices.ts';
import { winnerInvoice } from '../invoices/winner-invoices.ts';
import { reviseSettlement } from '../settlements/settlements.ts';

export interface Defaulted {
  readonly lotId: number;
  readonly userId: number;
  readonly invoiceNumber: string;
}

/** Flags a lot whose winner has not paid, and voids the invoice. Throws `InputError` where there is nothing to default on. */
export function defaultLot(knex: Knex, lotId: number): Promise<Defaulted> {
  return inTransaction(knex, async (trx) => {
    const invoice = await lastInvoice(trx, lotId);
    if (invoice === undefined) throw new InputError(`lot: lot ${lotId} has no winner’s invoice`);
    const flagged = await trx('sale_defaults').where('invoice_id', invoice.id).first('id');
    if (flagged !== undefined) {
      throw new InputError(`lot: ${invoice.invoice_number} is marked as not paid already`);
    }
    const voided = invoice.status === 'voided' ? [] : (await voidInvoice(trx, invoice)).facts;
    await trx('sale_defaults').insert({ lot_id: lotId, user_id: invoice.user_id, invoice_id: invoice.id });
    await appendEvents(trx, [...voided, ...(await reviseSettlement(trx, invoice.auction_id!))]);
    return { lotId, userId: invoice.user_id, invoiceNumber: invoice.invoice_number };
  });
}

export interface SecondChance {
  readonly lotId: number;
  readonly userId: number;
  readonly hammerCents: number;
  readonly invoice: Invoice;
}

/**
 * Sells a lot on whose winner defaulted to the highest bidder behind, at their ceiling: an invoice like any winner's. Throws
 * `InputError` when the lot is not free or nobody is left.
 */
export function offerSecondChance(knex: Knex, lotId: number): Promise<SecondChance> {
  return inTransaction(knex, async (trx) => {
    const last = await lastInvoice(trx, lotId);
    const flagged = await trx('sale_defaults').where('lot_id', lotId).first('id');
    if (last === undefined || flagged === undefined) {
      throw new InputError(`lot: nobody has defaulted on lot ${lotId}; say so first with "lot default"`);
    }
    if (last.status !== 'voided') {
      throw new InputError(`lot: ${last.invoice_number} for this lot is ${last.status}`);
    }
    const next = await underbidder(trx, lotId);
    if (next === undefined) throw new InputError(`lot: nobody else with an account has bid on lot ${lotId}`);
    const sale = await trx('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where('l.id', lotId)
      .first<SaleTerms>('l.title', 'l.lot_number', 'a.id as auction_id', ...AUCTION_TERMS);
    const hammerCents = next.ceiling_cents;
    const { buyer_premium_bps: premiumBps, sales_tax_ppm: taxPpm, currency } = sale!;
    const amounts = { ...saleAmounts(hammerCents, { premiumBps, taxPpm }), taxPpm };
    const wanted = winnerInvoice({ ...sale!, lot_id: lotId, user_id: next.user_id }, amounts, currency);
    const { invoices, facts } = await createInvoices(trx, [wanted]);
    const revised = await reviseSettlement(trx, sale!.auction_id);
    await appendEvents(trx, [...facts, ...revised]);
    return { lotId, userId: next.user_id, hammerCents, invoice: invoices[0]! };
  });
}

interface SaleTerms {
  readonly title: string;
  readonly lot_number: number;
  readonly auction_id: number;
  readonly team_id: number;
  readonly currency: string;
  readonly buyer_premium_bps: number;
  readonly sales_tax_ppm: number;
}

const AUCTION_TERMS = ['a.team_id', 'a.currency', 'a.buyer_premium_bps', 'a.sales_tax_ppm'];

/** The newest winner's invoice of a lot, locked. */
function lastInvoice(trx: Knex.Transaction, lotId: number): Promise<Invoice | undefined> {
  return trx('invoices')
    .where({ lot_id: lotId, kind: 'winner' })
    .orderBy('id', 'desc')
    .forUpdate()
    .first<Invoice | undefined>();
}

interface Underbidder {
  readonly user_id: number;
  readonly ceiling_cents: number;
}

/** Whoever bid most of those who have had no chance yet; of two who bid the same, the earlier. */
async function underbidder(trx: Knex.Transaction, lotId: number): Promise<Underbidder | undefined> {
  const { rows } = await trx.raw<{ rows: Underbidder[] }>(
    `SELECT b.user_id, b.ceiling_cents FROM bids b
     JOIN users u ON u.id = b.user_id AND u.suspended_at IS NULL
     WHERE b.lot_id = ? AND NOT b.voided
       AND NOT EXISTS (SELECT 1 FROM sale_defaults d WHERE d.lot_id = b.lot_id AND d.user_id = b.user_id)
     ORDER BY b.ceiling_cents DESC, b.sequence LIMIT 1`,
    [lotId],
  );
  return rows[0];
}
