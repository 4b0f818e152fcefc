/**
 * Whole tables as lines of JSON, read in one snapshot and written back in one transaction. Postgres makes and reads the
 * JSON itself, so that every value returns as it was; nothing is parsed on the way.
 */
import type { Knex } from 'knex';

const AT_ONCE = 1_000;
/** What migrations make by themselves, and which processes run. */
const NOT_DUMPED = ['knex_migrations', 'knex_migrations_lock', 'schema_indexes', 'journal_writers'];

/** The tables, by name. */
export async function tablesOf(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> ALL(?::text[])
      ORDER BY tablename`,
    [NOT_DUMPED],
  );
  return rows.map(({ name }) => name);
}

/** About how many rows all tables hold together, as Postgres last counted them. */
export async function estimatedRows(knex: Knex): Promise<number> {
  const { rows } = await knex.raw<{ rows: { rows: number }[] }>(
    `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> ALL(?::text[])`,
    [NOT_DUMPED],
  );
  return Math.round(rows[0]?.rows ?? 0);
}

/** The rows of a table, a thousand at a time. `trx` has to stay open; its snapshot is what is read. */
export async function* readTable(trx: Knex, table: string): AsyncGenerator<string[]> {
  const columns = await columnsOf(trx, table);
  await trx.raw(`DECLARE dump NO SCROLL CURSOR FOR
    SELECT row_to_json(t)::text AS line FROM (SELECT ${columns} FROM ${quoted(table)}) t`);
  for (;;) {
    const { rows } = await trx.raw<{ rows: { line: string }[] }>(`FETCH ${AT_ONCE} FROM dump`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await trx.raw('CLOSE dump');
}

/** Writes rows as they were read. */
export async function writeRows(trx: Knex, table: string, lines: readonly string[]): Promise<void> {
  const columns = await columnsOf(trx, table);
  await trx.raw(
    `INSERT INTO ${quoted(table)} (${columns}) OVERRIDING SYSTEM VALUE
      SELECT ${columns} FROM json_populate_recordset(NULL::${quoted(table)}, ?::json)`,
    [`[${lines.join(',')}]`],
  );
}

/**
 * Runs `load` with every table empty, no trigger and no reference between tables in the way; afterwards all of them
 * hold again, or it throws. Ids continue above the highest.
 */
export async function loadingTables(trx: Knex, load: () => Promise<void>): Promise<void> {
  const tables = await tablesOf(trx);
  const { rows: references } = await trx.raw<{ rows: { table: string; name: string; definition: string }[] }>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
      FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  for (const { table, name } of references)
    await trx.raw(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`);
  for (const table of tables) await trx.raw(`ALTER TABLE ${quoted(table)} DISABLE TRIGGER USER`);
  await trx.raw(`TRUNCATE ${tables.map(quoted).join(', ')}`);
  await load();
  for (const table of tables) await trx.raw(`ALTER TABLE ${quoted(table)} ENABLE TRIGGER USER`);
  for (const { table, name, definition } of references)
    await trx.raw(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`);
  await moveSequences(trx);
  await renumberTransactions(trx);
}

async function moveSequences(trx: Knex): Promise<void> {
  const { rows } = await trx.raw<{ rows: { table: string; column: string; sequence: string }[] }>(
    `SELECT c.table_name AS table, c.column_name AS column,
        pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) AS sequence
      FROM information_schema.columns c WHERE c.table_schema = current_schema()
        AND pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) IS NOT NULL`,
  );
  // By a whole step: one that goes up by many may leave the numbers between to somebody.
  for (const { table, column, sequence } of rows)
    await trx.raw(
      `SELECT setval(seqrelid, greatest(seqstart,
         coalesce((SELECT max(${quoted(column)}) FROM ${quoted(table)}), 0) + seqincrement), false)
       FROM pg_sequence WHERE seqrelid = ?::regclass`,
      [sequence],
    );
}

/**
 * Transaction ids of another server mean nothing here, only their order does: they become the first numbers there
 * are, and this server's own are taken up to above them.
 */
async function renumberTransactions(trx: Knex): Promise<void> {
  const columns = await transactionColumns(trx);
  if (columns.length === 0) return;
  const union = columns.map(({ table, column }) => `SELECT ${column}::text::numeric AS tx FROM ${table}`);
  await trx.raw(`CREATE TEMP TABLE renumbered ON COMMIT DROP AS
    SELECT tx, row_number() OVER (ORDER BY tx) + 2 AS number FROM (${union.join(' UNION ')}) u WHERE tx IS NOT NULL`);
  for (const { table, column, type } of columns)
    await trx.raw(`UPDATE ${table} t SET ${column} = r.number::text::${type} FROM renumbered r
      WHERE t.${column}::text::numeric = r.tx`);
}

/** The highest transaction id that a table names; 0 where none does. */
export async function newestTransactionId(trx: Knex): Promise<number> {
  const newest = (await transactionColumns(trx)).map(
    ({ table, column }) => `SELECT max(${column}::text::numeric) AS tx FROM ${table}`,
  );
  if (newest.length === 0) return 0;
  const { rows } = await trx.raw<{ rows: { tx: string }[] }>(
    `SELECT coalesce(max(tx), 0) AS tx FROM (${newest.join(' UNION ALL ')}) u`,
  );
  return Number(rows[0]?.tx ?? 0);
}

/**
 * Takes up transaction ids until that one is behind; a million take some ten seconds. Call it outside of a
 * transaction, before what names the ids is committed.
 */
export async function passTransactionIds(knex: Knex, last: number): Promise<void> {
  await knex.raw(`DO $$
    BEGIN
      WHILE pg_current_xact_id()::text::numeric <= ${last} LOOP
        PERFORM set_config('synchronous_commit', 'off', true);
        COMMIT;
      END LOOP;
    END $$`);
}

interface TransactionColumn {
  /** Quoted, as the column. */
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** Columns that hold transaction ids, by their type or, where they are plain numbers, by their name. */
async function transactionColumns(knex: Knex): Promise<TransactionColumn[]> {
  const { rows } = await knex.raw<{ rows: TransactionColumn[] }>(
    `SELECT quote_ident(c.table_name) AS table, quote_ident(c.column_name) AS column, c.udt_name AS type
      FROM information_schema.columns c
      JOIN pg_tables t ON t.schemaname = c.table_schema AND t.tablename = c.table_name
      WHERE c.table_schema = current_schema()
        AND (c.udt_name = 'xid8' OR (c.udt_name = 'int8' AND c.column_name = 'tx'))`,
  );
  return rows;
}

async function columnsOf(knex: Knex, table: string): Promise<string> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ? AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );
  return rows.map(({ name }) => quoted(name)).join(', ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
