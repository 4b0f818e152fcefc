/** What lists and searches of lots read instead of the lots themselves, kept by Postgres. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What is said of lots, as words that are matched at their starts. Lots keep theirs in a table of their own, so
    -- that a bid, which rewrites the lot's row, does not touch these indexes.
    CREATE TABLE lot_search (
      lot_id bigint PRIMARY KEY REFERENCES lots ON DELETE CASCADE,
      title_words text NOT NULL,
      words tsvector NOT NULL
    );
    CREATE INDEX lot_search_words ON lot_search USING gin (words);
    CREATE INDEX lot_search_titles ON lot_search (title_words text_pattern_ops, lot_id);
    CREATE INDEX lot_search_shelves ON lot_search USING gin (search_shelved(lot_id, words));

    CREATE FUNCTION lot_search_text(lot lots) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
      $$ SELECT title_in_all(lot.title, lot.translations) || ' ' || coalesce(lot.sku, '')
         || ' ' || coalesce(lot.city, '') || ' ' || coalesce(lot.county, '')
         || ' ' || coalesce(lot.state, '') || ' ' || coalesce(lot.description, '') $$;

    CREATE FUNCTION lot_search_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO lot_search (lot_id, title_words, words)
        VALUES (NEW.id, search_fold(NEW.title), search_vector(lot_search_text(NEW)))
        ON CONFLICT (lot_id) DO UPDATE SET title_words = EXCLUDED.title_words, words = EXCLUDED.words;
      RETURN NULL;
    END $$;

    CREATE TRIGGER lots_are_searched
      AFTER INSERT OR UPDATE OF title, sku, city, county, state, description, translations ON lots
      FOR EACH ROW EXECUTE FUNCTION lot_search_write();

    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
        CREATE INDEX auctions_title_trigrams ON auctions USING gin (title_words gin_trgm_ops);
        CREATE INDEX lot_search_trigrams ON lot_search USING gin (title_words gin_trgm_ops);
      END IF;
    END $$;

    -- What lists by price need of lots, in a narrow table: a bid writes a few small index entries here. Every order
    -- begins with the status, because a list shows one; ties go by id in either direction, which is why prices, where
    -- thousands may be equal, have an index for each.
    CREATE TABLE priced_lots (
      id bigint PRIMARY KEY REFERENCES lots ON DELETE CASCADE,
      auction_id bigint NOT NULL,
      category_id bigint,
      lot_number integer NOT NULL,
      status text NOT NULL,
      current_bid_cents numeric NOT NULL,
      starting_bid_cents numeric,
      live_end_time timestamptz,
      title text,
      condition text,
      state text,
      county text,
      postal_code text,
      zoning text,
      acres numeric(14,4),
      road_access boolean,
      water_access boolean,
      lat double precision,
      lng double precision,
      price_cents numeric NOT NULL,
      -- What a smallest unit of the currency is worth.
      unit numeric NOT NULL DEFAULT 1
    );
    CREATE INDEX priced_lots_by_bid ON priced_lots (status, current_bid_cents, id)
      INCLUDE (auction_id, state, acres, road_access, water_access);
    CREATE INDEX priced_lots_by_state ON priced_lots (status, lower(state), lot_number, id)
      INCLUDE (auction_id, state, acres, road_access, water_access, current_bid_cents);
    CREATE INDEX priced_lots_by_number ON priced_lots (status, lot_number, id) INCLUDE (auction_id, price_cents);
    CREATE INDEX priced_lots_by_price ON priced_lots (status, price_cents, id)
      INCLUDE (auction_id, state, acres, road_access, water_access);
    CREATE INDEX priced_lots_by_price_down ON priced_lots (status, price_cents DESC, id)
      INCLUDE (auction_id, state, acres, road_access, water_access);

    COMMENT ON TABLE priced_lots IS
      'What lists by price need of lots: amounts in hundredths of a whole unit, whatever their currency';
  `);
  await knex.raw(KEEPING);
}

const quoted = (codes: string) =>
  codes
    .split(' ')
    .map((code) => `'${code}'`)
    .join(', ');
const NONE = quoted('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf');
const THREE = quoted('bhd iqd jod kwd lyd omr tnd');

const PRICE = 'CASE WHEN l.bid_count > 0 THEN l.current_bid_cents ELSE l.starting_bid_cents END';

/** What bids do not change, and is filtered by. */
const PLAIN = [
  'id',
  'auction_id',
  'category_id',
  'lot_number',
  'status',
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
const PRICES = ['current_bid_cents', 'starting_bid_cents', 'price_cents', 'unit'];
const NAMES = [...PLAIN, ...PRICES];

/** A row's columns as they should be, of a lot `l`; `unit` is what a smallest unit of its currency is worth. */
const rowOf = (
  unit: string,
) => `${PLAIN.map((name) => `l.${name}`).join(', ')}, l.current_bid_cents * ${unit},
  l.starting_bid_cents * ${unit}, (${PRICE}) * ${unit}, ${unit}`;

/** The unit of a lot that has stayed in its auction is known: a bid looks up nothing. */
const UNIT = '(CASE WHEN p.auction_id = l.auction_id THEN p.unit ELSE currency_unit_of(l.auction_id) END)';

const KEEPING = `
  CREATE FUNCTION currency_hundredths(code text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN code IN (${NONE}) THEN 100 WHEN code IN (${THREE}) THEN 0.1 ELSE 1 END $$;
  COMMENT ON FUNCTION currency_hundredths IS 'Hundredths of a whole unit in the smallest unit of a currency';
  CREATE FUNCTION currency_unit_of(auction bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT currency_hundredths(currency) FROM auctions WHERE id = auction $$;
  CREATE FUNCTION priced_lots_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO priced_lots (${NAMES.join(', ')})
      SELECT ${rowOf('currency_hundredths(a.currency)')}
      FROM added l JOIN auctions a ON a.id = l.auction_id ORDER BY l.id;
      RETURN NULL;
    END $$;
  CREATE FUNCTION priced_lots_follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE priced_lots p SET (${NAMES.join(', ')}) = ROW (${rowOf(UNIT)}) FROM changed l
      WHERE p.id = l.id AND (${NAMES.map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${rowOf(UNIT)});
      RETURN NULL;
    END $$;
  CREATE TRIGGER lots_are_priced AFTER INSERT ON lots
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION priced_lots_add();
  CREATE TRIGGER lots_change_their_price AFTER UPDATE ON lots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION priced_lots_follow();
  CREATE FUNCTION priced_lots_recount() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE priced_lots p SET unit = currency_hundredths(NEW.currency),
        current_bid_cents = l.current_bid_cents * currency_hundredths(NEW.currency),
        starting_bid_cents = l.starting_bid_cents * currency_hundredths(NEW.currency),
        price_cents = (${PRICE}) * currency_hundredths(NEW.currency)
      FROM lots l WHERE l.auction_id = NEW.id AND p.id = l.id AND p.unit <> currency_hundredths(NEW.currency);
      RETURN NULL;
    END $$;
  CREATE TRIGGER auctions_change_their_currency AFTER UPDATE OF currency ON auctions
    FOR EACH ROW WHEN (OLD.currency <> NEW.currency) EXECUTE FUNCTION priced_lots_recount();
`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER lots_are_priced ON lots; DROP TRIGGER lots_change_their_price ON lots;
    DROP TRIGGER auctions_change_their_currency ON auctions; DROP TRIGGER lots_are_searched ON lots;
    DROP FUNCTION priced_lots_recount, priced_lots_follow, priced_lots_add, currency_unit_of, currency_hundredths;
    DROP FUNCTION lot_search_write; DROP FUNCTION lot_search_text(lots);
    DROP TABLE priced_lots, lot_search; DROP INDEX IF EXISTS auctions_title_trigrams;
  `);
}
