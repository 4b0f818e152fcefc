/**
 * Marks invoices that were not paid in time. Whether one is overdue follows from its due date; the mark says since when
 * we know, and with it the buyer is reminded.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { Invoice } from './invoice.model.ts';

/** Marks what has become overdue. Returns how many. */
export function markOverdue(knex: Knex): Promise<number> {
  return Invoice.query(knex)
    .where('status', 'open')
    .whereNull('overdue_at')
    .whereRaw('due_at < now()')
    .patch({ overdue_at: raw('now()'), reminded_at: raw('now()') })
    .execute();
}
