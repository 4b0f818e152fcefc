/**
 * From where bids came, for 90 days: address and browser sealed, and hashed so that two can be compared without
 * opening them. Bids of one person on one lot that arrive together share a row. And who left a team: for 30 days they
 * do not bid on what it sells.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bid_origins (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      address_hash text NOT NULL,
      browser_hash text NOT NULL,
      sealed text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (address_hash, browser_hash)
    );
    CREATE TABLE bids_from (
      auction_id bigint NOT NULL,
      lot_id bigint NOT NULL,
      user_id bigint NOT NULL,
      origin_id bigint NOT NULL,
      sequences bigint[] NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX bids_from_auction ON bids_from (auction_id, lot_id);
    CREATE INDEX bids_from_user ON bids_from (user_id);
    CREATE INDEX bids_from_age ON bids_from USING brin (seen_at);
    CREATE TABLE left_memberships (
      team_id bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      left_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, team_id)
    );
    CREATE INDEX left_memberships_team ON left_memberships (team_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE left_memberships, bids_from, bid_origins;');
}
