/**
 * What the desk needs from the selling context to import lots from a file, passed in by `app`; and the guess which
 * column of a file is which field.
 */
import type { Knex } from 'knex';

export interface ImportColumn {
  readonly name: string;
  /** What its cells may hold, for people. */
  readonly rule: string;
}

export interface BadRow {
  readonly line: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly values?: Readonly<Record<string, string>>;
}

export interface ImportRun {
  readonly onProgress: (done: number, total: number) => Promise<void>;
  readonly columns: readonly (string | null)[];
  readonly dryRun: boolean;
  readonly onTaken: (trx: Knex.Transaction) => Promise<void>;
}

export interface ShownRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface MeasuredFile {
  readonly header: readonly string[];
  readonly rows: readonly ShownRow[];
  readonly total: number;
}

export interface LotImporter {
  readonly columns: readonly ImportColumn[];
  /**
   * The first row of a text, the `shown` rows behind it, and how many those are. Rejects with `InputError` for text
   * that is no CSV, or has more columns or rows than a file may have.
   */
  measure(text: string, shown: number): Promise<MeasuredFile>;
  /** All lots of the text, or none. Throws `InputError` for columns that do not do. */
  run(auctionId: number, text: string, run: ImportRun): Promise<{ readonly failed: readonly BadRow[] }>;
}

/** Other words for fields, as files of other programs have them. */
const ALIASES: Readonly<Record<string, string>> = {
  lot: 'lot_number',
  lot_no: 'lot_number',
  number: 'lot_number',
  name: 'title',
  start: 'starting_bid',
  start_price: 'starting_bid',
  starting_price: 'starting_bid',
  opening_bid: 'starting_bid',
  reserve: 'reserve_price',
  buy_now: 'buy_now_price',
  qty: 'quantity',
  details: 'description',
  consignor_name: 'consignor',
  owner: 'consignor',
  vendor: 'consignor',
};

/**
 * For each column of a file the field that it seems to be, each field once; null: none. `labelsOf`: what people call a
 * field.
 */
export function guessColumns(
  header: readonly string[],
  fields: readonly string[],
  labelsOf: (field: string) => readonly string[],
): (string | null)[] {
  const free = new Set(fields);
  const called = new Map(
    [...fields]
      .reverse()
      .flatMap((field) => labelsOf(field).map((label) => [label.toLowerCase(), field] as const)),
  );
  const take = (name: string | undefined) => (name !== undefined && free.delete(name) ? name : null);
  return header.map((title) => {
    const words = title
      .trim()
      .toLowerCase()
      .replaceAll(/[^a-z0-9.]+/g, '_')
      .replaceAll(/^_|_$/g, '');
    const inside = fields.find((field) => field.includes('.') && field.split('.')[1] === words);
    const labelled = called.get(title.trim().toLowerCase());
    return take(title.trim()) ?? take(words) ?? take(labelled) ?? take(ALIASES[words]) ?? take(inside);
  });
}
