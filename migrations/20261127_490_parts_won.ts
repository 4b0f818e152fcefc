/** Who has bought a part of a lot is asked of every row of lists that know their viewer: few bids have won. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX bids_won ON bids (lot_id, user_id) WHERE outcome = 'won' AND NOT voided`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX bids_won');
}
