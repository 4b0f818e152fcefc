/**
 * Which parts of the demo marketplace have been made, so that a start finishes what one before it could not, and repeats
 * nothing that its people have changed since.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE demo_steps (
      step text PRIMARY KEY,
      done_at timestamptz NOT NULL DEFAULT now()
    );
  `);
  // A demo that is there already was made before there was a list: its last part is a saved search of its buyer.
  await knex.raw(`
    INSERT INTO demo_steps (step)
    SELECT unnest(ARRAY['story', 'seat'])
    WHERE EXISTS (
      SELECT FROM saved_searches s JOIN users u ON u.id = s.user_id
      JOIN users seller ON seller.email = 'seller@rostrum.example'
      WHERE u.email = 'buyer@rostrum.example'
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE demo_steps');
}
