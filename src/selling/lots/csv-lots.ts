/**
 * Lots out of a CSV file: the first row names fields as `POST /seller/lots` has them, dotted inside `location`, `land` and
 * `custom_fields`; each further row is a lot. Cells become what their field takes; what does not fit is left to the lot's own checks.
 */
import { CsvError, type Info, parse } from 'csv-parse/sync';
import { InputError } from '../../shared/input-error.ts';
import { LandInput, LocationInput, lotFields } from '../../shared/lot.schema.ts';

/** A row of the file: the line that it ends on, and the lot's fields, or what is wrong with the row itself. */
export interface CsvRow {
  readonly line: number;
  readonly fields: Record<string, unknown>;
  readonly wrong: string | null;
}

/** What custom fields take, by name: a type of JSON Schema. */
export type CustomTypes = (categoryId: number | null) => ReadonlyMap<string, string>;

const NESTED = { location: LocationInput.properties, land: LandInput.properties } as const;
const PLAIN = new Set([...Object.keys(lotFields), 'category_id', 'consignor_id', 'status']);
const NUMBERS = new Set([
  'lot_number',
  'quantity',
  'category_id',
  'consignor_id',
  'location.lat',
  'location.lng',
  'land.acres',
]);
const FLAGS = new Set(['land.road_access', 'land.water_access', 'land.mineral_rights']);
const LISTS = new Set(['land.utilities']);
const CUSTOM = 'custom_fields.';

/** Reads the whole file. Throws `InputError` for text that is no CSV, and for a first row that names what is no field. */
export function readCsvLots(text: string, customTypes: CustomTypes): CsvRow[] {
  const records = parseCsv(text);
  const header = records[0]?.record.map((name) => name.trim());
  if (header === undefined) throw new InputError('file: has no rows; the first names the fields');
  checkHeader(header);
  return records.slice(1).map(({ record, info }) => rowOf(header, record, info.lines, customTypes));
}

function parseCsv(text: string): { record: string[]; info: Info }[] {
  try {
    const options = { bom: true, info: true, skip_empty_lines: true, relax_column_count: true } as const;
    return parse(text, options) as unknown as { record: string[]; info: Info }[];
  } catch (error) {
    if (error instanceof CsvError) throw new InputError(`file: is no CSV: ${error.message}`);
    throw error;
  }
}

function checkHeader(header: readonly string[]): void {
  const unknown = header.filter((name) => !isField(name));
  if (unknown.length > 0) throw new InputError(`file: has columns that are no fields: ${unknown.join(', ')}`);
  const doubled = header.filter((name, index) => header.indexOf(name) !== index);
  if (doubled.length > 0) throw new InputError(`file: has columns twice: ${doubled.join(', ')}`);
}

function isField(name: string): boolean {
  if (name.startsWith(CUSTOM)) return name.length > CUSTOM.length;
  const [head = '', tail, ...more] = name.split('.');
  if (tail === undefined) return PLAIN.has(head) && !['location', 'land', 'custom_fields'].includes(head);
  return more.length === 0 && Object.hasOwn(NESTED, head) && Object.hasOwn(NESTED[head as 'land'], tail);
}

function rowOf(
  header: readonly string[],
  record: readonly string[],
  line: number,
  customTypes: CustomTypes,
): CsvRow {
  if (record.length !== header.length) {
    const wrong = `has ${record.length} cells where the first row has ${header.length}`;
    return { line, fields: {}, wrong };
  }
  const fields: Record<string, unknown> = {};
  const cells = header.map((name, index) => [name, record[index]!.trim()] as const);
  const category = cells.find(([name]) => name === 'category_id')?.[1];
  const types = customTypes(/^[1-9][0-9]{0,14}$/.test(category ?? '') ? Number(category) : null);
  for (const [name, cell] of cells) {
    // An empty cell says nothing of its field.
    if (cell !== '') put(fields, name, readCell(cell, kindOf(name, types)));
  }
  return { line, fields, wrong: null };
}

function kindOf(name: string, types: ReadonlyMap<string, string>): string {
  if (name.startsWith(CUSTOM)) return types.get(name.slice(CUSTOM.length)) ?? 'string';
  if (NUMBERS.has(name)) return 'number';
  if (FLAGS.has(name)) return 'boolean';
  return LISTS.has(name) ? 'array' : 'string';
}

const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

function readCell(cell: string, kind: string): unknown {
  if (kind === 'number' || kind === 'integer') {
    return /^-?[0-9]+(\.[0-9]+)?$/.test(cell) ? Number(cell) : cell;
  }
  if (kind === 'boolean') {
    const word = cell.toLowerCase();
    return Object.hasOwn(FLAG_WORDS, word) ? FLAG_WORDS[word] : cell;
  }
  if (kind !== 'array') return cell;
  return cell
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Own properties only, whatever the name: `__proto__` is a field like any other, and refused as such. */
function put(fields: Record<string, unknown>, name: string, value: unknown): void {
  const dot = name.indexOf('.');
  if (dot < 0) define(fields, name, value);
  else {
    const head = name.slice(0, dot);
    if (!Object.hasOwn(fields, head)) define(fields, head, {});
    define(fields[head] as Record<string, unknown>, name.slice(dot + 1), value);
  }
}

function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
