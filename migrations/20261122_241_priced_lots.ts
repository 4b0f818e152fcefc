/**
 * What lists by price need of lots lies in a narrow table of its own that Postgres keeps itself. No index of `lots` holds
 * anything that a bid changes any more, so a bid writes a lot's row where it is (a heap-only update) and six small index
 * entries here, instead of one into each of two dozen indexes.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE priced_lots AS SELECT ${COLUMNS}, ${PRICE} AS price_cents FROM lots ORDER BY id;
    ALTER TABLE priced_lots ADD PRIMARY KEY (id), ADD FOREIGN KEY (id) REFERENCES lots ON DELETE CASCADE,
      ALTER auction_id SET NOT NULL, ALTER lot_number SET NOT NULL, ALTER status SET NOT NULL,
      ALTER current_bid_cents SET NOT NULL, ALTER price_cents SET NOT NULL;
    CREATE INDEX priced_lots_by_bid ON priced_lots (status, current_bid_cents, id) INCLUDE (${FILTERS});
    CREATE INDEX priced_lots_by_bid_down ON priced_lots (status, current_bid_cents DESC, id) INCLUDE (${FILTERS});
    CREATE INDEX priced_lots_by_price ON priced_lots (status, price_cents) INCLUDE (id, auction_id);
    CREATE INDEX priced_lots_by_number ON priced_lots (status, lot_number, id) INCLUDE (auction_id, price_cents);
    CREATE INDEX priced_lots_by_state ON priced_lots (status, lower(state), lot_number, id)
      INCLUDE (${FILTERS}, current_bid_cents);
  `);
  await knex.raw(KEEPING);
  await knex.raw(`
    ALTER TABLE lots SET (fillfactor = 80);
    DROP INDEX lots_by_bid, lots_by_bid_down, lots_by_price, lots_by_number, lots_by_state;
    CREATE INDEX lots_by_number ON lots (status, lot_number, id) INCLUDE (auction_id);
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id) INCLUDE (${FILTERS});
    ANALYZE lots; ANALYZE priced_lots;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER lots_are_priced ON lots; DROP TRIGGER lots_change_their_price ON lots;
    DROP FUNCTION priced_lots_add(); DROP FUNCTION priced_lots_follow();
    DROP TABLE priced_lots;
    ALTER TABLE lots RESET (fillfactor);
    DROP INDEX lots_by_number, lots_by_state;
    CREATE INDEX lots_by_bid ON lots (status, current_bid_cents, id) INCLUDE (${FILTERS});
    CREATE INDEX lots_by_bid_down ON lots (status, current_bid_cents DESC, id) INCLUDE (${FILTERS});
    CREATE INDEX lots_by_price ON lots ((${PRICE}));
    CREATE INDEX lots_by_number ON lots (status, lot_number, id)
      INCLUDE (auction_id, bid_count, current_bid_cents, starting_bid_cents);
    CREATE INDEX lots_by_state ON lots (status, lower(state), lot_number, id) INCLUDE (${FILTERS}, current_bid_cents);
    ANALYZE lots;
  `);
}

/** Everything that a list may be filtered or ordered by. */
const NAMES = [
  'id',
  'auction_id',
  'category_id',
  'lot_number',
  'status',
  'current_bid_cents',
  'starting_bid_cents',
  'live_end_time',
  'title',
  'condition',
  'state',
  'county',
  'postal_code',
  'zoning',
  'acres',
  'road_access',
  'water_access',
  'lat',
  'lng',
];
const COLUMNS = NAMES.join(', ');
const PRICE = 'CASE WHEN bid_count > 0 THEN current_bid_cents ELSE starting_bid_cents END';
const FILTERS = 'auction_id, state, acres, road_access, water_access';

/** Once for each statement, however many lots it changes. */
const KEEPING = `
  CREATE FUNCTION priced_lots_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO priced_lots (${COLUMNS}, price_cents) SELECT ${COLUMNS}, ${PRICE} FROM added ORDER BY id;
      RETURN NULL;
    END $$;
  CREATE FUNCTION priced_lots_follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE priced_lots p SET (${COLUMNS}, price_cents) = ROW (${NAMES.map((name) => `n.${name}`).join(', ')}, n.price_cents)
      FROM (SELECT ${COLUMNS}, ${PRICE} AS price_cents FROM changed) n
      WHERE p.id = n.id AND (${NAMES.map((name) => `p.${name}`).join(', ')}, p.price_cents)
        IS DISTINCT FROM (${NAMES.map((name) => `n.${name}`).join(', ')}, n.price_cents);
      RETURN NULL;
    END $$;
  CREATE TRIGGER lots_are_priced AFTER INSERT ON lots
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION priced_lots_add();
  CREATE TRIGGER lots_change_their_price AFTER UPDATE ON lots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION priced_lots_follow();
`;
