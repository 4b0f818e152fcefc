/**
 * Bid groups: lots of one sale of which somebody wants only so many, with a ceiling for each. The version counts every
 * change of a group, so that whoever decides on it finds out whether somebody else has decided meanwhile.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bid_groups (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      auction_id bigint NOT NULL REFERENCES auctions ON DELETE CASCADE,
      wanted integer NOT NULL CHECK (wanted >= 1),
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'stopped', 'done')),
      is_over boolean NOT NULL DEFAULT false,
      version bigint NOT NULL DEFAULT 0,
      origin text,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX bid_groups_of_user ON bid_groups (user_id, id);
    CREATE INDEX bid_groups_of_auction ON bid_groups (auction_id);
    CREATE INDEX bid_groups_at_work ON bid_groups (id) WHERE status <> 'stopped' AND NOT is_over;
    CREATE TABLE bid_group_lots (
      group_id bigint NOT NULL REFERENCES bid_groups ON DELETE CASCADE,
      lot_id bigint NOT NULL REFERENCES lots ON DELETE CASCADE,
      position integer NOT NULL,
      max_cents bigint NOT NULL CHECK (max_cents > 0),
      step text NOT NULL DEFAULT 'waiting' CHECK (step IN ('waiting', 'bidding', 'placed', 'refused')),
      attempt integer NOT NULL DEFAULT 0,
      refusal text,
      beaten boolean NOT NULL DEFAULT false,
      seen_sequence bigint NOT NULL DEFAULT -1,
      look_at timestamptz,
      returned_at timestamptz,
      PRIMARY KEY (group_id, lot_id)
    );
    CREATE INDEX bid_group_lots_of_lot ON bid_group_lots (lot_id);
    CREATE INDEX bid_group_lots_returned ON bid_group_lots (returned_at) WHERE returned_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bid_group_lots; DROP TABLE bid_groups;');
}
