/**
 * What is done about deliveries now and then: finding tries that no retry job came for, dropping old rows of the log,
 * and passing over what suspended teams have missed for too long.
 */
import type { Knex } from 'knex';
import { PAUSED_SQL } from './webhook-subscriptions.ts';

const OVERDUE = '2 seconds';
const AT_ONCE = 1_000;
const KEEP_GOOD = '7 days';
const KEEP_ANY = '30 days';
const KEEP_MISSED = '3 days';
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

/** Lets the subscriptions of suspended teams pass over what is older than three days: more does not wait for them. */
export async function passOverMissed(knex: Knex): Promise<void> {
  // SQL: transaction ids, and an index in their order.
  await knex.raw(
    `UPDATE webhook_subscriptions SET cursor_tx = e.tx, cursor_id = e.id
     FROM webhook_subscriptions s CROSS JOIN LATERAL (SELECT tx, id FROM events
       WHERE team_id = s.team_id AND created_at < now() - interval '${KEEP_MISSED}'
       ORDER BY tx DESC, id DESC LIMIT 1) e
     WHERE webhook_subscriptions.id = s.id AND s.is_active AND ${PAUSED_SQL}
       AND (s.cursor_tx, s.cursor_id) < (e.tx, e.id)`,
  );
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
