/**
 * The columns that a CSV file of lots may have: the fields of `POST /seller/lots`, dotted inside `location`, `land`
 * and `custom_fields`, and `title_de` for a text in another language. One list, from which files are read, errors are
 * named and the command's help is printed.
 */
import { fieldsOf } from '../../shared/lot-field-lists.ts';
import type { CellKind, LotFieldGroup } from '../../shared/lot-fields.ts';
import { TRANSLATION_COLUMNS } from '../../shared/translations.ts';

export interface CsvColumn {
  readonly name: string;
  readonly kind: CellKind;
  /** What the cell may hold, for people. */
  readonly rule: string;
}

const column = (name: string, kind: CellKind, rule: string): CsvColumn => ({ name, kind, rule });

export const CSV_COLUMNS: readonly CsvColumn[] = [
  column('title', 'text', 'required; 1 to 300 characters'),
  column('starting_bid', 'amount', 'required but on a falling clock; at least 0.01, at most two decimals'),
  column('lot_number', 'number', '1 to 1,000,000, unique in the auction; default: the highest plus one'),
  ...columnsOf('about', ''),
  ...columnsOf('format', ''),
  column('reserve_price', 'amount', 'at least 0.01'),
  column('buy_now_price', 'amount', 'at least 0.01'),
  column('category_id', 'number', 'the id of a category; default: the auction’s'),
  column('consignor_id', 'number', 'the id of a user, who is then invited'),
  column('consignor', 'text', 'instead: the name of one of the team’s consignors'),
  column('status', 'text', '`draft` (the default) or `scheduled`'),
  ...columnsOf('location', 'location.'),
  ...columnsOf('land', 'land.'),
];

function columnsOf(group: LotFieldGroup, prefix: string): CsvColumn[] {
  return fieldsOf(group).flatMap(([name, { cell, rule }]) =>
    cell === 'languages'
      ? TRANSLATION_COLUMNS.map((said) => column(said.name, 'text', said.rule))
      : [column(prefix + name, cell, rule)],
  );
}

const SAID = new Map(TRANSLATION_COLUMNS.map(({ name, path }) => [name, path]));
const COLUMN_SAID = new Map(TRANSLATION_COLUMNS.map(({ name, path }) => [path.join('.'), name]));

/** Where in a lot's fields a column's cell goes. */
export function pathOfColumn(name: string): readonly string[] {
  const dot = name.indexOf('.');
  return SAID.get(name) ?? (dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)]);
}

/** The column whose cell a sentence about a field is about. */
export function columnOfField(field: string): string {
  return COLUMN_SAID.get(field) ?? field;
}

/** Before the name of a field of the category's schema, which says what its cells hold. */
export const CUSTOM_COLUMN = 'custom_fields.';

const BY_NAME = new Map(CSV_COLUMNS.map((one) => [one.name, one]));

/** How cells of a column are read; null for a name that is no column. Custom fields are read by their own type. */
export function kindOfColumn(name: string): CellKind | 'custom' | null {
  if (name.startsWith(CUSTOM_COLUMN)) return name.length > CUSTOM_COLUMN.length ? 'custom' : null;
  return BY_NAME.get(name)?.kind ?? null;
}
