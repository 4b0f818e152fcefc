/**
 * A database whose connection is cut at a chosen statement, as it is when the process behind it is killed: before the
 * statement goes out, or after its reply came in but before anybody could act on it.
 */
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';

export interface Cut {
  /** Counted from 0 over all statements of the connection after its settings, BEGIN and COMMIT included. */
  readonly statement: number;
  readonly when: 'before' | 'after';
}

export interface CutDatabase extends Database {
  /** The statement at which it was cut, or null as long as it was not. */
  cutAt(): string | null;
}

interface RawConnection {
  query(...args: unknown[]): unknown;
  connection: { stream: { destroy(): void } };
}

interface KnexClient {
  acquireRawConnection(): Promise<RawConnection>;
}

export function databaseCutAt(url: string, cut: Cut): CutDatabase {
  const database = openDatabase(url, { max: 1 });
  const client = database.knex.client as KnexClient;
  const connect = client.acquireRawConnection.bind(client);
  let at: string | null = null;
  let count = -SETTINGS;
  client.acquireRawConnection = async () => {
    const connection = await connect();
    const query = connection.query.bind(connection);
    connection.query = (...args: unknown[]) => {
      const mine = count++ === cut.statement;
      if (!mine) return query(...args);
      at = textOf(args[0]);
      const callback = args.at(-1);
      if (cut.when === 'before' || typeof callback !== 'function') {
        connection.connection.stream.destroy();
        return query(...args);
      }
      return query(...args.slice(0, -1), () => {
        connection.connection.stream.destroy();
        (callback as (error: Error) => void)(new Error('the connection was cut'));
      });
    };
    return connection;
  };
  return { ...database, cutAt: () => at };
}

/** The statement that a new connection begins with. */
const SETTINGS = 1;

function textOf(query: unknown): string {
  const text =
    typeof query === 'string' ? query : String((query as { text?: string; sql?: string }).text ?? '');
  return text.trim().split(/\s+/).slice(0, 4).join(' ');
}
