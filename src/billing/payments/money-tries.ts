/**
 * Work of the clock on the money of one invoice, or of a payment that was for none, that may fail: tried again after a
 * while, longer each time, and set aside after ten tries, so that no round fails over it again. Staff see what was set
 * aside, and may have it tried once more.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { messageOf } from '../../../engine/thrown.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { Payment } from '../invoices/payment.model.ts';

const MAX_TRIES = 10;

/** Before the n-th next try: two seconds, doubled each time, at most a minute. */
const WAIT = "least(60, power(2, least(tries, 6))) * interval '1 second'";

const TryColumns = Type.Object({
  id: Type.Integer(),
  invoice_id: orNull(Type.Integer(), { description: 'Whose money it is; null: the payment says it.' }),
  payment_id: orNull(Type.Integer(), { description: 'Of a refund of a payment that was for no invoice.' }),
  tries: Type.Integer(),
  reason: Type.String(),
  next_at: Type.String(),
  set_aside_at: orNull(Type.String()),
});

export class MoneyTry extends shapedBy('money_tries', TryColumns) {
  declare invoice?: Invoice | null;
  declare payment?: Payment | null;

  static override relationMappings = () => ({
    invoice: belongsTo(Invoice, 'money_tries.invoice_id'),
    payment: belongsTo(Payment, 'money_tries.payment_id'),
  });
}

/** Those of the invoice, or the payment, of the query around it that wait for their next try, or for staff. */
export function waitingTries(about: 'invoice' | 'payment') {
  return MoneyTry.query()
    .whereColumn(`money_tries.${about}_id`, `${about}s.id`)
    .whereRaw('(set_aside_at IS NOT NULL OR next_at > now())');
}

export interface TryParts {
  readonly knex: Knex;
  /** Called for what cannot be done at the moment. */
  readonly onError: (error: unknown, about: string) => void;
}

/** Does the work for each of these; what fails keeps back no other. Returns how many are done. */
export async function tryEach<T extends Invoice | Payment>(
  { knex, onError }: TryParts,
  due: readonly T[],
  work: (one: T) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  for (const one of due) {
    try {
      await work(one);
      done += 1;
      await forgetTries(knex, one);
    } catch (error) {
      await countTry(knex, one, error);
      onError(error, one instanceof Invoice ? one.invoice_number : one.payment_id);
    }
  }
  return done;
}

/** What was tried of it is over, or begins anew. */
export async function forgetTries(knex: Knex, one: Invoice | Payment): Promise<void> {
  await MoneyTry.query(knex).delete().where(aboutOf(one));
}

function aboutOf(one: Invoice | Payment) {
  return one instanceof Invoice ? { invoice_id: one.id } : { payment_id: one.id };
}

async function countTry(knex: Knex, one: Invoice | Payment, error: unknown): Promise<void> {
  await MoneyTry.query(knex)
    .insert({ ...aboutOf(one), tries: 0, reason: '', next_at: raw('now()') })
    .onConflict()
    .ignore();
  await MoneyTry.query(knex)
    .where(aboutOf(one))
    .patch({
      tries: raw('tries + 1'),
      reason: messageOf(error).slice(0, 500),
      next_at: raw(`now() + ${WAIT}`),
      set_aside_at: raw('CASE WHEN tries + 1 >= ? THEN coalesce(set_aside_at, now()) END', MAX_TRIES),
    });
}

/** What was set aside with its invoice or payment, oldest first, and how much there is of it. */
export async function setAsideTries(
  knex: Knex,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<{ rows: MoneyTry[]; total: number }> {
  const { results, total } = await MoneyTry.query(knex)
    .whereNotNull('set_aside_at')
    .withGraphFetched('[invoice, payment]')
    .orderBy('set_aside_at')
    .page(0, limit);
  return { rows: results, total };
}

/** Why work on an invoice's money was set aside; null: it was not. */
export async function setAsideReason(knex: Knex, invoiceId: number): Promise<string | null> {
  const found = await MoneyTry.query(knex).findOne('invoice_id', invoiceId).whereNotNull('set_aside_at');
  return found?.reason ?? null;
}

/** All of it: invoices’ money, and payments that were for none and are to go back. */
export async function listSetAside(knex: Knex) {
  const { rows } = await setAsideTries(knex);
  return rows.map(({ invoice, payment, reason }) =>
    invoice == null
      ? { invoice_number: null, payment_id: payment?.payment_id, reason }
      : { invoice_number: invoice.invoice_number, reason },
  );
}

/** Has what was set aside of an invoice tried again. Throws `not_found`. */
export async function tryAgain(knex: Knex, invoiceNumber: string): Promise<void> {
  const known = Invoice.query(knex).select('id').where('invoice_number', invoiceNumber);
  if ((await MoneyTry.query(knex).delete().whereIn('invoice_id', known)) === 0)
    throw notFound(`number: nothing of ${invoiceNumber} was set aside`);
}
