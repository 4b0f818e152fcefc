/** What an auction by tender says for all of its lots. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions
      ADD COLUMN tender_may_lower boolean,
      ADD COLUMN tender_may_withdraw boolean,
      ADD COLUMN tender_pays text CHECK (tender_pays IN ('own', 'second')),
      ADD COLUMN tender_final_round integer CHECK (tender_final_round BETWEEN 2 AND 20),
      ADD COLUMN tender_final_seconds integer CHECK (tender_final_seconds BETWEEN 1 AND 604800)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions DROP COLUMN tender_may_lower, DROP COLUMN tender_may_withdraw, DROP COLUMN tender_pays,
      DROP COLUMN tender_final_round, DROP COLUMN tender_final_seconds`);
}
