/**
 * The columns that a CSV file of lots may have: the fields of `POST /seller/lots`, dotted inside `location`, `land`
 * and `custom_fields`. One list, from which files are read, complaints are made and docs/lots-csv.md is printed.
 */

/** How a cell is read. Lists are separated by semicolons; flags are `yes`, `no`, `true`, `false`, `1`, `0`. */
export type CellKind = 'text' | 'number' | 'amount' | 'flag' | 'list';

export interface CsvColumn {
  readonly name: string;
  readonly kind: CellKind;
  /** What the cell may hold, for people. */
  readonly rule: string;
}

const column = (name: string, kind: CellKind, rule: string): CsvColumn => ({ name, kind, rule });

export const CSV_COLUMNS: readonly CsvColumn[] = [
  column('title', 'text', 'required; 1 to 300 characters'),
  column('starting_bid', 'amount', 'required; at least 0.01, at most two decimals'),
  column('lot_number', 'number', '1 to 1,000,000, once in the auction; without it the highest and one'),
  column('sku', 'text', '1 to 100 characters'),
  column('description', 'text', 'at most 50,000 characters'),
  column('condition', 'text', 'at most 200 characters'),
  column('quantity', 'number', '1 or more; without it 1'),
  column('reserve_price', 'amount', 'at least 0.01'),
  column('buy_now_price', 'amount', 'at least 0.01'),
  column('category_id', 'number', 'the id of a category; without it the auction’s'),
  column('consignor_id', 'number', 'the id of a user, who is invited'),
  column('status', 'text', '`draft` (as without it) or `scheduled`'),
  column('location.address', 'text', 'at most 300 characters'),
  column('location.city', 'text', 'at most 120 characters'),
  column('location.county', 'text', 'at most 120 characters'),
  column('location.state', 'text', 'at most 120 characters'),
  column('location.postal_code', 'text', 'at most 20 characters'),
  column('location.country', 'text', 'ISO 3166-1, such as `US`'),
  column('location.lat', 'number', '-90 to 90, with `location.lng`'),
  column('location.lng', 'number', '-180 to 180, with `location.lat`'),
  column('land.acres', 'number', '0 or more, at most four decimals'),
  column('land.apn', 'text', 'at most 100 characters'),
  column('land.zoning', 'text', 'at most 100 characters'),
  column('land.road_access', 'flag', ''),
  column('land.utilities', 'list', 'at most 50, each of 1 to 60 characters'),
  column('land.water_access', 'flag', ''),
  column('land.mineral_rights', 'flag', ''),
];

/** Before the name of a field of the category's schema, which says what its cells hold. */
export const CUSTOM_COLUMN = 'custom_fields.';

const BY_NAME = new Map(CSV_COLUMNS.map((one) => [one.name, one]));

/** How cells of a column are read; null for a name that is no column. Custom fields are read by their own type. */
export function kindOfColumn(name: string): CellKind | 'custom' | null {
  if (name.startsWith(CUSTOM_COLUMN)) return name.length > CUSTOM_COLUMN.length ? 'custom' : null;
  return BY_NAME.get(name)?.kind ?? null;
}

/** The list as a table in Markdown, for docs/lots-csv.md. */
export function columnsAsMarkdown(): string {
  const rows = CSV_COLUMNS.map(({ name, kind, rule }) => `| \`${name}\` | ${kind} | ${rule} |`);
  return ['| column | takes | rule |', '|---|---|---|', ...rows].join('\n');
}
