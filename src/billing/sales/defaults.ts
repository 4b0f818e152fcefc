/**
 * Sales that fall through: a winner who does not pay. The invoice is voided and the lot is free, to be offered to the
 * next bidder or listed again; the lot's journal says so only once somebody else has bought it.
 */
import type { Knex } from 'knex';
import { writeOutcome } from '../../bidding/records/sale-outcomes.ts';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { requireMove } from '../../shared/statuses/require-move.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { followChange, type InvoiceFollowUp } from '../invoices/follow-up.ts';
import { Invoice, InvoiceLineRow } from '../invoices/invoice.model.ts';
import { voidInvoice } from '../invoices/invoices.ts';
import { holdMoney } from '../ledger/money-lock.ts';
import { Offer, SaleDefault } from './offer.model.ts';

export interface SaleParts {
  readonly knex: Knex;
  readonly followUps: readonly InvoiceFollowUp[];
}

export interface Defaulted {
  readonly lotId: number;
  readonly userId: number;
  readonly invoiceNumber: string;
  /** What the invoice is now. */
  readonly status: 'voided' | 'refunded';
}

/**
 * Flags a lot whose winner has not paid, or was given everything back, and voids the invoice where it is still owed.
 * Throws `not_found` where nobody was billed, `invalid_transition` where they have paid or were flagged before.
 */
export function defaultLot({ knex, followUps }: SaleParts, lotId: number): Promise<Defaulted> {
  return inTransaction(knex, async (trx) => {
    const invoice = await lockLastInvoice(trx, lotId);
    if (invoice === undefined) {
      throw notFound(`lot: lot ${lotId} has no winner’s invoice`);
    }
    const { invoice_number: number, user_id: userId } = invoice;
    if (await hasDefaulted(trx, invoice)) {
      throw new Refusal('invalid_transition', {
        message: `lot: ${number} is already marked as defaulted`,
        data: {
          allowed: [],
        },
      });
    }
    const facts: OutboxEvent[] = [];
    if (invoice.status !== 'voided' && invoice.status !== 'refunded') {
      requireMove('invoice', invoice.status, 'voided', `lot: ${number}`);
      const voided = await voidInvoice(trx, invoice);
      facts.push(...voided.facts, ...(await followChange(trx, followUps, voided.invoice, 'voided')));
    }
    await SaleDefault.query(trx).insert({ lot_id: lotId, user_id: userId, invoice_id: invoice.id });
    await writeOutcome(trx, {
      lot_id: lotId,
      user_id: userId,
      outcome: 'defaulted',
      hammer_cents: await hammerOf(trx, invoice),
    });
    await appendEvents(trx, facts);
    return {
      lotId,
      userId,
      invoiceNumber: number,
      status: invoice.status === 'refunded' ? 'refunded' : 'voided',
    };
  });
}

/**
 * The newest winner's invoice of a lot, its team's money held: changes to the outcome of a sold lot wait here for each
 * other.
 */
export async function lockLastInvoice(trx: Knex.Transaction, lotId: number): Promise<Invoice | undefined> {
  const last = Invoice.query(trx).where({ lot_id: lotId, kind: 'winner' }).orderBy('id', 'desc').first();
  await holdMoney(trx, (await last.clone())?.team_id ?? null);
  return last;
}

/** Whether the buyer has defaulted on this invoice. */
export async function hasDefaulted(knex: Knex, { id }: Invoice): Promise<boolean> {
  return (await SaleDefault.query(knex).where('invoice_id', id).first()) !== undefined;
}

/**
 * Whether a sold lot is free again: its last buyer has defaulted, and it is offered to nobody. Relisting calls this in
 * its transaction: until that ends nobody can offer the lot.
 */
export async function isFreeAgain(trx: Knex.Transaction, lotId: number): Promise<boolean> {
  const last = await lockLastInvoice(trx, lotId);
  if (last === undefined || !(await hasDefaulted(trx, last))) return false;
  return (await Offer.query(trx).findOne({ lot_id: lotId, status: 'offered' })) === undefined;
}

async function hammerOf(trx: Knex.Transaction, { id }: Invoice): Promise<number> {
  const line = await InvoiceLineRow.query(trx).findOne({ invoice_id: id, kind: 'hammer' });
  return line?.amount_cents ?? 0;
}
