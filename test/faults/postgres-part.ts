/**
 * The Postgres of a fault run: a server of its own that can be unavailable for a while, as after a crash of its
 * machine.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Guardian } from '../../adapters/embedded/guardian.ts';
import { ensureDatabase, preparePostgres } from '../../adapters/embedded/postgres.ts';
import { launch } from '../../adapters/embedded/supervise.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { fill } from './redis-part.ts';

export interface PostgresPart {
  readonly databaseUrl: string;
  /** Ends it without a goodbye: what was committed is in its log, and nothing else. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Leaves no byte free where its data are. */
  fillDisk(): Promise<void>;
  /** Makes room again, and starts it where it has ended over that. */
  makeRoom(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one under `base`, with the whole schema unless `migrate` brings another. */
export async function startPostgresPart(
  base: string,
  guardian: Guardian,
  migrate: (databaseUrl: string) => Promise<void> = migrated,
): Promise<PostgresPart> {
  const preparation = { dataDir: base, onProgress: () => undefined, guard: guardian.watch };
  const { program, databaseUrl } = await preparePostgres(preparation);
  const hooks = { onPid: (_name: string, pid: number | undefined) => guardian.watch('postgres', pid) };
  let child: ChildProcess = await launch(program, hooks);
  await ensureDatabase(databaseUrl);
  await migrate(databaseUrl);
  const filler = join(base, 'filler');
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    child.kill(signal);
    await once(child, 'exit');
    guardian.watch('postgres', undefined);
  };
  return {
    databaseUrl,
    crash: () => end('SIGQUIT'),
    async start() {
      child = await launch(program, hooks);
    },
    fillDisk: () => fill(base, filler),
    async makeRoom() {
      await rm(filler, { force: true });
      if (child.exitCode !== null || child.signalCode !== null) child = await launch(program, hooks);
    },
    close: () => end('SIGINT'),
  };
}

async function migrated(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl);
  await migrateToLatest(db);
  await db.close();
}
