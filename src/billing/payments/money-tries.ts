/**
 * Work of the clock on one invoice's money that may fail: tried again after a while, longer each time, and set aside
 * after ten tries, so that no round fails over it again. Staff see what was set aside, and may have it tried once more.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { Invoice } from '../invoices/invoice.model.ts';

const MAX_TRIES = 10;

/** Before the n-th next try: two seconds, doubled each time, at most a minute. */
const WAIT = "least(60, power(2, least(tries, 6))) * interval '1 second'";

const TryColumns = Type.Object({
  invoice_id: Type.Integer(),
  tries: Type.Integer(),
  reason: Type.String(),
  next_at: Type.String(),
  set_aside_at: orNull(Type.String()),
});

export class MoneyTry extends shapedBy('money_tries', TryColumns, 'invoice_id') {
  declare invoice?: Invoice;

  static override relationMappings = () => ({ invoice: belongsTo(Invoice, 'money_tries.invoice_id') });
}

/** SQL: whether an invoice `i` waits for its next try, or for staff. */
export const WAITS_SQL = `EXISTS (SELECT FROM money_tries t WHERE t.invoice_id = invoices.id
  AND (t.set_aside_at IS NOT NULL OR t.next_at > now()))`;

export interface TryParts {
  readonly knex: Knex;
  /** Called for what cannot be done at the moment. */
  readonly onError: (error: unknown, about: string) => void;
}

/** Does the work for each of these; what fails keeps back no other. Returns how many are done. */
export async function tryEach(
  { knex, onError }: TryParts,
  invoices: readonly Invoice[],
  work: (invoice: Invoice) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  for (const invoice of invoices) {
    try {
      await work(invoice);
      done += 1;
      await MoneyTry.query(knex).deleteById(invoice.id);
    } catch (error) {
      await countTry(knex, invoice, error);
      onError(error, invoice.invoice_number);
    }
  }
  return done;
}

async function countTry(knex: Knex, { id }: Invoice, error: unknown): Promise<void> {
  await MoneyTry.query(knex)
    .insert({ invoice_id: id, tries: 0, reason: '', next_at: raw('now()') })
    .onConflict('invoice_id')
    .ignore();
  await MoneyTry.query(knex)
    .findById(id)
    .patch({
      tries: raw('tries + 1'),
      reason: messageOf(error).slice(0, 500),
      next_at: raw(`now() + ${WAIT}`),
      set_aside_at: raw('CASE WHEN tries + 1 >= ? THEN coalesce(set_aside_at, now()) END', MAX_TRIES),
    });
}

/** What was set aside with its invoice, oldest first, and how much there is of it. */
export async function setAsideTries(
  knex: Knex,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<{ rows: MoneyTry[]; total: number }> {
  const { results, total } = await MoneyTry.query(knex)
    .whereNotNull('set_aside_at')
    .withGraphFetched('invoice')
    .orderBy('set_aside_at')
    .page(0, limit);
  return { rows: results, total };
}

/** Why work on an invoice's money was set aside; null: it was not. */
export async function setAsideReason(knex: Knex, invoiceId: number): Promise<string | null> {
  const found = await MoneyTry.query(knex).findById(invoiceId).whereNotNull('set_aside_at');
  return found?.reason ?? null;
}

/** All of it. */
export async function listSetAside(knex: Knex): Promise<{ invoice_number: string; reason: string }[]> {
  const { rows } = await setAsideTries(knex);
  return rows.map(({ invoice, reason }) => ({ invoice_number: invoice?.invoice_number ?? '', reason }));
}

/** Has what was set aside tried again. Throws `not_found`. */
export async function tryAgain(knex: Knex, invoiceNumber: string): Promise<void> {
  const known = Invoice.query(knex).select('id').where('invoice_number', invoiceNumber);
  if ((await MoneyTry.query(knex).delete().whereIn('invoice_id', known)) === 0)
    throw notFound(`number: nothing of ${invoiceNumber} was set aside`);
}
