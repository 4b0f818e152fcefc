/**
 * Credit notes: papers of their own for what an invoice no longer asks for because money went back. What a transaction
 * takes off an invoice is one note; it gets its number (`CN-2026-00001`, without gaps) when the transaction commits.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { CreditNote, type Invoice } from './invoice.model.ts';

/** Notes that an invoice asks for `cents` less, of which some were tax. Its money is held. */
export async function noteCredit(
  trx: Knex.Transaction,
  { id }: Pick<Invoice, 'id'>,
  cents: number,
  taxCents = 0,
): Promise<void> {
  await CreditNote.query(trx)
    .insert({ invoice_id: id, amount_cents: cents, tax_cents: taxCents })
    .onConflict(raw('(invoice_id) WHERE number IS NULL'))
    .merge({
      amount_cents: raw('credit_notes.amount_cents + excluded.amount_cents'),
      tax_cents: raw('credit_notes.tax_cents + excluded.tax_cents'),
    });
}

/** What all notes of an invoice come to, in cents. */
export async function notedCents(knex: Knex, { id }: Pick<Invoice, 'id'>): Promise<number> {
  const notes = await CreditNote.query(knex).where('invoice_id', id);
  return notes.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}
