/**
 * What describes a lot and no bid changes: one line for each field, and the only place that names it. What sellers
 * may send, columns, CSV files, answers and the lot's page all follow from here; a new field is a line and a
 * migration. `title`, `lot_number` and `custom_fields` have rules of their own and are not in the list.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { BID_PER, formatUnitCount, parseUnitCount } from '../../engine/lot/units.ts';
import { Amount, line, nullable, oneOf, orNull, text, UnitCount } from './fields.schema.ts';
import {
  LotTranslations,
  LotTranslationsInput,
  storedTranslations,
  type Translations,
} from './translations.ts';

const NO_WORDS: string[] = [];
const NO_TRANSLATIONS: Translations = {};

const CatalogNumber = Type.String({
  pattern: '^[1-9][0-9]{0,5}[A-Za-z]{0,2}$',
  'x-message': 'must be a number with at most two letters behind it, such as "12A"',
});

/** Which price the winner of a tender pays. */
const TENDER_PAYS = ['own', 'second'] as const;

/**
 * How a cell of a CSV file is read. Lists are separated by semicolons; flags are `yes`, `no`, `true`, `false`; what is
 * said in `languages` has a column for each text.
 */
export type CellKind = 'text' | 'number' | 'amount' | 'flag' | 'list' | 'languages';

/**
 * How lists are filtered by it: `word` by the whole of it in any case, `flag` by yes or no, `range` by `min_` and
 * `max_`.
 */
export type FilterKind = 'word' | 'flag' | 'range';

/** `C`: what the column holds. */
export interface LotField<I extends TSchema = TSchema, O extends TSchema = TSchema, C = unknown> {
  /** As the lot's page calls it. */
  readonly label: string;
  /** What a seller may send; `null` empties it. */
  readonly input: I;
  /** What is answered. */
  readonly output: O;
  /** The column where nothing was said. */
  readonly empty: C;
  readonly cell: CellKind;
  /** What a cell may hold, for people. */
  readonly rule: string;
  /** Without it, lists are not filtered by it. */
  readonly filteredBy?: FilterKind;
  /** Reads the column, prefixed by its table, as JSON has it. Without it, it is what Postgres makes of it. */
  readonly jsonSql?: (column: string) => string;
  /** What is stored of what was sent. Without it, the same. */
  stored?(sent: NonNullable<Static<I>>): C;
  /** What is answered of what is stored. Without it, the same. */
  shown?(stored: NonNullable<C>): Static<O>;
}

const words = (label: string, maxLength: number, filteredBy?: 'word') =>
  field(label, nullable(text(maxLength)), orNull(Type.String()), {
    empty: none<string>(),
    cell: 'text',
    rule: `at most ${grouped(maxLength)} characters`,
    ...(filteredBy === undefined ? {} : { filteredBy }),
  });

const amountText = (label: string) =>
  field(label, nullable(Amount), orNull(Type.String()), {
    empty: none<string>(),
    cell: 'amount',
    rule: 'an amount such as `1250.00`',
    jsonSql: (column) => `${column}::text`,
    stored: (amount) => withCents(String(amount)),
  });

const whole = (label: string, minimum: number, maximum: number) =>
  field(label, nullable(Type.Integer({ minimum, maximum })), orNull(Type.Integer()), {
    empty: none<number>(),
    cell: 'number',
    rule: `${minimum} to ${grouped(maximum)}`,
  });

const seconds = (label: string, minimum: number) => whole(label, minimum, 86_400);

const flag = (label: string, filteredBy?: 'flag') =>
  field(label, nullable(Type.Boolean()), orNull(Type.Boolean()), {
    empty: none<boolean>(),
    cell: 'flag',
    rule: '',
    ...(filteredBy === undefined ? {} : { filteredBy }),
  });

const coordinate = (label: string, max: number, other: string) =>
  field(label, nullable(Type.Number({ minimum: -max, maximum: max })), orNull(Type.Number()), {
    empty: none<number>(),
    cell: 'number',
    rule: `-${max} to ${max}, with \`location.${other}\``,
  });

