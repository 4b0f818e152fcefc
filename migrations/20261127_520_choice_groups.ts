/** Lots of a simulcast auction that are offered together, and how long an online winner of them may choose. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN choice_group text CHECK (char_length(choice_group) BETWEEN 1 AND 64);
    CREATE INDEX lots_by_choice_group ON lots (auction_id, choice_group) WHERE choice_group IS NOT NULL;
    ALTER TABLE auctions ADD COLUMN choice_seconds integer CHECK (choice_seconds BETWEEN 10 AND 600)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions DROP COLUMN choice_seconds;
    ALTER TABLE lots DROP COLUMN choice_group`);
}
