/**
 * Runs statements that are parsed and planned once per connection, with rows as arrays: the fast way for the public lists. It
 * borrows a connection of the Knex pool, so limits, session settings and type parsers are those of every other query.
 */
import { hash } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';

/** A statement with `$1` … and its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Each combination of filters is a text of its own; beyond this many, the rarer ones are parsed every time. */
const MOST_NAMES = 500;
const names = new Map<string, string>();

/** The rows, each an array of its columns in order. Throws what Postgres throws. */
export async function runPrepared<Row extends readonly unknown[]>(
  knex: Knex,
  { text, values }: Statement,
): Promise<Row[]> {
  const name = nameOf(text);
  const connection = (await knex.client.acquireConnection()) as pg.Client;
  try {
    const query: pg.QueryArrayConfig = { text, values: [...values], rowMode: 'array' };
    if (name !== null) query.name = name;
    const { rows } = await connection.query(query);
    return rows as unknown as Row[];
  } finally {
    await knex.client.releaseConnection(connection);
  }
}

function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST_NAMES) return null;
  const name = `r_${hash('sha1', text, 'hex')}`;
  names.set(text, name);
  return name;
}

/** Collects the values of a statement while its text is put together. */
export class Values {
  readonly list: unknown[] = [];

  /** The placeholder of a value. */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}
