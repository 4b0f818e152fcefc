/** An amendment is kept as the text that the journal has the hash of; what it says is served as it is. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lot_amendments DROP COLUMN before, DROP COLUMN after, ADD COLUMN amendment json NOT NULL;
    CREATE OR REPLACE FUNCTION media_takes_team() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT a.team_id INTO NEW.team_id FROM auctions a
          WHERE a.id = coalesce(NEW.auction_id,
            (SELECT l.auction_id FROM lots l WHERE l.id = coalesce(NEW.lot_id, NEW.kept_lot_id)));
        RETURN NEW;
      END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE lot_amendments ADD COLUMN before jsonb NOT NULL DEFAULT '{}', ADD COLUMN after jsonb NOT NULL DEFAULT '{}';
    UPDATE lot_amendments SET before = amendment->'before', after = amendment->'after';
    ALTER TABLE lot_amendments DROP COLUMN amendment;
  `);
}
