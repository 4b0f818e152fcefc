/** Every stored file knows its team, so that what a team keeps is summed up from one index. Postgres keeps the column itself. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE media ADD COLUMN team_id bigint;
    UPDATE media m SET team_id = a.team_id FROM auctions a
      WHERE a.id = coalesce(m.auction_id, (SELECT l.auction_id FROM lots l WHERE l.id = m.lot_id));
    ALTER TABLE media ALTER COLUMN team_id SET NOT NULL;
    CREATE INDEX media_of_team ON media (team_id) INCLUDE (size);
    CREATE FUNCTION media_takes_team() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT a.team_id INTO NEW.team_id FROM auctions a
          WHERE a.id = coalesce(NEW.auction_id, (SELECT l.auction_id FROM lots l WHERE l.id = NEW.lot_id));
        RETURN NEW;
      END $$;
    CREATE TRIGGER media_have_a_team BEFORE INSERT ON media FOR EACH ROW EXECUTE FUNCTION media_takes_team();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER media_have_a_team ON media;
    DROP FUNCTION media_takes_team();
    ALTER TABLE media DROP COLUMN team_id;
  `);
}
