/**
 * Makes the lots of a CSV file in an auction by the rules of `POST /seller/lots`, all of them or none: every row that
 * does not fit is reported, by line and column. The command line calls it.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Guard, SchemaCompiler } from '../../../adapters/http/validate.ts';
import { ValidationErrors } from '../../../adapters/http/validation-errors.ts';
import { objectIn } from '../../../engine/objects.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { requireNewLotStatus } from '../../bidding/records/lot-changes.ts';
import { publishAuction } from '../../bidding/records/publishing.ts';
import { requireSealing } from '../../bidding/records/sealing-keys.ts';
import { Category } from '../../catalog/categories/category.model.ts';
import { readJoinedSchemas } from '../../catalog/categories/joined-schemas.ts';
import { InputError } from '../../shared/input-error.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { Refusal } from '../../shared/refusal.ts';
import { columnOfField, pathOfColumn } from './csv-columns.ts';
import { type CustomTypes, readCsvLots } from './csv-lots.ts';
import { NewLotBody } from './seller-lot.schema.ts';
import { createLot } from './seller-lots.ts';

export interface BadRow {
  /** The line of the file that the row ends on; the first, with the names of the columns, is line 1. */
  readonly line: number;
  /** Sentences by column; `row` where no column is to blame. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** What the file says in these columns, where that was asked for. */
  readonly values?: Readonly<Record<string, string>>;
}

export interface ImportedLots {
  readonly auction_id: number;
  readonly rows: number;
  readonly created: readonly { readonly line: number; readonly lot_id: number }[];
  readonly failed: readonly BadRow[];
}

export interface ImportOptions {
  /** What it throws takes everything back. */
  readonly onProgress?: (done: number, total: number) => void | Promise<void>;
  /** Which field each column is, where the first row does not say it; null: the column is passed over. */
  readonly columns?: readonly (string | null)[];
  /** Says of each refused cell what it holds. */
  readonly quotes?: boolean;
  /** Only says what would happen. */
  readonly dryRun?: boolean;
  /** What is written with the lots, in their transaction. */
  readonly onTaken?: (trx: Knex.Transaction) => Promise<void>;
}

/**
 * Imports a file's text: all of its lots, or, where any row does not fit, none. Throws `InputError` for an auction
 * that is not there and a file that is no list of lots, and the journal's faults.
 */
export async function importLots(
  parts: LiveParts,
  auctionId: number,
  text: string,
  { onProgress, columns, dryRun = false, quotes = false, onTaken }: ImportOptions = {},
): Promise<ImportedLots> {
  const auction = await Auction.query(parts.knex)
    .findById(auctionId)
    .select('team_id', 'category_id', 'status', 'format');
  if (auction === undefined) throw new InputError(`auction: there is no auction ${auctionId}`);
  const types = await customTypesOf(parts.knex, auction.category_id);
  const { rows, total } = await readCsvLots(text, types, columns);
  const check = new SchemaCompiler().checkOf(NewLotBody, 'lot');
  const seller: Seller = { teamId: auction.team_id, userId: null, isStaff: false };
  const created: { line: number; lot_id: number }[] = [];
  const failed: BadRow[] = [];
  const whole = { auction_id: auctionId, rows: total };
  try {
    await parts.knex.transaction(async (trx) => {
      const inTransaction = { ...parts, knex: trx };
      let done = 0;
      for await (const row of rows) {
        const lot = { auction_id: auctionId, ...row.fields };
        const made = row.wrong ?? (await makeLot(inTransaction, seller, auction, lot, check));
        if (typeof made === 'number') created.push({ line: row.line, lot_id: made });
        else
          failed.push({
            line: row.line,
            errors: made,
            ...(quotes ? { values: quoted(row.fields, Object.keys(made)) } : {}),
          });
        done += 1;
        await onProgress?.(done, total);
        // Rows that are refused by their form alone wait for nothing.
        if (done % ROWS_AT_ONCE === 0) await breathe();
      }
      if (failed.length > 0 || dryRun) throw new NothingTaken();
      await onTaken?.(trx);
    });
  } catch (error) {
    if (error instanceof NothingTaken) return { ...whole, created: [], failed };
    throw error;
  }
  await publishAuction(parts, auctionId);
  return { ...whole, created, failed };
}

const MAX_QUOTED = 100;

/** What the fields of a row hold, by their columns. */
function quoted(fields: object, columns: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const column of columns) {
    const value = pathOfColumn(column).reduce<unknown>((found, part) => objectIn(found)[part], fields);
    if (value === undefined || value === null) continue;
    const text = Array.isArray(value) ? value.join('; ') : String(value);
    values[column] = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  }
  return values;
}

/** How many rows are checked before other work may run. */
const ROWS_AT_ONCE = 10;

/** Takes the transaction back; what is wrong has been noted. */
class NothingTaken extends Error {
  override readonly name = 'NothingTaken';
}

/**
 * The lot's id, or what is wrong with the row, by column. A savepoint for each row lets the others be checked all the
 * same.
 */
async function makeLot(
  parts: LiveParts,
  seller: Seller,
  auction: Pick<Auction, 'status' | 'format'>,
  lot: unknown,
  check: Guard<typeof NewLotBody>,
): Promise<number | BadRow['errors']> {
  const errors = new ValidationErrors();
  if (!check(lot, errors)) return byColumn(errors.toErrors());
  try {
    const { status, ...plain } = lot;
    requireNewLotStatus(status);
    if (status === 'scheduled') {
      const who = await whosOf(parts.knex, seller, { lock: true });
      requireAllowed(AUCTION_POLICY, 'publish_lot', auction.status, who);
      requireSealing(parts.engine, auction.format);
    }
    const lotId = await createLot(parts, seller, plain);
    // It goes under the engine with all others, once they are taken.
    if (status === 'scheduled') await Lot.query(parts.knex).findById(lotId).patch({ status });
    return lotId;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'overloaded') throw error;
    if (error.errors !== undefined) return byColumn(error.errors);
    return { [error.code === 'invalid_transition' ? 'status' : 'row']: [error.message] };
  }
}

/** What is wrong with fields, by the columns that say them. */
function byColumn(errors: BadRow['errors']): BadRow['errors'] {
  return Object.fromEntries(
    Object.entries(errors).map(([field, sentences]) => [columnOfField(field), sentences]),
  );
}

/** What every category's custom fields take; rows without a category have their auction's. */
async function customTypesOf(knex: Knex, inherited: number | null): Promise<CustomTypes> {
  const categories = await Category.query(knex).select('id');
  const ids = categories.map(({ id }) => id);
  const types = new Map<number, ReadonlyMap<string, string>>();
  for (const [id, joined] of await readJoinedSchemas(knex, ids)) {
    const properties = Object.entries(objectIn(joined['properties']));
    types.set(
      id,
      new Map(properties.map(([name, property]) => [name, String(objectIn(property)['type'] ?? 'string')])),
    );
  }
  return (categoryId) => types.get(categoryId ?? inherited ?? 0) ?? new Map();
}
