/** Auctions of other formats than the first are few: those whose prices the clock moves are looked for every second. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX auctions_of_formats ON auctions (format) WHERE format <> 'timed'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX auctions_of_formats');
}
