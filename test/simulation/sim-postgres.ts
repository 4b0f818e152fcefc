/**
 * As much of Postgres as the projection relies on: atomic transactions, rows that others see only after the commit, a
 * lock on the position's row, unique keys, connections that break at any statement. SQL is recognised by its beginning
 * and executed by hand; whether it is valid is for the tests on a real server.
 */
import type { Database } from '../../adapters/postgres/database.ts';
import type { BidRow, EntryRow } from '../../src/bidding/projection/pending-writes.ts';
import type { Machine } from './machine.ts';
import type { Network, Server } from './network.ts';
import { answerQuery, copyInto, lockOf, locksOf, type Query, runStatement } from './statements.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface PositionRow {
  readonly stream_id: string;
  readonly messages: number;
}

export interface EventRow {
  readonly event_key: string;
  readonly type: string;
  readonly lot_id: number | null;
  /** Of a run of bids: each by position, its id first. */
  readonly bids: string | null;
}

/**
 * How the projection begins to look for what Postgres refuses. Nothing that the rules make is ever refused, so nothing
 * has to be searched for.
 */
const SEARCHING = /^\s*SELECT set_config\('lock_timeout', .*'statement_timeout'/;

/** Rows over the committed ones until the transaction ends. */
class Table<Row> {
  readonly committed: Map<string, Row>;
  readonly own = new Map<string, Row>();

  constructor(committed: Map<string, Row>) {
    this.committed = committed;
  }

  get(key: string | number): Row | undefined {
    return this.own.get(String(key)) ?? this.committed.get(String(key));
  }

  put(key: string | number, row: Row): void {
    this.own.set(String(key), row);
  }

  /** Throws where there is such a row already. */
  add(name: string, key: string | number, row: Row): void {
    if (this.get(key) !== undefined) throw new Error(`duplicate key ${key} in ${name}`);
    this.put(key, row);
  }
}

class Rows {
  readonly entries = new Map<string, EntryRow>();
  readonly bids = new Map<string, BidRow>();
  readonly states = new Map<string, Record<string, unknown>>();
  readonly lots = new Map<string, Record<string, unknown>>();
  readonly auctions = new Map<string, { status: string; record_version: number }>();
  readonly registrations = new Map<string, Record<string, unknown>>();
  readonly events = new Map<string, EventRow>();
  readonly positions = new Map<string, PositionRow>();
  readonly invoices = new Map<string, { lot_id: number; winner: number | null; cents: number }>();
}

export type Tables = { [Name in keyof Rows]: Table<Rows[Name] extends Map<string, infer Row> ? Row : never> };

/** What a connection is handed for a COPY. */
interface SentCopy {
  readonly statement: string;
  readonly rows: readonly unknown[];
  readonly callback: (error: Error | null) => void;
}

export class PostgresUnavailable extends Error {
  override readonly name = 'PostgresUnavailable';
}

export class SimPostgres implements Server {
  readonly name = 'postgres';
  isUnavailable = false;
  readonly timeoutUs = 3_000_000;
  readonly rows = new Rows();
  readonly #locks = new Map<string, { holder: Transaction; waiting: (() => void)[] }>();
  readonly time: VirtualTime;
  readonly trace: Trace;

  constructor(time: VirtualTime, trace: Trace) {
    this.time = time;
    this.trace = trace;
  }

  fault(why: string): Error {
    return new PostgresUnavailable(why);
  }

  /** The pool of a machine, as far as the projection uses one. */
  databaseFor(machine: Machine, network: Network): Database {
    const query = (table: string) =>
      answerQuery(table, (wanted) =>
        network.call(machine, this, wanted.table, () => {
          const reading = new Transaction(this);
          return reading.query(wanted);
        }),
      );
    const transaction = <T>(work: (trx: unknown) => Promise<T>) => this.#transaction(machine, network, work);
    const raw = (sql: string, bindings: readonly unknown[] = []) =>
      network.call(machine, this, sql.slice(0, 30), () => new Transaction(this).statement(sql, bindings));
    return { knex: Object.assign(query, { transaction, raw }), url: 'simulated' } as unknown as Database;
  }

  async #transaction<T>(machine: Machine, network: Network, work: (trx: unknown) => Promise<T>): Promise<T> {
    const own = new Transaction(this);
    // A server notices a dead client after a while; until then its locks hold.
    machine.whenKilled(() => this.time.after(50_000, () => own.rollBack()));
    const call = async <R>(label: string, run: () => R | Promise<R>): Promise<R> => {
      try {
        return await network.call(machine, this, label, () => own.whileOpen(run));
      } catch (error) {
        own.rollBack();
        throw error;
      }
    };
    const query = (table: string) =>
      answerQuery(table, (wanted) => call(wanted.table, () => own.query(wanted)));
    const raw = (sql: string, bindings: readonly unknown[] = []) => {
      if (SEARCHING.test(sql)) this.trace.fail('the projection takes an entry for unwritable');
      return call(sql.trimStart().slice(0, 30), () => own.statement(sql, bindings));
    };
    const connection = { query: (copy: SentCopy) => void copying(copy) };
    const copying = ({ statement, rows, callback }: SentCopy) =>
      call(statement.slice(0, 30), () => copyInto(own.tables, statement, rows)).then(
        () => callback(null),
        (error: Error) => callback(error),
      );
    const client = { acquireConnection: async () => connection };
    const nested = () => {
      throw new PostgresUnavailable('there are no savepoints here');
    };
    try {
      const fn = { now: () => null };
      const result = await work(Object.assign(query, { raw, client, transaction: nested, fn }));
      await network.call(machine, this, 'commit', () => own.commit());
      return result;
    } catch (error) {
      if (own.committed) this.trace.count('commit_unknown');
      own.rollBack();
      throw error;
    }
  }

  /** Waits until nobody else holds the lock. */
  lock(key: string, by: Transaction): Promise<void> {
    const lock = this.#locks.get(key);
    if (lock === undefined) this.#locks.set(key, { holder: by, waiting: [] });
    else if (lock.holder !== by) {
      return new Promise((resolve) => {
        lock.waiting.push(() => {
          lock.holder = by;
          resolve();
        });
      });
    }
    return Promise.resolve();
  }

  /** Takes the lock unless somebody else has it. */
  tryLock(key: string, by: Transaction): boolean {
    const lock = this.#locks.get(key);
    if (lock === undefined) this.#locks.set(key, { holder: by, waiting: [] });
    return lock === undefined || lock.holder === by;
  }

  /** Passes a transaction's locks on to waiting ones. */
  release(by: Transaction): void {
    for (const [key, lock] of this.#locks) {
      if (lock.holder !== by) continue;
      const next = lock.waiting.shift();
      if (next === undefined) this.#locks.delete(key);
      else next();
    }
  }
}

