/**
 * The Postgres of a fault run: a server of its own that can be unavailable for a while, as after a crash of its
 * machine. It is in one of two places; a standby is made in the other one when a failover is to be tried.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Guardian } from '../../adapters/embedded/guardian.ts';
import { ensureDatabase } from '../../adapters/embedded/postgres.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { openWire, type Wire } from '../support/wire.ts';
import { PostgresHost } from './postgres-host.ts';

export interface PostgresPart {
  /** Names both places. */
  readonly databaseUrl: string;
  /** Ends it without a goodbye: what was committed is in its log, and nothing else. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** `SIGSTOP`: it answers nothing more, and refuses nothing either, until `SIGCONT`. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Leaves no byte free where its data are. */
  fillDisk(): Promise<void>;
  /** Makes room again, and starts it where it has ended over that. */
  makeRoom(): Promise<void>;
  /**
   * Makes a standby in the other place; resolves when it has everything. With `synchronous` the primary confirms no
   * commit before the standby has it.
   */
  addStandby(synchronous: boolean): Promise<void>;
  /** The standby receives no commit from now on. */
  cutStandby(): Promise<void>;
  /** How many messages of the journal the primary has projected that the standby does not know of. */
  projectedAhead(): Promise<number>;
  /** The standby takes over from the primary, which has to have crashed. */
  promote(): Promise<void>;
  /** Starts the server that was replaced as it was, so that it takes writes too; resolves when it does. */
  reviveReplaced(): Promise<void>;
  endReplaced(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one under `base`, with the whole schema unless `migrate` brings another. */
export async function startPostgresPart(
  base: string,
  guardian: Guardian,
  migrate: (databaseUrl: string) => Promise<void> = migrated,
  otherBase = join(base, 'other'),
): Promise<PostgresPart> {
  await mkdir(otherBase, { recursive: true });
  let primary = await PostgresHost.prepare(base, 'postgres', guardian);
  let other = await PostgresHost.reserve(otherBase, 'other postgres', guardian);
  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${other.port}`;
  const databaseUrl = primary.url.replace(`127.0.0.1:${primary.port}`, hosts);
  let wire: Wire | null = null;
  const cut = async () => {
    await wire?.close();
    wire = null;
  };
  await primary.start();
  await ensureDatabase(primary.url);
  await migrate(databaseUrl);
  return {
    databaseUrl,
    crash: () => primary.end('SIGQUIT'),
    start: () => primary.start(),
    signal: (signal) => primary.signal(signal),
    fillDisk: () => primary.fillDisk(),
    makeRoom: () => primary.makeRoom(),
    async addStandby(synchronous) {
      await other.end('SIGQUIT');
      await cut();
      wire = await openWire(primary.port);
      await other.follow(primary, wire.port, synchronous);
    },
    cutStandby: cut,
    projectedAhead: async () => (await projected(primary)) - (await projected(other)),
    async promote() {
      await other.promote();
      [primary, other] = [other, primary];
      await cut();
    },
    reviveReplaced: () => other.start(),
    endReplaced: () => other.end('SIGQUIT'),
    async close() {
      await cut();
      await Promise.all([primary.end('SIGINT'), other.end('SIGQUIT')]);
    },
  };
}

async function projected(host: PostgresHost): Promise<number> {
  const db = openDatabase(host.url, { max: 1 });
  const sum = await db.knex('projection_positions').sum('messages as sum').first<{ sum: string }>();
  await db.close();
  return Number(sum.sum);
}

async function migrated(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl);
  await migrateToLatest(db);
  await db.close();
}
