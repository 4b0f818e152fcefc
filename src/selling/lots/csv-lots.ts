/**
 * Lots from a CSV file: the first row names fields as in `POST /seller/lots`, dotted inside `location`, `land` and
 * `custom_fields`; each further row is a lot. Cells are converted to their field's type; the lot's own checks report
 * what does not fit. Files are read in chunks, between which other work continues.
 */
import { finished } from 'node:stream/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { MAX_KEYS } from '../../../adapters/http/json-bounds.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { isObject } from '../../../engine/objects.ts';
import { InputError } from '../../shared/input-error.ts';
import { MAX_LOTS_PER_AUCTION } from '../../shared/lot.schema.ts';
import { CUSTOM_COLUMN, kindOfColumn, pathOfColumn } from './csv-columns.ts';

/**
 * A row of the file: the line that it ends on, and the lot's fields, or what is wrong with the row itself, by column.
 */
export interface CsvRow {
  readonly line: number;
  readonly fields: Record<string, unknown>;
  readonly wrong: Readonly<Record<string, readonly string[]>> | null;
}

/** What custom fields take, by name: a type of JSON Schema. */
export type CustomTypes = (categoryId: number | null) => ReadonlyMap<string, string>;

/** The lots of a file. */
export interface CsvLots {
  readonly total: number;
  /** Each is created when it is read, by a second reading: no file is held as values. */
  readonly rows: AsyncIterable<CsvRow>;
}

/**
 * Reads the whole file. `columns` says which field each column is where the first row does not, null for a column that
 * is passed over. Rejects with `InputError` for text that is no CSV, for columns that are no fields, and for more rows
 * than an auction has lots.
 */
export async function readCsvLots(
  text: string,
  customTypes: CustomTypes,
  columns: readonly (string | null)[] | null = null,
): Promise<CsvLots> {
  const { header: first, total } = await measureCsv(text, 0);
  const header = columns === null ? first : first.map((_, index) => columns[index] ?? null);
  checkHeader(header.filter((name) => name !== null));
  return { total, rows: lotsIn(text, { header, first, customTypes }) };
}

interface Columns {
  readonly header: readonly (string | null)[];
  readonly first: readonly string[];
  readonly customTypes: CustomTypes;
}

async function* lotsIn(text: string, { header, first, customTypes }: Columns): AsyncGenerator<CsvRow> {
  let isFirst = true;
  for await (const rows of rowsIn(text)) {
    for (const { record, line } of isFirst ? rows.slice(1) : rows)
      yield rowOf(header, first, record, line, customTypes);
    isFirst = false;
  }
}

/** Reads the whole file: its first row, the `shown` rows behind it, how many there are. Rejects with `InputError`. */
export async function measureCsv(text: string, shown: number): Promise<CsvMeasure> {
  const kept: RawRow[] = [];
  let count = 0;
  for await (const rows of rowsIn(text)) {
    count += rows.length;
    kept.push(...rows.slice(0, shown + 1 - kept.length));
  }
  const [first, ...rows] = kept;
  if (first === undefined) throw new InputError('file: has no rows; the first row must name the fields');
  return {
    header: first.record.map((name) => name.trim()),
    rows: rows.map(({ record, line }) => ({ line, cells: record })),
    total: count - 1,
  };
}

interface CsvMeasure {
  readonly header: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
  readonly total: number;
}

/** What reading another encoding as UTF-8 leaves behind: U+FFFD of Latin-1, NUL of UTF-16. */
function isOtherEncoding(text: string): boolean {
  return text.includes('\uFFFD') || text.includes('\0');
}

interface RawRow {
  readonly record: readonly string[];
  /** Where it ends in the file. */
  readonly line: number;
}

/** So much is read at once; between two pieces others have their turn. */
const PIECE_BYTES = 2 * 1024;
const MAX_ROW_BYTES = 1024 * 1024;

