/** Where teams are paid out to. The account is sealed; only the last digits of its number are kept in the clear. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payout_accounts (
      team_id bigint PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
      sealed text NOT NULL,
      last_digits text NOT NULL CHECK (length(last_digits) <= 4),
      changed_by_user_id bigint REFERENCES users,
      changed_at timestamptz NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payout_accounts;');
}
