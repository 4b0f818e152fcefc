/**
 * The web side in this process, over a database and a Redis of its own, listening on a free port, for tests of
 * endpoints. Every answer is checked against its endpoint's schema in the API's description; `close` throws if one did
 * not fit. No worker runs: `publish` does what tests need of one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../adapters/http/server.ts';
import type { Database } from '../../adapters/postgres/database.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { type Config, loadConfig } from '../../src/app/config/config.ts';
import type { Environment } from '../../src/app/config/environment-reader.ts';
import { type Backends, openBackends } from '../../src/app/process/backends.ts';
import { composeWeb, type WebSide } from '../../src/app/web/compose.ts';
import { publishPending } from '../../src/bidding/records/publishing.ts';
import { openLog } from '../../src/shared/log.ts';
import { AnswerCheck } from './answer-check.ts';
import { aToken } from './builders.ts';
import { migratedDatabase } from './migrated-database.ts';
import { type FreshRedis, freshRedis } from './redis-servers.ts';

/** A hundredth of the service's own: most tests that sign somebody up are about other things. */
const PASSWORD_COST = 8;

export interface ServiceOptions {
  /** Further variables; without them there is no rate limit and no log (`LOG_LEVEL: 'warn'` shows one). */
  readonly env?: Environment;
  /** A Redis that the test shares between services or kills; without it, one is started and ended here. */
  readonly redis?: FreshRedis;
  /** The test changes money by hand, as no sale and no payment does: its books need not agree in the end. */
  readonly moneyByHand?: boolean;
  /** A migrated database that the test keeps; without it, one is made and dropped here. */
  readonly database?: { readonly db: Database; readonly databaseUrl: string };
  /** Of every request, beside its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Service {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly config: Config;
  readonly backends: Backends;
  readonly web: WebSide;
  /** For builders: the database without the platform's pool. */
  readonly database: Database;
  readonly databaseUrl: string;
  readonly redis: FreshRedis;
  /** The plain text of a new token; the abilities are `read` and `write` when not given. */
  tokenFor(user: User, abilities?: readonly string[]): Promise<string>;
  /** Puts what is scheduled or active into the journal, as a worker would. */
  publish(): Promise<number>;
  /** A request with JSON in and out; `token` becomes the bearer. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, token?: string): Promise<Answer>;
  /** Stops everything. Throws when an answer did not fit its schema. */
  close(): Promise<void>;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. `body` is the parsed JSON, or null where there was none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonValue;
}

/** Parsed JSON as tests look into it: a value that is read must be there or the assertion fails. */
// biome-ignore lint/suspicious/noExplicitAny: tests walk through answers of every shape.
export type JsonValue = any;

/** Starts it all; takes about a second. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-service-'));
  const own = options.database === undefined ? await migratedDatabase(options) : null;
  const { db, databaseUrl } = options.database ?? own!;
  const redis = options.redis ?? (await freshRedis());
  const config = loadConfig({
    NODE_ENV: 'test',
    DATA_DIR: folder,
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
    PAYMENT_SANDBOX: '1',
    ...options.env,
  });
  const log = openLog(config.logLevel, 'test');
  const backends = await openBackends({ databaseUrl, redisUrl: redis.redisUrl }, log, {
    connections: 5,
    watchesPostgres: true,
    durability: config.bidDurability,
    sealKeys: config.sealKeys,
  });
  const check = new AnswerCheck();
  const web = await composeWeb(config, backends, log, {
    observe: check.observe,
    passwordCost: PASSWORD_COST,
  });
  check.use(web.app.document);
  const { close, url } = await listen({ app: web.app, host: '127.0.0.1', port: 0, graceMs: 1_000 });
  const call = (method: string, path: string, how: CallOptions = {}) =>
    request(url, method, path, { ...how, headers: { ...options.headers, ...how.headers } });
  return {
    url,
    config,
    backends,
    web,
    database: db,
    databaseUrl,
    redis,
    call,
    get: (path, token) => call('GET', path, { token }),
    tokenFor: async (user, abilities) => (await aToken(db, abilities ? { user, abilities } : { user })).token,
    publish: () => publishPending(backends),
    async close() {
      await close();
      await web.close();
      await backends.close();
      if (options.redis === undefined) await redis.close();
      await own?.drop();
      await rm(folder, { recursive: true, force: true });
      check.finish();
    },
  };
}

async function request(url: string, method: string, path: string, how: CallOptions): Promise<Answer> {
  const headers: Record<string, string> = { ...how.headers };
  if (how.token !== undefined) headers['authorization'] = `Bearer ${how.token}`;
  if (how.body !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body: how.body === undefined ? null : JSON.stringify(how.body),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}
