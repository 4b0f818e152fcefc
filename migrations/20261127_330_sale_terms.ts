/**
 * What a buyer gets into: an auction's conditions, how and by when it is paid, viewings, collections and delivery, bands
 * of the premium and a surcharge on bids that come online, and the estimates of a lot. Each text of the conditions stays
 * under its version, which the database gives it, so that a registration or an invoice can name the one that it is under.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions
      ADD COLUMN conditions text CHECK (conditions <> ''),
      ADD COLUMN conditions_version integer,
      ADD COLUMN payment_methods text[] NOT NULL DEFAULT '{}',
      ADD COLUMN payment_due_days integer CHECK (payment_due_days >= 0),
      ADD COLUMN viewings jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN collections jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN collect_by timestamptz,
      ADD COLUMN delivery text,
      ADD COLUMN premium_bands jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN online_surcharge_bps integer NOT NULL DEFAULT 0 CHECK (online_surcharge_bps BETWEEN 0 AND 10000);
    ALTER TABLE lots
      ADD COLUMN estimate_low numeric CHECK (estimate_low >= 0),
      ADD COLUMN estimate_high numeric CHECK (estimate_high >= 0),
      ADD CHECK (estimate_low <= estimate_high);
    CREATE TABLE auction_conditions (
      auction_id bigint NOT NULL REFERENCES auctions ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      version integer NOT NULL CHECK (version > 0),
      text text NOT NULL,
      sha256 text NOT NULL,
      published_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (auction_id, version)
    );
    CREATE FUNCTION keep_auction_conditions() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.conditions IS NULL THEN
        NEW.conditions_version := NULL;
      ELSIF TG_OP = 'INSERT' OR NEW.conditions IS DISTINCT FROM OLD.conditions THEN
        SELECT coalesce(max(version), 0) + 1 INTO NEW.conditions_version
          FROM auction_conditions WHERE auction_id = NEW.id;
        INSERT INTO auction_conditions (auction_id, version, text, sha256)
          VALUES (NEW.id, NEW.conditions_version, NEW.conditions,
            encode(sha256(convert_to(NEW.conditions, 'UTF8')), 'hex'));
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER keep_conditions BEFORE INSERT OR UPDATE OF conditions ON auctions
      FOR EACH ROW EXECUTE FUNCTION keep_auction_conditions()`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER keep_conditions ON auctions;
    DROP FUNCTION keep_auction_conditions;
    DROP TABLE auction_conditions;
    ALTER TABLE lots DROP COLUMN estimate_low, DROP COLUMN estimate_high;
    ALTER TABLE auctions DROP COLUMN conditions, DROP COLUMN conditions_version, DROP COLUMN payment_methods,
      DROP COLUMN payment_due_days, DROP COLUMN viewings, DROP COLUMN collections, DROP COLUMN collect_by,
      DROP COLUMN delivery, DROP COLUMN premium_bands, DROP COLUMN online_surcharge_bps`);
}
