/**
 * Numbers of documents (`INV-2026-00001`, `SET-2026-00001`): one series for each kind of document and year, without
 * gaps. The series' row stays locked until the caller's transaction ends, so whatever is rolled back leaves no hole
 * and nobody waits for anything else behind it: take numbers last of all that a transaction locks. Credit notes
 * (`CN-2026-00001`) have a series there too; the database gives them theirs when the transaction commits.
 */

import type { Knex } from 'knex';
import { firstOf } from '../../engine/first-of.ts';

export type Series = 'INV' | 'SET';

/** The next `count` numbers of this year (UTC, by the database's clock), ascending. */
export async function nextNumbers(trx: Knex.Transaction, series: Series, count: number): Promise<string[]> {
  if (count === 0) return [];
  // SQL: takes numbers from the series and locks it in one statement.
  const { rows } = await trx.raw<{ rows: { year: number; last: number }[] }>(
    `INSERT INTO document_numbers AS n (series, year, last)
     VALUES (?, extract(year FROM now() AT TIME ZONE 'UTC')::smallint, ?)
     ON CONFLICT (series, year) DO UPDATE SET last = n.last + excluded.last
     RETURNING year, last`,
    [series, count],
  );
  const { year, last } = firstOf(rows);
  return Array.from({ length: count }, (_, index) => numberOf(series, year, last - count + 1 + index));
}

function numberOf(series: Series, year: number, sequence: number): string {
  return `${series}-${year}-${String(sequence).padStart(5, '0')}`;
}
