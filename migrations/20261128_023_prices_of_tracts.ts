/**
 * The price that lists go by is the one that they show: the current bid, else the starting bid, also of a tract that was
 * bid on with others only, which has bids and no current one. What an acre costs goes by what the lot comes to, where
 * amounts are for one unit of it.
 */
import type { Knex } from 'knex';

/** As the table has them, in the order of its function's columns; what bids do not change comes first. */
const PLAIN = [
  ...[
    'id',
    'auction_id',
    'category_id',
    'lot_number',
    'status',
    'live_end_time',
    'title',
    'condition',
    'state',
  ],
  ...['county', 'postal_code', 'zoning', 'acres', 'road_access', 'water_access', 'lat', 'lng'],
];
const PRICES = ['current_bid_cents', 'starting_bid_cents', 'price_cents', 'unit'];

const PRICE = 'coalesce(nullif(l.current_bid_cents, 0), l.starting_bid_cents)';
/** How many of what its price is for a lot has. */
const PRICED_UNITS = `CASE WHEN l.bid_per = 'unit' THEN coalesce(l.units, 1) ELSE 1 END`;

/** Before this migration. */
const FORMER_PRICE = 'CASE WHEN l.bid_count > 0 THEN l.current_bid_cents ELSE l.starting_bid_cents END';

interface Row {
  readonly names: readonly string[];
  /** The columns' values of a lot `l`; `unit` is what a smallest unit of its currency is worth. */
  readonly of: (unit: string) => string;
  readonly price: string;
}

const plain = PLAIN.map((name) => `l.${name}`).join(', ');
const pricesOf = (unit: string, price: string) =>
  `l.current_bid_cents * ${unit}, l.starting_bid_cents * ${unit}, (${price}) * ${unit}, ${unit}`;

const NOW: Row = {
  names: [...PLAIN, ...PRICES, 'priced_units'],
  of: (unit) => `${plain}, ${pricesOf(unit, PRICE)}, ${PRICED_UNITS}`,
  price: PRICE,
};
const FORMER: Row = {
  names: [...PLAIN, ...PRICES],
  of: (unit) => `${plain}, ${pricesOf(unit, FORMER_PRICE)}`,
  price: FORMER_PRICE,
};

/** The unit of a lot that has stayed in its auction is known: a bid looks up nothing. */
const UNIT = '(CASE WHEN p.auction_id = l.auction_id THEN p.unit ELSE currency_unit_of(l.auction_id) END)';

const keeping = ({ names, of, price }: Row) => `
  CREATE OR REPLACE FUNCTION priced_lots_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO priced_lots (${names.join(', ')})
      SELECT ${of('currency_hundredths(a.currency)')}
      FROM added l JOIN auctions a ON a.id = l.auction_id ORDER BY l.id;
      RETURN NULL;
    END $$;
  CREATE OR REPLACE FUNCTION priced_lots_follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE priced_lots p SET (${names.join(', ')}) = ROW (${of(UNIT)}) FROM changed l
      WHERE p.id = l.id AND (${names.map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${of(UNIT)});
      RETURN NULL;
    END $$;
  CREATE OR REPLACE FUNCTION priced_lots_recount() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE priced_lots p SET unit = currency_hundredths(NEW.currency),
        current_bid_cents = l.current_bid_cents * currency_hundredths(NEW.currency),
        starting_bid_cents = l.starting_bid_cents * currency_hundredths(NEW.currency),
        price_cents = (${price}) * currency_hundredths(NEW.currency)
      FROM lots l WHERE l.auction_id = NEW.id AND p.id = l.id AND p.unit <> currency_hundredths(NEW.currency);
      RETURN NULL;
    END $$;
`;

/** Gives tracts that were bid on with others only their price by this rule. */
const repriced = (price: string) => `
  UPDATE priced_lots p SET price_cents = (${price}) * p.unit FROM lots l
  WHERE p.id = l.id AND l.bid_count > 0 AND l.current_bid_cents = 0;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE priced_lots ADD COLUMN priced_units numeric NOT NULL DEFAULT 1;
    COMMENT ON COLUMN priced_lots.priced_units IS 'How many of what the price is for the lot has';
    ${keeping(NOW)}
    ${repriced(PRICE)}
    UPDATE priced_lots p SET priced_units = l.units FROM lots l
    WHERE p.id = l.id AND l.bid_per = 'unit' AND l.units IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${keeping(FORMER)}
    ${repriced(FORMER_PRICE)}
    ALTER TABLE priced_lots DROP COLUMN priced_units;
  `);
}
