/**
 * Amounts are integers of their currency's smallest unit: cents, whole yen, fils. Until here those of every currency
 * were hundredths. What no bid and no bill has made final is written anew: drafts of auctions, and plans. Where lots
 * of such a currency are in the journal, or money was billed in it, this stops before anything is changed: nobody can
 * know whether a provider that was asked for a hundred times too much was told of yen or of hundredths.
 *
 * Lists compare lots by the figure on their cards, so the table that they are ordered by keeps hundredths of a whole
 * unit, whatever the currency. Offers say which currency they are in.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await requireNothingFinal(knex);
  await knex.raw(`
    CREATE FUNCTION currency_hundredths(code text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT CASE WHEN code IN (${NONE}) THEN 100 WHEN code IN (${THREE}) THEN 0.1 ELSE 1 END $$;
    COMMENT ON FUNCTION currency_hundredths IS 'Hundredths of a whole unit in the smallest unit of a currency';

    ALTER TABLE offers ADD COLUMN currency text;
    UPDATE offers o SET currency = a.currency FROM auctions a WHERE a.id = o.auction_id;
    ALTER TABLE offers ALTER currency SET NOT NULL;
  `);
  await knex.raw(RESCALE);
  await knex.raw(`
    DROP TRIGGER lots_are_priced ON lots; DROP TRIGGER lots_change_their_price ON lots;
    DROP FUNCTION priced_lots_add(); DROP FUNCTION priced_lots_follow();
    ALTER TABLE priced_lots ALTER current_bid_cents TYPE numeric, ALTER starting_bid_cents TYPE numeric,
      ALTER price_cents TYPE numeric, ADD COLUMN unit numeric NOT NULL DEFAULT 1;
    COMMENT ON TABLE priced_lots IS
      'What lists by price need of lots: amounts in hundredths of a whole unit, whatever their currency';
    UPDATE priced_lots p SET unit = currency_hundredths(a.currency),
      current_bid_cents = l.current_bid_cents * currency_hundredths(a.currency),
      starting_bid_cents = l.starting_bid_cents * currency_hundredths(a.currency),
      price_cents = (${PRICE}) * currency_hundredths(a.currency)
    FROM lots l JOIN auctions a ON a.id = l.auction_id WHERE l.id = p.id AND currency_hundredths(a.currency) <> 1;
  `);
  await knex.raw(KEEPING);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER auctions_change_their_currency ON auctions; DROP FUNCTION priced_lots_recount();
    DROP TRIGGER lots_are_priced ON lots; DROP TRIGGER lots_change_their_price ON lots;
    DROP FUNCTION priced_lots_add(); DROP FUNCTION priced_lots_follow(); DROP FUNCTION currency_unit_of(bigint);
    ALTER TABLE priced_lots DROP unit, ALTER current_bid_cents TYPE bigint, ALTER starting_bid_cents TYPE bigint,
      ALTER price_cents TYPE bigint;
    ALTER TABLE offers DROP currency;
    DROP FUNCTION currency_hundredths(text);
  `);
  const names = NAMES.filter((name) => name !== 'unit').join(', ');
  const row = `${PLAIN.map((name) => `l.${name}`).join(', ')}, l.current_bid_cents, l.starting_bid_cents, ${PRICE}`;
  await knex.raw(`
    CREATE FUNCTION priced_lots_add() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO priced_lots (${names}) SELECT ${row} FROM added l ORDER BY l.id; RETURN NULL; END $$;
    CREATE FUNCTION priced_lots_follow() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN UPDATE priced_lots p SET (${names}) = ROW (${row}) FROM changed l WHERE p.id = l.id; RETURN NULL; END $$;
    ${TRIGGERS}
  `);
}

const quoted = (codes: string) =>
  codes
    .split(' ')
    .map((code) => `'${code}'`)
    .join(', ');
const NONE = quoted('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf');
const THREE = quoted('bhd iqd jod kwd lyd omr tnd');
const OTHER = `${NONE}, ${THREE}`;

async function requireNothingFinal(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { what: string }[] }>(`
    SELECT 'auction ' || a.id || ' (' || a.currency || ') is published' AS what FROM auctions a
    WHERE a.currency IN (${OTHER}) AND (a.record_version > 0 OR a.status NOT IN ('draft', 'cancelled'))
    UNION ALL SELECT 'invoice ' || invoice_number || ' is in ' || currency FROM invoices WHERE currency IN (${OTHER})
    UNION ALL SELECT 'lot ' || l.id || ' is offered for a part of a ' || a.currency
    FROM lots l JOIN auctions a ON a.id = l.auction_id
    WHERE a.currency IN (${NONE}) AND (l.starting_bid_cents % 100 <> 0 OR coalesce(l.reserve_price_cents, 0) % 100 <> 0
      OR coalesce(l.buy_now_price_cents, 0) % 100 <> 0)
    ORDER BY 1 LIMIT 20`);
  if (rows.length === 0) return;
  throw new Error(
    `amounts of currencies without cents cannot be carried over: ${rows.map(({ what }) => what).join('; ')}`,
  );
}

/** In the order of dependence: nothing here is in a journal. */
const RESCALE = `
  UPDATE lots l SET starting_bid_cents = l.starting_bid_cents / currency_hundredths(a.currency),
    reserve_price_cents = l.reserve_price_cents / currency_hundredths(a.currency),
    buy_now_price_cents = l.buy_now_price_cents / currency_hundredths(a.currency)
  FROM auctions a WHERE a.id = l.auction_id AND a.currency IN (${OTHER});
  UPDATE registrations r SET bid_limit_cents = r.bid_limit_cents / currency_hundredths(a.currency)
  FROM auctions a WHERE a.id = r.auction_id AND a.currency IN (${OTHER}) AND r.bid_limit_cents IS NOT NULL;
  UPDATE auctions SET registration_deposit_cents = registration_deposit_cents / currency_hundredths(currency),
    registration_bid_limit_cents = registration_bid_limit_cents / currency_hundredths(currency),
    increments = (SELECT jsonb_agg(jsonb_build_object(
        'from_cents', ((band->>'from_cents')::bigint / currency_hundredths(currency))::bigint,
        'increment_cents', greatest(1, ((band->>'increment_cents')::bigint / currency_hundredths(currency))::bigint))
      ORDER BY at) FROM jsonb_array_elements(increments) WITH ORDINALITY AS bands (band, at))
  WHERE currency IN (${OTHER});
  UPDATE plans SET price_monthly_cents = price_monthly_cents / currency_hundredths(currency),
    price_yearly_cents = price_yearly_cents / currency_hundredths(currency)
  WHERE currency IN (${OTHER});
`;

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

const TRIGGERS = `
CREATE TRIGGER lots_are_priced AFTER INSERT ON lots
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION priced_lots_add();
  CREATE TRIGGER lots_change_their_price AFTER UPDATE ON lots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION priced_lots_follow();`;

/** The unit of a lot that has stayed in its auction is known: a bid looks up nothing. */
const UNIT = '(CASE WHEN p.auction_id = l.auction_id THEN p.unit ELSE currency_unit_of(l.auction_id) END)';

const KEEPING = `
  CREATE FUNCTION currency_unit_of(auction bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT currency_hundredths(currency) FROM auctions WHERE id = auction $$;
  CREATE FUNCTION priced_lots_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO priced_lots (${NAMES.join(', ')})
      SELECT ${rowOf('currency_hundredths(a.currency)')} FROM added l JOIN auctions a ON a.id = l.auction_id ORDER BY l.id;
      RETURN NULL;
    END $$;
  CREATE FUNCTION priced_lots_follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE priced_lots p SET (${NAMES.join(', ')}) = ROW (${rowOf(UNIT)}) FROM changed l
      WHERE p.id = l.id AND (${NAMES.map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${rowOf(UNIT)});
      RETURN NULL;
    END $$;
  ${TRIGGERS}
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
