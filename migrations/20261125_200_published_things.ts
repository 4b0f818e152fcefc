/**
 * What was once published: an auction and a lot keep the moment, which no later state takes away. Only what has one is
 * ever for others than its team; a draft that was cancelled has none. The database sets it itself, so that no way of
 * writing a status can forget it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions ADD COLUMN published_at timestamptz;
    ALTER TABLE lots ADD COLUMN published_at timestamptz;

    UPDATE auctions SET published_at = created_at
      WHERE status NOT IN ('draft', 'cancelled') OR (status = 'cancelled' AND record_version > 0);
    UPDATE lots l SET published_at = a.published_at FROM auctions a
      WHERE a.id = l.auction_id AND a.published_at IS NOT NULL
        AND (l.status NOT IN ('draft', 'withdrawn') OR l.journal_opened);

    ALTER TABLE auctions ADD CONSTRAINT auctions_published
      CHECK (status IN ('draft', 'cancelled') OR published_at IS NOT NULL);

    CREATE FUNCTION mark_published_auction() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.published_at := now();
      RETURN NEW;
    END $$;
    CREATE TRIGGER auctions_made_published BEFORE INSERT ON auctions FOR EACH ROW
      WHEN (NEW.published_at IS NULL AND NEW.status <> 'draft')
      EXECUTE FUNCTION mark_published_auction();
    CREATE TRIGGER auctions_published BEFORE UPDATE OF status ON auctions FOR EACH ROW
      WHEN (NEW.published_at IS NULL AND NEW.status NOT IN ('draft', 'cancelled'))
      EXECUTE FUNCTION mark_published_auction();

    CREATE FUNCTION mark_published_lots() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE lots SET published_at = NEW.published_at
        WHERE auction_id = NEW.id AND published_at IS NULL AND status NOT IN ('draft', 'withdrawn');
      RETURN NULL;
    END $$;
    CREATE TRIGGER auctions_publish_lots AFTER UPDATE OF status ON auctions FOR EACH ROW
      WHEN (OLD.published_at IS NULL AND NEW.published_at IS NOT NULL)
      EXECUTE FUNCTION mark_published_lots();

    CREATE FUNCTION mark_published_lot() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM auctions a WHERE a.id = NEW.auction_id AND a.published_at IS NOT NULL) THEN
        NEW.published_at := now();
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER lots_made_published BEFORE INSERT ON lots FOR EACH ROW
      WHEN (NEW.published_at IS NULL AND NEW.status <> 'draft')
      EXECUTE FUNCTION mark_published_lot();
    CREATE TRIGGER lots_published BEFORE UPDATE OF status, auction_id ON lots FOR EACH ROW
      WHEN (NEW.published_at IS NULL AND NEW.status NOT IN ('draft', 'withdrawn'))
      EXECUTE FUNCTION mark_published_lot();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER lots_published ON lots;
    DROP TRIGGER lots_made_published ON lots;
    DROP FUNCTION mark_published_lot;
    DROP TRIGGER auctions_publish_lots ON auctions;
    DROP FUNCTION mark_published_lots;
    DROP TRIGGER auctions_published ON auctions;
    DROP TRIGGER auctions_made_published ON auctions;
    DROP FUNCTION mark_published_auction;
    ALTER TABLE lots DROP COLUMN published_at;
    ALTER TABLE auctions DROP COLUMN published_at;
  `);
}
