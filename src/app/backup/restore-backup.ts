/**
 * Puts a backup into an empty Postgres and an empty Redis: all of it, or nothing. The journal gets a new epoch, so that
 * the deployment that the backup was taken of and the restored one never take each other's bids.
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../../adapters/postgres/migrate.ts';
import { loadingTables, passTransactionIds, writeRows } from '../../../adapters/postgres/table-dump.ts';
import { writeEpoch } from '../../../adapters/redis/epoch.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { wipeShards } from '../../../adapters/redis/restore.ts';
import { isJournalEmpty, restoreKeys } from '../../../adapters/redis/shard-dump.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { InputError } from '../../shared/input-error.ts';
import { type Manifest, readLines, readManifest } from './manifest.ts';
import { restoreMedia } from './media-files.ts';

export interface RestoreParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly storage: Storage;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

export interface Restored {
  readonly rows: number;
  readonly keys: number;
  readonly mediaRestored: number;
  /** Files that the backup lists and neither it nor the storage has. */
  readonly mediaMissing: readonly string[];
}

const AT_ONCE = 500;

/** Restores. Throws `InputError` where the backup is not complete or of another schema, or a store is not empty. */
export async function restore(parts: RestoreParts, folder: string): Promise<Restored> {
  const target = resolve(folder);
  const manifest = await readManifest(target);
  if (manifest === null)
    throw new InputError(`${folder} holds no backup that is complete: run \`rostrum backup\` on it`);
  const { tables, journal } = manifest;
  if (!manifest.finishedAt || tables === null || journal === null)
    throw new InputError(`the backup in ${folder} is not complete: run \`rostrum backup\` on it again`);
  await requireEmpty(parts);
  await migrateToLatest(parts.database);
  await requireSameSchema(parts.database.knex, manifest);
  // First, because this can be run again after it was broken off: the servers are still empty then.
  const { restored, missing } = await restoreMedia(parts, target);
  const epoch = randomUUID();
  const own = openDatabase(parts.database.url, { max: 1, statementTimeoutMs: 0 });
  let keys = 0;
  try {
    await own.knex.transaction(async (trx) => {
      // SQL: a setting of this transaction; no builder knows it.
      await trx.raw('SET LOCAL idle_in_transaction_session_timeout TO 0');
      await loadingTables(trx, () => loadTables(trx, parts, target, tables));
      await trx('journal_meta').update({ epoch, previous_epoch: null, servers: null, written: true });
      keys = await loadJournal(parts, target, journal);
      await writeEpoch(parts.redis, epoch);
    });
    await passTransactionIds(own.knex);
    // SQL: no builder knows ANALYZE.
    await own.knex.raw('ANALYZE');
  } catch (error) {
    // What Postgres took back is not to be left in Redis.
    await wipeShards(parts.redis);
    throw error;
  } finally {
    await own.close();
  }
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return { rows, keys, mediaRestored: restored, mediaMissing: missing };
}

async function requireEmpty({ database, redis }: RestoreParts): Promise<void> {
  if (!(await isJournalEmpty(redis)))
    throw new InputError(
      'REDIS_URL: this Redis holds a journal; restore into an empty one ' +
        '(FLUSHALL empties what a restore that was killed has left)',
    );
  const { knex } = database;
  if (!(await knex.schema.hasTable('users'))) return;
  for (const table of ['users', 'auctions'])
    if ((await knex(table).first('id')) !== undefined)
      throw new InputError('DATABASE_URL: this database holds a marketplace; restore into an empty one');
}

async function requireSameSchema(knex: Knex, { migrations, version }: Manifest): Promise<void> {
  const own: string[] = await knex('knex_migrations').orderBy('name').pluck('name');
  if (own.length === migrations.length && own.every((name, at) => name === migrations[at])) return;
  throw new InputError(
    `the backup was made by version ${version} with another schema: restore it with that version, then migrate`,
  );
}

async function loadTables(
  trx: Knex,
  { onProgress }: RestoreParts,
  target: string,
  tables: Readonly<Record<string, number>>,
): Promise<void> {
  const total = Object.values(tables).reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const table of Object.keys(tables)) {
    let rows = 0;
    let chunk: string[] = [];
    const write = async () => {
      if (chunk.length > 0) await writeRows(trx, table, chunk);
      rows += chunk.length;
      done += chunk.length;
      onProgress('postgres', done, total);
      chunk = [];
    };
    for await (const line of readLines(join(target, 'postgres', `${table}.jsonl.gz`))) {
      chunk.push(line);
      if (chunk.length >= AT_ONCE) await write();
    }
    await write();
    if (rows !== tables[table])
      throw new InputError(`the backup’s ${table} has ${rows} rows, not ${tables[table]}: it is damaged`);
  }
}

async function loadJournal(
  { redis, onProgress }: RestoreParts,
  target: string,
  journal: Readonly<Record<string, number>>,
): Promise<number> {
  const names = Object.keys(journal);
  let keys = 0;
  for (const [index, name] of names.entries()) {
    let here = 0;
    for await (const line of readLines(join(target, 'journal', `${name}.jsonl.gz`))) {
      await restoreKeys(redis, [JSON.parse(line)]);
      here += 1;
    }
    if (here !== journal[name])
      throw new InputError(`the backup’s ${name} has ${here} keys, not ${journal[name]}: it is damaged`);
    keys += here;
    onProgress('journal', index + 1, names.length);
  }
  return keys;
}
