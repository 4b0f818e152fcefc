/**
 * The embedded Postgres: makes its data folder on the first start and describes how it is launched. Called by the
 * pair's start. It listens on loopback only, with a password made at the first start and kept with the data (mode
 * 600), under an account that is not root, wherever DATA_DIR lies.
 */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { messageOf, systemCodeOf } from '../../engine/thrown.ts';
import { EmbeddedError } from './errors.ts';
import { freePort } from './ports.ts';
import { type Account, chooseAccount } from './postgres-account.ts';
import { findPostgres } from './postgres-binaries.ts';
import type { Preparation } from './preparation.ts';
import { worksIn } from './processes.ts';
import { lastLine, run } from './run.ts';
import type { ServerProgram } from './supervise.ts';

const role = 'rostrum';
const database = 'rostrum';
const passwordFile = 'rostrum.password';

const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** A prepared Postgres and the address of its database. */
export interface PreparedPostgres {
  readonly program: ServerProgram;
  readonly databaseUrl: string;
}

/** Where Postgres keeps its data under `dataDir`. */
export function postgresFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/**
 * Makes the data folder when there is none, and describes the server on a port that is free now.
 * @throws EmbeddedError when this machine cannot run it.
 */
export async function preparePostgres(preparation: Preparation): Promise<PreparedPostgres> {
  const { dataDir, onProgress } = preparation;
  const folder = postgresFolder(dataDir);
  const account = await chooseAccount(folder);
  const binaries = await findPostgres(account, dataDir);
  let password = await readPassword(folder);
  if (password === undefined) {
    onProgress('Postgres: creating a new database');
    password = await initialize(folder, binaries.initdb, account, preparation);
  }
  const port = await freePort();
  await removeStalePidFile(folder);
  return {
    databaseUrl: `postgres://${role}:${password}@127.0.0.1:${port}/${database}`,
    program: {
      name: 'postgres',
      command: binaries.postgres,
      args: ['-D', folderAsSeenByServer(folder), ...settings(port)],
      env,
      folder,
      ...account.ids,
      logFile: join(dataDir, 'logs', 'postgres.log'),
      port,
      isReady: (pid) => isReady(folder, pid),
      stopSteps: [
        { signal: 'SIGINT', graceMs: 3_000 },
        { signal: 'SIGQUIT', graceMs: 1_000 },
        { signal: 'SIGKILL', graceMs: 500 },
      ],
    },
  };
}

/** Makes the application's database when it is missing. */
export async function ensureDatabase(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}

// On Linux root's Postgres runs as an account that may be unable to enter the folders above (a project in /root): the
// working folder is set before the account is changed, and this name leads to it past them.
function folderAsSeenByServer(folder: string): string {
  return process.platform === 'linux' && process.getuid?.() === 0 ? '/proc/self/cwd' : folder;
}

function settings(port: number): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function readPassword(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, passwordFile), 'utf8')).trim();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw new EmbeddedError(
      `${folder} cannot be read (${messageOf(error)}): start as the user who created it.`,
    );
  }
}

/**
 * Builds the data in a folder alongside and renames it at the end, so that a start that was killed leaves no half-made
 * data.
 */
async function initialize(
  folder: string,
  initdb: string,
  { ids }: Account,
  { dataDir, guard }: Preparation,
): Promise<string> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('postgres.new.')) await rm(join(dataDir, name), { recursive: true, force: true });
  }
  // Its own name: the initdb of a killed start may still be writing into an older one.
  const building = `${folder}.new.${process.pid}`;
  const password = randomBytes(24).toString('hex');
  await mkdir(building, { recursive: true, mode: 0o700 });
  if (ids.uid !== undefined && ids.gid !== undefined) await chown(building, ids.uid, ids.gid);
  const args = ['-D', folderAsSeenByServer(building), '-U', role, '--auth=scram-sha-256', '--encoding=UTF8'];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // Through a pipe that the account itself makes: it may not open one of ours, and initdb wants its folder empty.
  const piped = [
    '-c',
    'exec "$@" --pwfile=/dev/stdin <<END\n$PASSWORD\nEND',
    'sh',
    initdb,
    ...args,
    ...locale,
  ];
  const result = await run('/bin/sh', piped, {
    cwd: building,
    env: { ...env, PASSWORD: password },
    ...ids,
    onPid: (pid) => guard('initdb', pid),
  });
  if (result.code !== 0) {
    throw new EmbeddedError(`initdb of the embedded Postgres failed: ${errorLine(result.stderr)}`);
  }
  const secret = join(building, passwordFile);
  await writeFile(secret, `${password}\n`, { mode: 0o600 });
  if (ids.uid !== undefined && ids.gid !== undefined) await chown(secret, ids.uid, ids.gid);
  await rename(building, folder);
  return password;
}

function errorLine(text: string): string {
  return text.split('\n').find((line) => /error|fatal/i.test(line)) ?? lastLine(text);
}

// The eighth line of postmaster.pid says how far the server has come.
async function isReady(folder: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

// After a crash the id in the file may belong to another process, and Postgres would refuse to start.
async function removeStalePidFile(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (pid > 0 && !worksIn(pid, folder)) await rm(file, { force: true });
}
