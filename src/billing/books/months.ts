/** Closing a month of the books: from then on what is posted, corrections too, counts in the next one. */
import type { Knex } from 'knex';
import { InputError } from '../../shared/input-error.ts';

/**
 * Closes a month (`2026-11`) that has begun, and with it all before; once. `postings`: how many count in it. Throws
 * `InputError`.
 */
export function closeMonth(knex: Knex, month: string) {
  if (!/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new InputError('month: it takes a month such as 2026-11');
  return knex.transaction(async (trx) => {
    // SQL: waits for every posting that has taken its month; the next ones wait for us.
    await trx.raw('LOCK TABLE ledger_postings IN SHARE ROW EXCLUSIVE MODE');
    // SQL: the month by the clock of the database that postings take theirs from.
    const { rows } = await trx.raw<{ rows: { begun: boolean }[] }>(
      "SELECT ?::date <= (now() AT TIME ZONE 'UTC')::date AS begun",
      [`${month}-01`],
    );
    if (rows[0]?.begun !== true) throw new InputError(`month: ${month} has not begun`);
    await trx('ledger_months')
      .insert({ month: `${month}-01` })
      .onConflict('month')
      .ignore();
    const closed = await trx('ledger_months').where('month', `${month}-01`).first('closed_at');
    const counted = await trx('ledger_postings').where('month', `${month}-01`).count('* as n').first();
    return { month, closed_at: String(closed?.closed_at), postings: Number(counted?.n ?? 0) };
  });
}
