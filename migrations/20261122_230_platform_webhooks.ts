/**
 * Webhook subscriptions of platforms: told what becomes of the lots listed there, signed with the platform's own
 * secrets. Subscriptions of teams stay as they are.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_subscriptions
      ALTER COLUMN team_id DROP NOT NULL,
      ALTER COLUMN sealed_secret DROP NOT NULL,
      ADD COLUMN platform text UNIQUE REFERENCES simulcast_platforms (slug) ON DELETE CASCADE,
      ADD CHECK ((team_id IS NULL) = (platform IS NOT NULL)),
      ADD CHECK ((sealed_secret IS NULL) = (platform IS NOT NULL));
    CREATE INDEX events_of_listings ON events ((data->>'platform'), tx, id) WHERE type LIKE 'listing.%';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX events_of_listings;
    DELETE FROM webhook_subscriptions WHERE platform IS NOT NULL;
    ALTER TABLE webhook_subscriptions
      DROP COLUMN platform,
      ALTER COLUMN sealed_secret SET NOT NULL,
      ALTER COLUMN team_id SET NOT NULL;
  `);
}
