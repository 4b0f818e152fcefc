/**
 * The one clock of a simulated market: this process' `Date`, what Redis' scripts and its TIME say, and what Postgres
 * calls now. It stands still but where it is moved, so that every moment in an answer can be predicted to the
 * microsecond. `MovedClock.install` comes before the service is opened; `restore` gives the process its own time back.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import pg from 'pg';
import { createClient } from 'redis';
import { ServerClock } from '../../adapters/redis/clock.ts';
import type { OpenLink } from '../../adapters/redis/link.ts';
import { ALL_SHARDS, shardKeys } from '../../adapters/redis/shards.ts';

const KEY = 'simulated:clock';
const RealDate = Date;
const realReadFileSync = fs.readFileSync;
const realQuery = pg.Client.prototype.query;
const realNowUs = ServerClock.prototype.nowUs;

/** What a script is given in place of Redis' own time. */
const TIME = `(function()
  local c = redis.call('HMGET', '${KEY}', 's', 'us')
  if c[1] then return c end
  return redis.call('TIME')
end)()`;

/** Shards' heartbeats move along: a jump of the clock is no silence of the journal. */
const MOVE = `
local was = redis.call('HMGET', KEYS[1], 's', 'us')
redis.call('HSET', KEYS[1], 's', ARGV[1], 'us', ARGV[2])
for i = 2, #KEYS do
  if redis.call('HEXISTS', KEYS[i], 'beat') == 1 then
    redis.call('HSET', KEYS[i], 'beat', ARGV[3])
  end
end
return was`;

/** Every default and every function that says what time it is says the moved one. */
const POSTGRES = `
CREATE SCHEMA moved;
CREATE TABLE moved.moment (at timestamptz NOT NULL);
INSERT INTO moved.moment VALUES (pg_catalog.now());
CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM moved.moment';
CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM moved.moment';
DO $$ DECLARE d record; BEGIN
  FOR d IN SELECT table_name, column_name, column_default FROM information_schema.columns
    WHERE table_schema = 'public' AND column_default ~* '\\m(now|clock_timestamp)\\(\\)|current_timestamp' LOOP
    EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET DEFAULT %s', d.table_name, d.column_name,
      regexp_replace(d.column_default, '\\m(now|clock_timestamp)\\(\\)|current_timestamp', 'moved.now()', 'gi'));
  END LOOP;
  EXECUTE format('ALTER DATABASE %I SET search_path = moved, pg_catalog, public', current_database());
END $$`;

export class MovedClock {
  #nowMs: number;
  #redis: ReturnType<typeof createClient> | null = null;
  #postgres: pg.Client | null = null;

  private constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Changes what this process calls now. One at a time. */
  static install(startMs: number): MovedClock {
    const clock = new MovedClock(startMs);
    globalThis.Date = class extends RealDate {
      // Cast: a date is made of whatever the real one takes.
      constructor(...parts: []) {
        super(...((parts.length === 0 ? [clock.nowMs] : parts) as []));
      }

      static override now(): number {
        return clock.nowMs;
      }
    } as DateConstructor;
    const read = (path: fs.PathOrFileDescriptor, ...how: [never]) => {
      const text: unknown = realReadFileSync(path, ...how);
      if (typeof text !== 'string' || !String(path).endsWith('.lua')) return text;
      return text.replace(/\b(?:redis\.)?call\('TIME'\)/g, TIME);
    };
    Object.assign(fs, { readFileSync: read });
    syncBuiltinESMExports();
    // A process estimates the journal's clock; here its estimate is right.
    ServerClock.prototype.nowUs = () => clock.nowUs;
    // What knex calls now is a keyword, which no schema can shadow.
    const query = function (this: pg.Client, config: unknown, ...rest: unknown[]) {
      return Reflect.apply(realQuery, this, [moved(config), ...rest]);
    };
    Object.assign(pg.Client.prototype, { query });
    return clock;
  }

  /** Puts the moved clock into a migrated database to which nobody is connected yet, and into a Redis. */
  async connect(databaseUrl: string, redisUrl: string): Promise<void> {
    this.#postgres = new pg.Client({ connectionString: databaseUrl });
    await this.#postgres.connect();
    await this.#postgres.query(POSTGRES);
    this.#redis = createClient({ url: redisUrl });
    // Where Redis goes away for a moment, it comes back.
    this.#redis.on('error', () => undefined);
    await this.#redis.connect();
    await this.moveTo(this.#nowMs);
  }

  /** The link's own TIME, too. */
  correct(link: OpenLink): void {
    Object.assign(link, { timeUs: async () => this.#nowMs * 1_000 });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get nowUs(): number {
    return this.#nowMs * 1_000;
  }

  /** Whole milliseconds, and never back. */
  async moveTo(nowMs: number): Promise<void> {
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    const seconds = String(Math.floor(this.#nowMs / 1_000));
    const us = String((this.#nowMs % 1_000) * 1_000);
    const shards = ALL_SHARDS.map((shard) => shardKeys(shard).meta);
    await Promise.all([
      this.#redis?.eval(MOVE, { keys: [KEY, ...shards], arguments: [seconds, us, String(this.nowUs)] }),
      this.#postgres?.query('UPDATE moved.moment SET at = to_timestamp($1)', [this.#nowMs / 1_000]),
    ]);
  }

  /** Closes its connections, and gives this process its own time back. */
  async restore(): Promise<void> {
    globalThis.Date = RealDate;
    Object.assign(fs, { readFileSync: realReadFileSync });
    syncBuiltinESMExports();
    Object.assign(pg.Client.prototype, { query: realQuery });
    ServerClock.prototype.nowUs = realNowUs;
    this.#redis?.destroy();
    await this.#postgres?.end();
  }
}

function moved(config: unknown): unknown {
  if (typeof config === 'string') return config.replace(KEYWORD, 'now()');
  if (typeof config !== 'object' || config === null || !('text' in config)) return config;
  if (typeof config.text !== 'string' || !KEYWORD.test(config.text)) return config;
  return Object.assign(config, { text: config.text.replace(KEYWORD_ALL, 'now()') });
}

const KEYWORD = /\bcurrent_timestamp(\(\d\))?/i;
const KEYWORD_ALL = new RegExp(KEYWORD, 'gi');
