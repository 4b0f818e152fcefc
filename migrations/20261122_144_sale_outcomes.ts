/** What became of a sold lot after its close: who defaulted on it, and who bought it by a second chance, at which price. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sale_outcomes (
      lot_id bigint NOT NULL REFERENCES lots,
      user_id bigint NOT NULL REFERENCES users,
      outcome text NOT NULL CHECK (outcome IN ('won', 'defaulted')),
      hammer_cents bigint NOT NULL CHECK (hammer_cents >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (lot_id, user_id)
    );
    CREATE UNIQUE INDEX sale_outcomes_one_buyer ON sale_outcomes (lot_id) WHERE outcome = 'won';
    INSERT INTO sale_outcomes (lot_id, user_id, outcome, hammer_cents)
      SELECT d.lot_id, d.user_id, 'defaulted', coalesce((SELECT n.amount_cents FROM invoice_lines n
        WHERE n.invoice_id = d.invoice_id AND n.kind = 'hammer'), 0) FROM sale_defaults d
      ON CONFLICT DO NOTHING;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sale_outcomes;');
}
