/** Tests and redeliveries by their subscription and time: a team has so many in a minute. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `CREATE INDEX webhook_deliveries_by_hand ON webhook_deliveries (subscription_id, created_at) WHERE origin <> 'event';`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX webhook_deliveries_by_hand;');
}
