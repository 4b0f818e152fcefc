/**
 * Advisory locks that live exactly as long as one connection: only one process holds one, and a process that dies
 * releases it, since Postgres ends a session that has fallen silent. For workers that share out pieces of work among
 * themselves.
 */
import pg from 'pg';
import { primaryOf } from './primary-host.ts';

/** Silence after which Postgres ends the session; `beat` must be called more often. */
const SILENCE_MS = 10_000;

export class LockSession {
  readonly #client: pg.Client;
  #lost = false;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Opens its own connection and shows presence under `family`. Throws when Postgres is out of reach. */
  static async open(url: string, family: number): Promise<LockSession> {
    const client = new pg.Client({
      connectionString: await primaryOf(url),
      application_name: 'rostrum locks',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    const session = new LockSession(client);
    const lose = () => {
      session.#lost = true;
    };
    client.on('error', lose);
    client.on('end', lose);
    await client.connect();
    try {
      await client.query(`SET idle_session_timeout TO ${SILENCE_MS}`);
      await client.query('SELECT pg_advisory_lock($1, -pg_backend_pid())', [family]);
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  /** The connection has ended, and every lock with it. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Keeps the session alive and counts the sessions that are present under `family`, this one included. */
  async beat(family: number): Promise<number> {
    const { rows } = await this.#client.query<{ present: number }>({
      // Planned once: planning took longer than counting.
      name: 'beat',
      text: `SELECT count(*)::int AS present FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND classid = $1 AND objid::bigint >= 2147483648
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      values: [family],
    });
    return rows[0]?.present ?? 1;
  }

  /**
   * Takes up to `max` of these locks, those that nobody else holds. None of them may be held by this session
   * already.
   */
  async take(family: number, ids: readonly number[], max: number): Promise<number[]> {
    const { rows } = await this.#client.query<{ id: number }>(
      'SELECT id FROM unnest($2::int[]) AS id WHERE pg_try_advisory_lock($1, id) LIMIT $3',
      [family, ids, max],
    );
    return rows.map(({ id }) => id);
  }

  async release(family: number, id: number): Promise<void> {
    await this.#client.query('SELECT pg_advisory_unlock($1, $2)', [family, id]);
  }

  /** Releases everything. */
  async close(): Promise<void> {
    this.#lost = true;
    await this.#client.end().catch(() => undefined);
  }
}
