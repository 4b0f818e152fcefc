/**
 * What is done about deliveries now and then: finding tries that no retry job came for, and dropping old rows of the
 * log.
 */
import type { Knex } from 'knex';

const OVERDUE = '2 seconds';
const AT_ONCE = 1_000;
const KEEP_GOOD = '7 days';
const KEEP_ANY = '30 days';
const DROP_AT_ONCE = 5_000;

/** Wakes the subscriptions with tries that are overdue: a retry job was lost, or the worker that had them died. */
export async function sweepDue(knex: Knex, wake: (subscriptionId: number) => void): Promise<void> {
  // SQL: one index scan by the clock of the database.
  const { rows } = await knex.raw<{ rows: { subscription_id: number }[] }>(
    `SELECT DISTINCT subscription_id FROM webhook_deliveries
      WHERE next_attempt_at < now() - interval '${OVERDUE}' LIMIT ${AT_ONCE}`,
  );
  for (const { subscription_id } of rows) wake(subscription_id);
}

/** Drops rows that are old: successes after a week, everything after a month. */
export async function tidyLog(knex: Knex): Promise<void> {
  for (;;) {
    // SQL: deletes a bounded number at a time.
    const { rowCount } = await knex.raw<{ rowCount: number }>(
      `DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM webhook_deliveries
          WHERE next_attempt_at IS NULL AND created_at < now() - interval '${KEEP_GOOD}'
            AND (status = 'success' OR created_at < now() - interval '${KEEP_ANY}')
          LIMIT ${DROP_AT_ONCE})`,
    );
    if (rowCount < DROP_AT_ONCE) return;
  }
}