/** By place in bodies and answers: `about` and, of one format each, `format` at the top, then `location`, `land`. */
export const LOT_FIELDS = {
  about: {
    catalog_number: field('Catalog number', nullable(CatalogNumber), orNull(Type.String()), {
      empty: none<string>(),
      cell: 'text',
      rule: 'a number with at most two letters behind it, such as `12A`; shown instead of the lot number',
      stored: (number) => number.toUpperCase(),
    }),
    sku: field('SKU', nullable(line(100)), orNull(Type.String()), {
      empty: none<string>(),
      cell: 'text',
      rule: '1 to 100 characters',
    }),
    description: words('Description', 50_000),
    condition: words('Condition', 200, 'word'),
    translations: field('In other languages', LotTranslationsInput, LotTranslations, {
      empty: NO_TRANSLATIONS,
      cell: 'languages',
      rule: '',
      stored: storedTranslations,
    }),
    quantity: field('Quantity', Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), Type.Integer(), {
      empty: 1,
      cell: 'number',
      rule: '1 or more; default: 1',
    }),
    units: field('Units', nullable(UnitCount), orNull(Type.String()), {
      empty: none<string>(),
      cell: 'text',
      rule: 'above 0, at most four decimals',
      jsonSql: (column) => `${column}::text`,
      stored: (units) => formatUnitCount(parseUnitCount(units) ?? 0),
    }),
    unit_name: field('What a unit is called', nullable(line(20)), orNull(Type.String()), {
      empty: none<string>(),
      cell: 'text',
      rule: '`acre`, `hectare`, `head`, `tonne`, `each`, or 1 to 20 characters of your own',
    }),
    bid_per: field('Amounts are for', oneOf(BID_PER), oneOf(BID_PER), {
      empty: wordOf(BID_PER, 'lot'),
      cell: 'text',
      rule: '`lot` (the default), or `unit`, which needs `units`: then all amounts of the lot are for one unit',
    }),
    close_group: field('Closes with the group', nullable(line(64)), orNull(Type.String()), {
      empty: none<string>(),
      cell: 'text',
      rule: '1 to 64 characters; lots with the same one close together (timed auctions)',
      stored: (name) => name.trim(),
    }),
    choice_group: field('Offered with the group', nullable(line(64)), orNull(Type.String()), {
      empty: none<string>(),
      cell: 'text',
      rule: '1 to 64 characters; lots with the same one are offered together (simulcast auctions)',
      stored: (name) => name.trim(),
    }),
    estimate_low: amountText('Low estimate'),
    estimate_high: amountText('High estimate'),
    photos: field(
      'Its photographs’ files',
      Type.Array(line(255), { maxItems: 200 }),
      Type.Array(Type.String()),
      {
        empty: NO_WORDS,
        cell: 'list',
        rule: 'names of files, such as `plough-1.jpg`, in their order, by which uploaded pictures find the lot',
      },
    ),
  },
  format: {
    start_price: amountText('Start price'),
    step: amountText('Step'),
    step_seconds: seconds('Seconds a step', 1),
    floor_price: amountText('Floor price'),
    floor_seconds: seconds('Seconds at the floor', 0),
    tender_may_lower: flag('A new bid may be lower'),
    tender_may_withdraw: flag('Bids may be taken back'),
    tender_pays: field('The winner pays', nullable(oneOf(TENDER_PAYS)), orNull(oneOf(TENDER_PAYS)), {
      empty: none<(typeof TENDER_PAYS)[number]>(),
      cell: 'text',
      rule: '`own` (the default), or `second`: the second highest bid',
    }),
    tender_final_round: whole('Bidders in the final round', 2, 20),
    tender_final_seconds: whole('Seconds of the final round', 1, 604_800),
  },
  location: {
    address: words('Address', 300),
    city: words('City', 120),
    county: words('County', 120, 'word'),
    state: words('State', 120, 'word'),
    postal_code: words('Postal code', 20, 'word'),
    country: field(
      'Country',
      nullable(
        Type.String({ pattern: '^[A-Z]{2}$', 'x-message': 'must be an ISO 3166-1 code such as "US"' }),
      ),
      orNull(Type.String()),
      { empty: none<string>(), cell: 'text', rule: 'ISO 3166-1, such as `US`' },
    ),
    lat: coordinate('Latitude', 90, 'lng'),
    lng: coordinate('Longitude', 180, 'lat'),
  },
  land: {
    acres: field(
      'Acres',
      nullable(Type.Number({ minimum: 0, maximum: 9_999_999_999 })),
      orNull(Type.Number()),
      {
        empty: none<string>(),
        cell: 'number',
        rule: '0 or more, at most four decimals',
        filteredBy: 'range',
        jsonSql: (column) => `${column}::float8`,
        stored: (acres) => acres.toFixed(4),
        shown: Number,
      },
    ),
    apn: words('Parcel number', 100),
    zoning: words('Zoning', 100, 'word'),
    road_access: flag('Road access', 'flag'),
    utilities: field('Utilities', Type.Array(line(60), { maxItems: 50 }), Type.Array(Type.String()), {
      empty: NO_WORDS,
      cell: 'list',
      rule: 'at most 50, each of 1 to 60 characters',
    }),
    water_access: flag('Water access', 'flag'),
    mineral_rights: flag('Mineral rights'),
  },
} as const;

/** A group's place in bodies and answers. */
export type LotFieldGroup = keyof typeof LOT_FIELDS;

type Columns<G extends LotFieldGroup> = {
  [N in keyof (typeof LOT_FIELDS)[G]]: (typeof LOT_FIELDS)[G][N] extends { empty: infer C } ? C : never;
};

/** The columns that hold them: each is named as its field. */
export interface LotFieldColumns
  extends Columns<'about'>,
    Columns<'format'>,
    Columns<'location'>,
    Columns<'land'> {}

function field<I extends TSchema, O extends TSchema, C>(
  label: string,
  input: I,
  output: O,
  rest: Omit<LotField<I, O, C>, 'label' | 'input' | 'output'>,
): LotField<I, O, C> {
  return { label, input, output, ...rest };
}

/** One of the words, with the type of the whole choice. */
function wordOf<T extends string>(_words: readonly T[], word: T): T {
  return word;
}

function none<T>(): T | null {
  return null;
}

/** An amount with two decimals at least. */
export function withCents(amount: string): string {
  const [whole = '', rest = ''] = amount.split('.');
  return `${whole}.${rest.padEnd(2, '0')}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
