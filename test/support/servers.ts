/**
 * Real servers for tests: one embedded pair per test process, started on first use in a temporary folder, and
 * databases of their own inside it. Closed after the last test; a process that is killed leaves nothing behind, as
 * its guardian stops the servers.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedServers, startEmbedded } from '../../adapters/embedded/servers.ts';

/** Addresses of running servers. */
export interface ServerAddresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** A database of one's own. */
export interface FreshDatabase {
  readonly databaseUrl: string;
  /** Removes it, connections included. */
  drop(): Promise<void>;
}

/** A database that is prepared once per test process and copied for each test. */
export interface DatabaseTemplate {
  /** Lower-case letters and underscores. */
  readonly name: string;
  /** Fills it, say with all migrations; must close its connections. */
  prepare(databaseUrl: string): Promise<void>;
}

let shared: Promise<{ servers: EmbeddedServers; folder: string }> | undefined;
const templates = new Map<string, Promise<void>>();

/** The pair that all tests of this process share. Never stop it; for servers to kill there is `freshRedis`. */
export async function sharedServers(): Promise<ServerAddresses> {
  shared ??= start();
  const { databaseUrl, redisUrl } = (await shared).servers;
  return { databaseUrl, redisUrl };
}

/** Makes an empty database, or a copy of the template (prepared on first use). */
export async function freshDatabase(template?: DatabaseTemplate): Promise<FreshDatabase> {
  const { databaseUrl } = await sharedServers();
  const name = `test_${randomBytes(6).toString('hex')}`;
  if (template === undefined) {
    await administer(databaseUrl, `CREATE DATABASE ${name}`);
  } else {
    const source = `template_${template.name}`;
    const ready = templates.get(source) ?? prepareTemplate(databaseUrl, source, template);
    templates.set(source, ready);
    await ready;
    await administer(databaseUrl, `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY file_copy`);
  }
  return {
    databaseUrl: withDatabase(databaseUrl, name),
    drop: () => administer(databaseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function prepareTemplate(databaseUrl: string, name: string, template: DatabaseTemplate): Promise<void> {
  await administer(databaseUrl, `CREATE DATABASE ${name}`);
  await template.prepare(withDatabase(databaseUrl, name));
}

// One statement after the other: Postgres refuses to copy a template while another copy of it is made.
let queue: Promise<unknown> = Promise.resolve();

function administer(databaseUrl: string, statement: string): Promise<void> {
  const result = queue.then(async () => {
    const client = new pg.Client({ connectionString: withDatabase(databaseUrl, 'postgres') });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  });
  queue = result.catch(() => undefined);
  return result;
}

function withDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function start(): Promise<{ servers: EmbeddedServers; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-test-'));
  const servers = await startEmbedded({ dataDir: folder });
  // A power cut need not be survived here, and databases are made and dropped twice as fast.
  for (const name of ['fsync', 'full_page_writes']) {
    await administer(servers.databaseUrl, `ALTER SYSTEM SET ${name} = off`);
  }
  await administer(servers.databaseUrl, 'SELECT pg_reload_conf()');
  return { servers, folder };
}

// A hook at the top of a file belongs to the whole run of a mocha in one process. In one of several, where it would
// come after the first file already, and outside of mocha (a benchmark), the guardian ends the servers.
if (typeof after === 'function' && process.env['MOCHA_WORKER_ID'] === undefined) {
  after('stop the shared servers', async () => {
    if (shared === undefined) return;
    const { servers, folder } = await shared;
    await servers.close();
    await rm(folder, { recursive: true, force: true });
  });
}
