/**
 * Rows in Postgres' binary form, for COPY and for arrays of records: Postgres takes such values over as they are, where
 * it would search text for separators, parse numbers and moments, and look up every field of JSON by its name. A value
 * that its column cannot hold is refused here, as a TypeError or a RangeError.
 */

/** The types that columns have here, with the ids that are the same in every Postgres. */
const TYPE_IDS = { bigint: 20, integer: 23, text: 25, boolean: 16, timestamptz: 1184, jsonb: 3802 } as const;

export type ColumnType = keyof typeof TYPE_IDS;

/** A field of a row, its column's type, and the column's name where it is another. Moments are µs since 1970. */
export type Column<Row> = readonly [field: keyof Row & string, type: ColumnType, name?: string];

const COPY_SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Postgres counts from 2000 on. */
const POSTGRES_EPOCH_US = 946_684_800_000_000;
const MAX_INTEGER = 2 ** 31 - 1;
const HIGH_HALF = 2 ** 32;
/** Shorter texts are written character by character, which costs less than the call that writes a long one. */
const SHORT_TEXT = 40;
const FIRST_BYTES = 65_536;
/** Room that is kept for the next rows. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** The body of `COPY … (FORMAT binary)`, in memory that the next rows are written into: it is to be sent at once. */
export function copyBody<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  const writer = new BinaryWriter();
  writer.bytes(COPY_SIGNATURE);
  writer.int32(0);
  writer.int32(0);
  for (const row of rows) {
    writer.int16(columns.length);
    for (const [field, type] of columns) writer.field(type, row[field]);
  }
  writer.int16(-1);
  return writer.written();
}

/** A parameter that is an array of records; `pg` asks it for its bytes, and copies them at once. */
export type RecordArray<Row> = { readonly rows: readonly Row[]; toPostgres(): Buffer };

/** `typeId` is the id that this database gave the record's type, which has these columns in this order. */
export function recordArray<Row>(
  typeId: number,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): RecordArray<Row> {
  return { rows, toPostgres: () => arrayBody(typeId, columns, rows) };
}

function arrayBody<Row>(typeId: number, columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  const writer = new BinaryWriter();
  // One dimension, no nulls, counted from one.
  for (const head of [1, 0, typeId, rows.length, 1]) writer.int32(head);
  for (const row of rows) {
    const begin = writer.begin();
    writer.int32(columns.length);
    for (const [field, type] of columns) {
      writer.int32(TYPE_IDS[type]);
      writer.field(type, row[field]);
    }
    writer.end(begin);
  }
  return writer.written();
}

/** Large buffers are what makes V8 collect all of its memory, so there is one for all rows, one after another. */
let kept = Buffer.allocUnsafe(FIRST_BYTES);

class BinaryWriter {
  #buffer = kept;
  #view = viewOf(this.#buffer);
  #at = 0;

  /** Writes a value behind its length. */
  field(type: ColumnType, value: unknown): void {
    if (value === null || value === undefined) this.int32(-1);
    else if (type === 'text') this.#text(expectText(value));
    else if (type === 'jsonb') this.#json(value);
    else if (type === 'boolean') this.#boolean(value);
    else if (type === 'integer') this.#integer(expectWhole(value));
    else if (type === 'bigint') this.#int64(expectWhole(value));
    else this.#int64(expectWhole(value) - POSTGRES_EPOCH_US);
  }

  int16(value: number): void {
    this.#reserve(2);
    this.#view.setInt16(this.#at, value);
    this.#at += 2;
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Leaves room for a length, which `end` fills in. */
  begin(): number {
    this.int32(0);
    return this.#at;
  }

  end(begin: number): void {
    this.#view.setInt32(begin - 4, this.#at - begin);
  }

  written(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #int64(value: number): void {
    this.#reserve(12);
    this.#view.setInt32(this.#at, 8);
    const high = Math.floor(value / HIGH_HALF);
    this.#view.setInt32(this.#at + 4, high);
    this.#view.setUint32(this.#at + 8, value - high * HIGH_HALF);
    this.#at += 12;
  }

  #integer(value: number): void {
    if (value > MAX_INTEGER || value < -MAX_INTEGER)
      throw new RangeError(`${value} is out of range for an integer`);
    this.int32(4);
    this.int32(value);
  }

  #boolean(value: unknown): void {
    if (typeof value !== 'boolean') throw new TypeError(`${typeof value} in a column of booleans`);
    this.int32(1);
    this.#reserve(1);
    this.#buffer[this.#at] = value ? 1 : 0;
    this.#at += 1;
  }

  #json(value: unknown): void {
    const begin = this.begin();
    this.#reserve(1);
    // The form's version.
    this.#buffer[this.#at] = 1;
    this.#at += 1;
    this.#characters(JSON.stringify(value));
    this.end(begin);
  }

  #text(text: string): void {
    const begin = this.begin();
    this.#characters(text);
    this.end(begin);
  }

  #characters(text: string): void {
    // No character of a JavaScript string takes more than three bytes.
    this.#reserve(text.length * 3);
    if (text.length > SHORT_TEXT || !this.#isWrittenAsAscii(text))
      this.#at += this.#buffer.write(text, this.#at);
  }

  /** Writes a text unless it has other characters. */
  #isWrittenAsAscii(text: string): boolean {
    const buffer = this.#buffer;
    const at = this.#at;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      buffer[at + index] = code;
    }
    this.#at = at + text.length;
    return true;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
    this.#view = viewOf(larger);
    if (larger.length <= MAX_KEPT_BYTES) kept = larger;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function expectText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`${typeof value} in a column of texts`);
  return value;
}

function expectWhole(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`${typeof value} in a column of numbers`);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is out of range, or no whole number`);
  return value;
}
