/**
 * Brings the schema up to date, and says whether it is. `migrate`, `start` and the tests call it. Safe to run from any
 * number of processes at once: an advisory lock lets one work while the others wait and then find nothing to do.
 */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { openDatabase } from './database.ts';
import { FIRST, takeOver } from './first-release.ts';
import { whileHolding } from './held-lock.ts';
import { noteIndexes, wholeIndexes } from './schema-indexes.ts';

/** Alongside `adapters/` both in the sources (`*.ts`, under tsx) and in `dist` (`*.js`). */
const FOLDER = new URL('../../migrations/', import.meta.url);

interface Migration {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

interface MigrationFile {
  readonly name: string;
  readonly url: string;
}

/**
 * Names carry no ending, so that a schema made from the sources is current for the built program too. A `dist` that was
 * built before may still hold migrations from before the first release.
 */
async function migrationFiles(): Promise<MigrationFile[]> {
  const files = await readdir(fileURLToPath(FOLDER));
  return files
    .filter((file) => /^\d{8}_\d{3}_\w+\.(ts|js)$/.test(file))
    .map((file) => ({ name: file.replace(/\.(ts|js)$/, ''), url: new URL(file, FOLDER).href }))
    .filter(({ name }) => name >= FIRST)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The migrations of this program, as Knex takes them. */
export const MIGRATIONS: Knex.MigrationSource<MigrationFile> = {
  getMigrations: migrationFiles,
  getMigrationName: (file) => file.name,
  async getMigration(file) {
    const migration: Migration = await import(file.url);
    return migration;
  },
};

/** Called with how many of the missing migrations have run. */
export type MigrationProgress = (done: number, total: number) => void;

/** The names of this program's migrations, in their order. */
export async function migrationNames(): Promise<string[]> {
  return (await migrationFiles()).map(({ name }) => name);
}

/**
 * Runs what is missing, each migration in its own transaction. Returns the names of those it ran.
 * @throws OldSchemaError for a database from before the first release that is not at its last schema.
 */
export async function migrateToLatest(
  db: Database,
  onProgress: MigrationProgress = () => undefined,
): Promise<string[]> {
  return underLock(db, async (knex) => {
    await takeOver(knex, await migrationNames());
    // What a later release has added stays: this one may be started again beside it.
    if (await migrationsCurrent(db)) return [];
    const before = await wholeIndexes(knex);
    const [, missing]: [unknown, unknown[]] = await knex.migrate.list({ migrationSource: MIGRATIONS });
    const [, names]: [number, string[]] = await knex.migrate.latest({
      migrationSource: reporting(onProgress, missing.length),
    });
    if (names.length > 0) await noteIndexes(knex, before, await wholeIndexes(knex));
    return names;
  });
}

/** Whether every migration of this program is in the database. Changes nothing, waits for nobody. */
export async function migrationsCurrent(db: Database): Promise<boolean> {
  const { rows } = await db.knex.raw<{ rows: { there: boolean }[] }>(
    "select to_regclass('knex_migrations') is not null as there",
  );
  if (!rows[0]?.there) return false;
  const done = new Set<string>(await db.knex('knex_migrations').pluck('name'));
  return (await migrationNames()).every((name) => done.has(name));
}

/** Its own pool: building an index may take longer than the service's statement timeout allows. */
async function underLock<T>(db: Database, work: (knex: Knex) => Promise<T>): Promise<T> {
  const own = openDatabase(db.url, { max: 2, statementTimeoutMs: 0 });
  try {
    await own.ready();
    return await whileHolding(db.url, 'migration', async () => {
      // Knex' own lock is a row that a killed process leaves behind; ours dies with its connection.
      await own.knex.migrate.forceFreeMigrationsLock({ migrationSource: MIGRATIONS });
      return work(own.knex);
    });
  } finally {
    await own.close();
  }
}

/** The migrations, each reported when it has run. */
function reporting(onProgress: MigrationProgress, total: number): Knex.MigrationSource<MigrationFile> {
  let done = 0;
  return {
    ...MIGRATIONS,
    async getMigration(file) {
      const { up, down }: Migration = await import(file.url);
      return {
        down,
        async up(knex: Knex) {
          await up(knex);
          done += 1;
          onProgress(done, total);
        },
      };
    },
  };
}