class Transaction {
  readonly tables: Tables;
  committed = false;
  #over = false;
  readonly #postgres: SimPostgres;

  constructor(postgres: SimPostgres) {
    this.#postgres = postgres;
    const tables = Object.entries(postgres.rows).map(([name, rows]) => [name, new Table(rows)]);
    this.tables = Object.fromEntries(tables) as Tables;
  }

  whileOpen<R>(run: () => R): R {
    if (this.#over) throw new Error('the transaction is over');
    return run();
  }

  async query(wanted: Query): Promise<unknown> {
    if (wanted.lock !== null) await this.#postgres.lock(wanted.lock, this);
    if (this.#over) {
      this.#postgres.release(this);
      throw new Error('the transaction is over');
    }
    return wanted.run(this.tables);
  }

  async statement(sql: string, bindings: readonly unknown[]): Promise<{ rows: unknown[] }> {
    const { waits, skips } = locksOf(this.tables, sql, bindings);
    for (const key of waits) await this.#postgres.lock(key, this);
    const free = skips.filter((shard) => this.#postgres.tryLock(lockOf(shard), this));
    if (this.#over) {
      this.#postgres.release(this);
      throw new Error('the transaction is over');
    }
    return runStatement(this.tables, sql, skips.length === 0 ? bindings : [free]);
  }

  commit(): void {
    if (this.#over) throw new Error('the transaction is over');
    for (const { committed, own } of Object.values(this.tables) as Table<unknown>[])
      for (const [key, row] of own) committed.set(key, row);
    this.committed = true;
    this.#postgres.trace.note(`postgres commits ${this.tables.entries.own.size} entries`);
    this.#end();
  }

  rollBack(): void {
    if (!this.#over) this.#end();
  }

  #end(): void {
    this.#over = true;
    this.#postgres.release(this);
  }
}
