/**
 * Numbers that take the tax off: a person sends one, staff approve or refuse it, and from then on invoices of that
 * person are without tax and name it. Of several approved ones the newest decision counts.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { invalid, notFound } from '../../shared/refusal.ts';
import type { StatusOf } from '../../shared/statuses/billing-statuses.ts';
import { requireMove } from '../../shared/statuses/require-move.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { TaxNumber } from '../models/tax-number.model.ts';
import { requireUserById } from '../people/accounts.ts';

/** As many may wait or hold at once. */
const MAX_NUMBERS = 20;

export type NewTaxNumber = Pick<TaxNumber, 'kind' | 'number' | 'region'>;
export type TaxNumberDecision = Exclude<StatusOf<'tax_number'>, 'pending'>;

/** Sends a number to staff. One that waits or holds already is answered as it is. Throws 422 beyond 20. */
export function sendTaxNumber(knex: Knex, userId: number, taxNumber: NewTaxNumber): Promise<TaxNumber> {
  const wanted = {
    kind: taxNumber.kind,
    number: taxNumber.number.trim(),
    region: taxNumber.region.trim(),
    user_id: userId,
  };
  return inTransaction(knex, async (trx) => {
    await requireUserById(trx, userId).forUpdate();
    const own = TaxNumber.query(trx).where('user_id', userId).whereNot('status', 'refused');
    const known = await own.clone().findOne(wanted);
    if (known !== undefined) return known;
    if ((await own.resultSize()) >= MAX_NUMBERS)
      throw invalid({ number: [`There are ${MAX_NUMBERS} that wait or hold already.`] });
    return TaxNumber.query(trx).insert(wanted).returning('*').first().throwIfNotFound();
  });
}

/** A person's numbers, newest first. */
export async function listTaxNumbers(knex: Knex, userId: number): Promise<TaxNumber[]> {
  return TaxNumber.query(knex).where('user_id', userId).orderBy('id', 'desc').limit(100);
}

/** What staff decide on, oldest first, at most 1,000; without a status all, newest first. */
export async function findTaxNumbers(knex: Knex, status?: TaxNumber['status']): Promise<TaxNumber[]> {
  const found = TaxNumber.query(knex)
    .orderBy('id', status === 'pending' ? 'asc' : 'desc')
    .limit(1_000);
  return status === undefined ? found : found.where({ status });
}

/** Those that wait for staff, oldest first, and how many there are. */
export async function waitingTaxNumbers(
  knex: Knex,
  limit: number,
): Promise<{ rows: TaxNumber[]; total: number }> {
  const { results, total } = await TaxNumber.query(knex)
    .where('status', 'pending')
    .orderBy('id')
    .page(0, limit);
  return { rows: results, total };
}

/** Approves a number, or refuses one that waits or holds. Throws 404, and `invalid_transition`. */
export function decideTaxNumber(knex: Knex, id: number, status: TaxNumberDecision): Promise<TaxNumber> {
  return inTransaction(knex, async (trx) => {
    const found = await TaxNumber.query(trx).findById(id).forUpdate();
    if (found === undefined) throw notFound(`id: there is no tax number ${id}`);
    requireMove('tax_number', found.status, status, `id: tax number ${id}`);
    return TaxNumber.query(trx)
      .findById(id)
      .patch({ status, decided_at: raw('now()') })
      .returning('*')
      .first()
      .throwIfNotFound();
  });
}

/** The number that takes the tax off a person's next invoice; null: none does. */
export async function approvedTaxNumber(knex: Knex, userId: number): Promise<TaxNumber | null> {
  const found = await TaxNumber.query(knex)
    .where({ user_id: userId, status: 'approved' })
    .orderBy([
      { column: 'decided_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .first();
  return found ?? null;
}

/** SQL for the id of that number; `user` is an expression for the person's id. */
export function approvedTaxNumberSql(user: string): string {
  return `(SELECT x.id FROM tax_numbers x WHERE x.user_id = ${user} AND x.status = 'approved'
    ORDER BY x.decided_at DESC, x.id DESC LIMIT 1)`;
}
