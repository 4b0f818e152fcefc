/**
 * Notices a Postgres that hangs: its connections are open, but nothing answers. Web processes watch theirs, so that a
 * request gets its 503 within five seconds instead of waiting for whatever comes first. A slow statement on a server
 * that answers is left alone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import pTimeout from 'p-timeout';
import pg from 'pg';
import type { Database } from './database.ts';
import { PostgresHangs } from './postgres-unavailable.ts';
import { primaryOf } from './primary-host.ts';

export interface HangWatch {
  /** Nothing has answered for a while, and nothing is sent until something does. */
  readonly hangs: boolean;
  close(): Promise<void>;
}

const PROBE_EVERY_MS = 500;
const SILENCE_MS = 4_300;
const RECONNECT_MS = 2_000;

/** Begins to watch. When the server is found to hang, running statements are aborted and later ones refused at once. */
export function watchForHangs({ knex, url }: Database, silenceMs = SILENCE_MS): HangWatch {
  const watch = new Watch(
    url,
    silenceMs,
    guardPool(knex, () => watch.hangs),
  );
  void watch.run();
  return watch;
}

class Watch implements HangWatch {
  hangs = false;
  readonly #url: string;
  readonly #silenceMs: number;
  readonly #pool: GuardedPool;
  #client: pg.Client | null = null;
  #closed = false;

  constructor(url: string, silenceMs: number, pool: GuardedPool) {
    this.#url = url;
    this.#silenceMs = silenceMs;
    this.#pool = pool;
  }

  async run(): Promise<void> {
    while (!this.#closed) {
      // Where nobody waits for an answer, nobody has to be told that there is none.
      const answered = this.hangs || this.#pool.isInUse() ? await this.#probe() : 'unasked';
      if (this.#closed) return;
      // A server that refuses is not one that hangs: its callers get an error by themselves.
      if (answered === 'silent') this.#found();
      else this.hangs = false;
      await sleep(PROBE_EVERY_MS, undefined, { ref: false });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#drop();
  }

  #found(): void {
    this.hangs = true;
    this.#drop();
    this.#pool.breakOff();
  }

  /** Asks over its own connection; `refused` if none can be opened. */
  async #probe(): Promise<'answered' | 'refused' | 'silent'> {
    const probe = (this.#client === null ? this.#connect() : this.#client.query('select 1')).then(
      () => 'answered' as const,
      () => {
        this.#drop();
        return 'refused' as const;
      },
    );
    // One more turn of the event loop: the answer may be there already, behind work of this process' own.
    return pTimeout(probe, {
      milliseconds: this.hangs ? RECONNECT_MS : this.#silenceMs,
      fallback: () => pTimeout(probe, { milliseconds: 10, fallback: () => 'silent' as const }),
    });
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: await primaryOf(this.#url),
      application_name: 'rostrum watch',
    });
    client.on('error', () => undefined);
    this.#client = client;
    await client.connect();
  }

  #drop(): void {
    if (this.#client !== null) cut(this.#client);
    this.#client = null;
  }
}

interface GuardedPool {
  /** Whether somebody has a connection, or waits for one. */
  isInUse(): boolean;
  /** Aborts the statements of borrowed connections. */
  breakOff(): void;
}

/** Refuses connections while `hangs` says so. */
function guardPool(knex: Knex, hangs: () => boolean): GuardedPool {
  const borrowed = new Set<pg.Client>();
  const waiting = new Set<(error: Error) => void>();
  const pool: PooledClient = knex.client;
  const acquire = pool.acquireConnection.bind(pool);
  const release = pool.releaseConnection.bind(pool);
  pool.acquireConnection = () =>
    new Promise((resolve, reject) => {
      if (hangs()) return reject(new PostgresHangs());
      waiting.add(reject);
      acquire().then(
        (connection) => {
          // Callers refused meanwhile no longer wait for it.
          if (!waiting.delete(reject)) return release(connection);
          borrowed.add(connection);
          return resolve(connection);
        },
        (error: Error) => {
          waiting.delete(reject);
          reject(error);
        },
      );
    });
  pool.releaseConnection = (connection) => {
    borrowed.delete(connection);
    return release(connection);
  };
  return {
    isInUse: () => borrowed.size + waiting.size > 0,
    breakOff() {
      for (const refuse of waiting) refuse(new PostgresHangs());
      waiting.clear();
      for (const connection of borrowed) cut(connection);
    },
  };
}

/** What is used of Knex' client. */
interface PooledClient {
  acquireConnection(): Promise<pg.Client>;
  releaseConnection(connection: pg.Client): Promise<void>;
}

/** Ends a connection at once, without notice to a server that would not receive it. */
function cut(client: pg.Client): void {
  client.connection.stream.destroy();
}
