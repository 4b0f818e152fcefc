/**
 * Writes many rows of one table by COPY in Postgres' binary form, which costs Postgres half as much as the same rows as
 * JSON: nothing is parsed, and rows are put there many at a time. In a transaction only, and always new rows: COPY
 * updates nothing.
 */
import type { Knex } from 'knex';
import type pg from 'pg';
import { type Column, copyBody } from './binary-rows.ts';

/**
 * Throws what Postgres throws, and the transaction is broken then, as after any statement that failed. Texts are sent
 * as they are: what Postgres does not hold is refused.
 */
export async function copyRows<Row>(
  trx: Knex.Transaction,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = columns.map(([field, , name = field]) => name);
  const statement = `COPY ${table} (${names.join(', ')}) FROM STDIN (FORMAT binary)`;
  const body = copyBody(columns, rows);
  const connection: pg.Client = await trx.client.acquireConnection();
  await new Promise<void>((resolve, reject) => {
    const copy = new Copy(statement, body, rows, (error) => (error === null ? resolve() : reject(error)));
    connection.query(copy);
  });
}

/** What pg's own connections have alongside what their published type says. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

/** A query as pg's client runs it, which calls these methods by name. */
class Copy<Row> implements pg.Submittable {
  readonly statement: string;
  readonly body: Buffer;
  /** What the body says. */
  readonly rows: readonly Row[];
  readonly callback: (error: Error | null) => void;

  constructor(
    statement: string,
    body: Buffer,
    rows: readonly Row[],
    callback: (error: Error | null) => void,
  ) {
    this.statement = statement;
    this.body = body;
    this.rows = rows;
    this.callback = callback;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.body);
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
