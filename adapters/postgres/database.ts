/**
 * Opens Postgres through Knex. `backends.ts`, the command line and the tests call it. Every connection speaks UTC,
 * has bounded statement and connection times, and reads `timestamptz` as ISO 8601 with microseconds, `int8` as a
 * number and `numeric` as a string, so that no moment and no cent is rounded on the way.
 */

import type { Knex } from 'knex';
import knexModule from 'knex';
import type pg from 'pg';
import { messageOf } from '../../engine/thrown.ts';
import { typeParserOf } from './column-types.ts';
import { addressesOf, primaryOf, withoutCredentials } from './primary-host.ts';

export interface Database {
  readonly knex: Knex;
  /** The address as it was given; holds the password, so it is never printed. */
  readonly url: string;
  /** Resolves when Postgres answers; throws `DatabaseUnreachableError` otherwise. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connections at most; 10 when not given. */
  readonly max?: number;
  /** A statement that takes longer is cancelled; 0 never. 30 s when not given. */
  readonly statementTimeoutMs?: number;
  /** Waiting for a connection of the pool or for the server; 10 s when not given. */
  readonly connectTimeoutMs?: number;
}

/** Postgres cannot be reached or lets us in nowhere. The message names the address without its password. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';
}

/** Opens a pool lazily: no connection is made before the first query (or `ready()`). */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const addresses = addressesOf(url);
  const knex = knexModule.default({
    client: 'pg',
    connection: {
      connectionString: addresses[0] ?? url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: 'rostrum',
      types: { getTypeParser: typeParserOf },
    },
    acquireConnectionTimeout: connectTimeoutMs,
    log: SILENT,
    pool: {
      min: 0,
      max: options.max ?? 10,
      afterCreate: sessionSettings(options.statementTimeoutMs ?? 30_000),
    },
  });
  if (addresses.length > 1) followPrimary(knex.client, url);
  let closed: Promise<void> | null = null;
  return {
    knex,
    url,
    ready: () => assertReachable(knex, url),
    close: () => {
      closed ??= knex.destroy();
      return closed;
    },
  };
}

/** What is used of Knex' client. */
interface ConnectingClient {
  readonly connectionSettings: { connectionString: string };
  acquireRawConnection(): Promise<pg.Client>;
}

/** Each new connection goes to the host that takes writes then. */
function followPrimary(client: ConnectingClient, url: string): void {
  const connect = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => {
    client.connectionSettings.connectionString = await primaryOf(url);
    return connect();
  };
}

/** Errors reach the caller by themselves; Knex would print them a second time. */
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

type Done = (error: Error | null, connection: pg.Client) => void;

/** Plain SET statements rather than start-up parameters: those are refused by common connection poolers. */
function sessionSettings(statementTimeoutMs: number) {
  const sql =
    `SET TIME ZONE 'UTC'; SET datestyle TO 'ISO'; SET statement_timeout TO ${statementTimeoutMs}; ` +
    `SET idle_in_transaction_session_timeout TO 60000; ` +
    // Our statements are over before compiling them would have been; and rows anywhere on today's disks cost about
    // the same.
    `SET jit TO off; SET random_page_cost TO 1.1; ` +
    // Misspelt searches: the default of 0.6 forgives next to nothing. Where there is no pg_trgm this names nothing.
    `SET pg_trgm.word_similarity_threshold TO 0.4`;
  return (connection: pg.Client, done: Done): void => {
    connection.query(sql).then(
      () => done(null, connection),
      (error: Error) => done(error, connection),
    );
  };
}

async function assertReachable(knex: Knex, url: string): Promise<void> {
  try {
    await knex.raw('select 1');
  } catch (error) {
    throw new DatabaseUnreachableError(`cannot reach Postgres at ${addressOf(url)}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** `host:port/database` of a Postgres address, without user and password. */
export function addressOf(url: string): string {
  if (addressesOf(url).length > 1) return withoutCredentials(url);
  try {
    const parsed = new URL(url);
    const host = parsed.searchParams.get('host') ?? parsed.host;
    return `${host}${parsed.pathname}`;
  } catch {
    return 'the given address';
  }
}
