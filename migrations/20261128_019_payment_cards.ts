/** The events of a payment are found by what the provider calls it: the office asks which cards people paid with. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE INDEX payment_events_of_payment ON payment_events ((body #>> '{data,object,id}'))`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP INDEX payment_events_of_payment`);
}
