/**
 * Ids of the test service begin where those of a real one never come, so that an id of something real is nobody's
 * there: 404. Done before the first row is written; doing it again changes nothing.
 */
import type { Knex } from 'knex';

export const FIRST_TEST_ID = 1_000_000_000;

export async function keepIdsApart(knex: Knex): Promise<void> {
  // SQL: no builder knows sequences.
  await knex.raw(
    `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, ?, false)
     FROM pg_sequences WHERE schemaname = current_schema() AND coalesce(last_value, 0) < ?
       AND data_type = 'bigint'::regtype`,
    [FIRST_TEST_ID, FIRST_TEST_ID],
  );
}
