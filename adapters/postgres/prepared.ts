/**
 * Runs statements that are parsed and planned once per connection, with rows as arrays: the fast way for the public
 * lists. It borrows a connection of the Knex pool, so limits, session settings and type parsers are those of every
 * other query.
 */
import { hash } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';

/** A statement with `$1` … and its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Planned again for its values every time: where the best plan depends on them. */
  readonly once?: boolean;
}

/** Each combination of filters has its own text; beyond this many, the rarer ones are parsed every time. */
const MAX_NAMES = 500;
const names = new Map<string, string>();

/** The rows, each an array of its columns in order. Throws what Postgres throws. */
export async function runPrepared<Row extends readonly unknown[]>(
  knex: Knex,
  statement: Statement,
): Promise<Row[]> {
  const query: pg.QueryArrayConfig = { ...named(statement), rowMode: 'array' };
  return withConnection(knex, async (connection) => {
    const { rows } = await connection.query<[...Row]>(query);
    return rows;
  });
}

/** As `runPrepared`, the rows as objects. */
export async function readPrepared<Row extends object>(knex: Knex, statement: Statement): Promise<Row[]> {
  return withConnection(knex, async (connection) => (await connection.query<Row>(named(statement))).rows);
}

async function withConnection<T>(knex: Knex, work: (connection: pg.Client) => Promise<T>): Promise<T> {
  const connection: pg.Client = await knex.client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await knex.client.releaseConnection(connection);
  }
}

function named({ text, values, once }: Statement): pg.QueryConfig {
  const name = once === true ? null : nameOf(text);
  return { ...(name === null ? {} : { name }), text, values: [...values] };
}

function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES) return null;
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
