/**
 * What else follows from a change of an invoice: the other resources of billing and of selling each hand in a
 * function.
 */
import type { Knex } from 'knex';
import type { Invoice } from './invoice.model.ts';

/** `reopened`: something is missing again. `disputed`: a payer disputes what they paid, or no longer does. */
export type InvoiceChange = 'paid' | 'failed' | 'refunded' | 'voided' | 'reopened' | 'disputed';

/** Follows a change in the same transaction; the invoice is locked and as the change has left it. */
export type InvoiceFollowUp = (
  trx: Knex.Transaction,
  invoice: Invoice,
  change: InvoiceChange,
) => Promise<void>;

/** Runs all of them. */
export async function followChange(
  trx: Knex.Transaction,
  followUps: readonly InvoiceFollowUp[],
  invoice: Invoice,
  change: InvoiceChange,
): Promise<void> {
  for (const follow of followUps) await follow(trx, invoice, change);
}
