/**
 * Marks invoices that were not paid in time. Whether one is overdue is told from its due date; the mark says since
 * when we know.
 */
import type { Knex } from 'knex';

/** Marks what has become overdue. Returns how many. */
export async function markOverdue(knex: Knex): Promise<number> {
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `UPDATE invoices SET overdue_at = now() WHERE status = 'open' AND overdue_at IS NULL AND due_at < now()`,
  );
  return rowCount;
}
