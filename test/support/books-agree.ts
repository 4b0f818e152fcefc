/**
 * The books agree after every test: what `rostrum books` says of each auction that money was booked for has no
 * difference, and the ledger's postings sum to zero in each currency. Asked before a test's database is dropped.
 */
import type { Knex } from 'knex';
import { readBooks } from '../../src/billing/books/books.ts';

/** The file of the test that is at work, as far as the stack says. */
export function testFile(): string {
  const { stack = '' } = new Error('where');
  return /test\/[\w./-]+\.test\.ts/.exec(stack)?.[0] ?? 'a test';
}

/** Throws what differs, with the name of the test. */
export async function requireBooksAgree(knex: Knex, test: string): Promise<void> {
  // One that a test has closed, or left as it was long ago, cannot be asked.
  const differences = await differencesOf(knex).catch(() => []);
  if (differences.length > 0)
    throw new Error(`the books do not agree after ${test}:\n  ${differences.join('\n  ')}`);
}

async function differencesOf(knex: Knex): Promise<string[]> {
  // SQL: sums over a table without a model.
  const { rows: sums } = await knex.raw<{ rows: { currency: string; cents: string; auctions: number[] }[] }>(
    `SELECT currency, sum(amount)::text AS cents, array_agg(DISTINCT auction_id) AS auctions
     FROM ledger_entries GROUP BY currency`,
  );
  const found = sums
    .filter(({ cents }) => cents !== '0')
    .map(({ currency, cents }) => `${currency}: the postings sum to ${cents}`);
  const auctions = new Set(sums.flatMap((row) => row.auctions).filter((id) => id !== null));
  for (const id of auctions) {
    const { differences } = await readBooks(knex, id);
    for (const { what, expected_cents, found_cents } of differences)
      found.push(`auction ${id}: ${what}: expected ${expected_cents}, found ${found_cents}`);
  }
  return found;
}