/** The rows of a file piece by piece, no more than an auction has lots; the first row names the fields. */
async function* rowsIn(text: string): AsyncGenerator<RawRow[]> {
  if (isOtherEncoding(text)) throw new InputError('file: is not UTF-8; save it as CSV UTF-8');
  let rows: RawRow[] = [];
  let count = 0;
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    on_record(record: string[], { lines }) {
      if (record.length > MAX_KEYS) throw tooManyColumns(lines);
      count += 1;
      if (count > MAX_LOTS_PER_AUCTION + 1) throw tooManyRows();
      rows.push({ record, line: lines });
      return null;
    },
  });
  // Whoever has written the piece is told too.
  parser.on('error', () => {});
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += PIECE_BYTES) {
      await writePiece(parser, bytes.subarray(at, at + PIECE_BYTES));
      if (at + PIECE_BYTES > bytes.length) await endOf(parser);
      if (rows.length > 0) yield rows;
      rows = [];
      await breathe();
    }
  } catch (error) {
    if (error instanceof CsvError) throw new InputError(`file: is not valid CSV: ${error.message}`);
    throw error;
  } finally {
    parser.destroy();
  }
}

function writePiece(parser: Parser, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
}

async function endOf(parser: Parser): Promise<void> {
  parser.resume().end();
  await finished(parser);
}

function tooManyRows(): InputError {
  return new InputError(
    `file: has more than ${MAX_LOTS_PER_AUCTION} rows, as many lots as an auction may have`,
  );
}

function tooManyColumns(line: number): InputError {
  return new InputError(`file: line ${line}: has more than ${MAX_KEYS} columns, as many as a file may have`);
}

/** One of the columns of each line. */
const REQUIRED = [['title'], ['starting_bid', 'start_price']] as const;

function checkHeader(header: readonly string[]): void {
  const unknown = header.filter((name) => kindOfColumn(name) === null);
  if (unknown.length > 0) {
    const names = unknown.map((name) => (name === '' ? '(no name)' : name)).join(', ');
    throw new InputError(
      `file: line 1: has columns that are not fields: ${names}; “rostrum lots import --help” lists them all`,
    );
  }
  const doubled = header.filter((name, index) => header.indexOf(name) !== index);
  if (doubled.length > 0) throw new InputError(`file: line 1: names columns twice: ${doubled.join(', ')}`);
  const missing = REQUIRED.filter((names) => !names.some((name) => header.includes(name))).map(
    ([name]) => name,
  );
  if (missing.length > 0) throw new InputError(`file: line 1: lacks the columns ${missing.join(', ')}`);
}

function rowOf(
  header: readonly (string | null)[],
  named: readonly string[],
  record: readonly string[],
  line: number,
  customTypes: CustomTypes,
): CsvRow {
  const wrong = wrongLength(
    header.map((name, index) => name ?? named[index] ?? ''),
    record,
  );
  if (wrong !== null) return { line, fields: {}, wrong };
  const fields: Record<string, unknown> = {};
  const cells = header.flatMap((name, index) =>
    name === null ? [] : [[name, itemAt(record, index).trim()] as const],
  );
  const category = cells.find(([name]) => name === 'category_id')?.[1];
  const types = customTypes(/^[1-9][0-9]{0,14}$/.test(category ?? '') ? Number(category) : null);
  for (const [name, cell] of cells) {
    // An empty cell says nothing of its field.
    if (cell !== '') put(fields, name, readCell(cell, kindOf(name, types)));
  }
  return { line, fields, wrong: null };
}

/** So many columns that a row lacks are named: a report is not much longer than the file. */
const MAX_LACKING = 20;

/** A row with too few cells is reported with the columns that it lacks, one with too many by the last column. */
function wrongLength(header: readonly string[], record: readonly string[]): CsvRow['wrong'] {
  if (record.length === header.length) return null;
  const cells = `has ${record.length} cells where the first row has ${header.length}`;
  const lacking = header.slice(record.length);
  if (lacking.length === 0)
    return { [itemAt(header, -1)]: [`The row continues after this column: it ${cells}.`] };
  const named = lacking.slice(0, MAX_LACKING);
  return Object.fromEntries(named.map((name) => [name, [`The row ends before this column: it ${cells}.`]]));
}

function kindOf(name: string, types: ReadonlyMap<string, string>): string {
  const kind = kindOfColumn(name);
  if (kind === 'custom') return types.get(name.slice(CUSTOM_COLUMN.length)) ?? 'string';
  if (kind === 'flag') return 'boolean';
  return kind === 'list' ? 'array' : (kind ?? 'string');
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
  const path = pathOfColumn(name);
  let inner: unknown = fields;
  for (const head of path.slice(0, -1)) {
    if (!isObject(inner)) return;
    if (!Object.hasOwn(inner, head)) define(inner, head, {});
    inner = inner[head];
  }
  if (isObject(inner)) define(inner, itemAt(path, -1), value);
}

function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
