/**
 * Which simulcast platforms speak in an auction, and who agreed that the floor calls their paddle there. Auctions that are there already
 * let nobody in until their sellers say so.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions ADD COLUMN simulcast_platforms text[] NOT NULL DEFAULT '{}';
    ALTER TABLE registrations ADD COLUMN floor_paddle boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE registrations DROP COLUMN floor_paddle;
    ALTER TABLE auctions DROP COLUMN simulcast_platforms;
  `);
}
