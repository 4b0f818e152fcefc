/** Which version of an auction's conditions a bidder accepted, and when; which one an invoice is under. */
import type { Knex } from 'knex';

const keepConditions = (hash: string) => `
  CREATE OR REPLACE FUNCTION keep_auction_conditions() RETURNS trigger LANGUAGE plpgsql AS $$
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
    ${hash}
    RETURN NEW;
  END $$`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE auctions ADD COLUMN conditions_sha256 text;
    UPDATE auctions a SET conditions_sha256 = k.sha256 FROM auction_conditions k
      WHERE k.auction_id = a.id AND k.version = a.conditions_version;
    ALTER TABLE registrations ADD COLUMN conditions_version integer, ADD COLUMN conditions_accepted_at timestamptz,
      ADD CHECK ((conditions_version IS NULL) = (conditions_accepted_at IS NULL));
    ALTER TABLE invoices ADD COLUMN conditions_version integer;
    ${keepConditions(`NEW.conditions_sha256 := encode(sha256(convert_to(NEW.conditions, 'UTF8')), 'hex');`)}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${keepConditions('')};
    ALTER TABLE invoices DROP COLUMN conditions_version;
    ALTER TABLE registrations DROP COLUMN conditions_version, DROP COLUMN conditions_accepted_at;
    ALTER TABLE auctions DROP COLUMN conditions_sha256`);
}
