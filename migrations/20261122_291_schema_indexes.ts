/**
 * The indexes that the migrations made, by name: `rostrum doctor` holds the database against them. Whoever migrates writes down what came
 * and went.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE schema_indexes (name text PRIMARY KEY)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE schema_indexes');
}
