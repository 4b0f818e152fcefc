/**
 * Every lot knows its auction's team, so that a seller's desk is read from one index, newest first, however many lots other teams
 * have: asked through the auctions, Postgres had to guess which of two ways was the short one. Postgres keeps the column itself.
 * The lots of an auction are there in order too, all of them and those of one status.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Changing the type writes the table anew in one go; an UPDATE would leave a dead row for each and fill every index twice.
  await knex.raw(`
    ALTER TABLE lots ADD COLUMN team_id bigint;
    CREATE FUNCTION team_of_auction(auction bigint) RETURNS bigint LANGUAGE sql STABLE AS
      'SELECT team_id FROM auctions WHERE id = auction';
    ALTER TABLE lots ALTER COLUMN team_id TYPE bigint USING team_of_auction(auction_id);
    ALTER TABLE lots ALTER COLUMN team_id SET NOT NULL;
    DROP FUNCTION team_of_auction(bigint);
    CREATE INDEX lots_team ON lots (team_id, id) INCLUDE (status);
    DROP INDEX lots_auction_status;
    CREATE INDEX lots_auction_status ON lots (auction_id, status, id);
    CREATE INDEX lots_auction ON lots (auction_id, id);
  `);
  await knex.raw(`
    CREATE FUNCTION lot_takes_team() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT team_id INTO NEW.team_id FROM auctions WHERE id = NEW.auction_id;
        RETURN NEW;
      END $$;
    CREATE FUNCTION lots_follow_auction() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE lots SET team_id = NEW.team_id WHERE auction_id = NEW.id;
        RETURN NULL;
      END $$;
    CREATE TRIGGER lots_have_a_team BEFORE INSERT OR UPDATE OF auction_id, team_id ON lots
      FOR EACH ROW EXECUTE FUNCTION lot_takes_team();
    CREATE TRIGGER auctions_take_their_lots AFTER UPDATE OF team_id ON auctions
      FOR EACH ROW WHEN (OLD.team_id IS DISTINCT FROM NEW.team_id) EXECUTE FUNCTION lots_follow_auction();
    ANALYZE lots;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER auctions_take_their_lots ON auctions;
    DROP TRIGGER lots_have_a_team ON lots;
    DROP FUNCTION lots_follow_auction();
    DROP FUNCTION lot_takes_team();
    ALTER TABLE lots DROP COLUMN team_id;
    DROP INDEX lots_auction_status, lots_auction;
    CREATE INDEX lots_auction_status ON lots (auction_id, status);
  `);
}
