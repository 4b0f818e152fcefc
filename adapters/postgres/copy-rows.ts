/**
 * Writes many rows of one table by COPY, which costs Postgres a good third less than the same rows as JSON: it reads
 * plain text, and puts them there many at a time. In a transaction only, and always new rows: COPY updates nothing.
 */
import type { Knex } from 'knex';
import type pg from 'pg';

export type CopyValue = string | number | boolean | null;

/**
 * Throws what Postgres throws, and the transaction is broken then, as after any statement that failed. Texts are sent
 * as they are: what Postgres does not hold is refused.
 */
export async function copyRows(
  trx: Knex.Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly CopyValue[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const text = `${rows.map(lineOf).join('\n')}\n`;
  const connection: pg.Client = await trx.client.acquireConnection();
  await new Promise<void>((resolve, reject) => {
    const statement = `COPY ${table} (${columns.join(', ')}) FROM STDIN`;
    connection.query(new Copy(statement, text, (error) => (error === null ? resolve() : reject(error))));
  });
}

/** What pg's own connections have alongside what their published type says. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

/** A query as pg's client runs it, which calls these methods by name. */
class Copy implements pg.Submittable {
  readonly statement: string;
  readonly text: string;
  readonly callback: (error: Error | null) => void;

  constructor(statement: string, text: string, callback: (error: Error | null) => void) {
    this.statement = statement;
    this.text = text;
    this.callback = callback;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.text));
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

const SPECIAL = /[\\\t\n\r]/;
const EVERY_SPECIAL = /[\\\t\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Joined rather than added up piece by piece, which took twice the time. */
function lineOf(row: readonly CopyValue[]): string {
  return row.map(fieldOf).join('\t');
}

function fieldOf(value: CopyValue): string | number {
  switch (typeof value) {
    case 'string':
      return SPECIAL.test(value)
        ? value.replaceAll(EVERY_SPECIAL, (found) => ESCAPED[found] ?? found)
        : value;
    case 'number':
      return value;
    case 'boolean':
      return value ? 't' : 'f';
    default:
      return '\\N';
  }
}
