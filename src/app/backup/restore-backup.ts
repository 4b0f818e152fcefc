/**
 * Puts a backup into an empty Postgres and an empty Redis: all of it, or nothing. The journal gets a new epoch, so that
 * the deployment that the backup was taken of and the restored one never take each other's bids. Or into an empty
 * Postgres alone, beside the journal that the deployment continues with.
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { isOld, namedAnew, PARTLY_OLD, settleOldRows } from '../../../adapters/postgres/first-release.ts';
import { migrateToLatest, migrationNames } from '../../../adapters/postgres/migrate.ts';
import {
  loadingTables,
  newestTransactionId,
  passTransactionIds,
  writeRows,
} from '../../../adapters/postgres/table-dump.ts';
import { laterName, shardEpochs, writeEpoch } from '../../../adapters/redis/epoch.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { isJournalEmpty, restoreKeys } from '../../../adapters/redis/shard-dump.ts';
import {
  beginUnfinished,
  isUnfinished,
  isUnfinishedName,
  nameUnfinished,
  wipeUnfinished,
} from '../../../adapters/redis/unfinished-restore.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { renounceNames } from '../../bidding/journal/journal-names.ts';
import { type MissingRows, makeMissingRows } from '../../bidding/journal/missing-rows.ts';
import { InputError } from '../../shared/input-error.ts';
import { type Manifest, readLines, readManifest } from './manifest.ts';
import { restoreMedia } from './media-files.ts';
import { asTheOnly } from './only-one.ts';

export interface RestoreParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly storage: Storage;
  readonly onProgress: (what: string, done: number, total: number) => void;
  /** The journal is not changed: it has to be the one that the backup was taken from. */
  readonly postgresOnly?: boolean;
}

export interface Restored {
  readonly rows: number;
  readonly keys: number;
  readonly mediaRestored: number;
  /** Files that the backup lists and neither it nor the storage has. */
  readonly mediaMissing: readonly string[];
  /** What the journal knows and the backup did not; null where the journal was restored too. */
  readonly made: MissingRows | null;
}

const AT_ONCE = 500;

/** Restores. Throws `InputError` where the backup is not complete or of another schema, or a store is not empty. */
export async function restore(parts: RestoreParts, folder: string): Promise<Restored> {
  const target = resolve(folder);
  const manifest = await readManifest(target);
  if (manifest === null)
    throw new InputError(`${folder} holds no complete backup: run \`rostrum backup\` on it`);
  const { tables, journal } = manifest;
  if (!manifest.finishedAt || tables === null || journal === null)
    throw new InputError(`the backup in ${folder} is not complete: run \`rostrum backup\` on it again`);
  return asTheOnly('restore', parts.database, async () => {
    const finished = !parts.postgresOnly && (await finishRestore(parts));
    if (!finished) await requireRoom(parts, manifest);
    await migrateToLatest(parts.database);
    await requireSameSchema(manifest);
    // First, because this can be run again after it was broken off.
    const { restored, missing } = await restoreMedia(parts, target);
    const whole = { target, tables, journal, isOld: isOld(manifest.migrations) };
    let made: MissingRows | null = null;
    if (parts.postgresOnly) made = await loadPostgresOnly(parts, whole);
    else if (!finished) await loadBoth(parts, whole);
    const count = (of: Readonly<Record<string, number>>) =>
      Object.values(of).reduce((sum, one) => sum + one, 0);
    const keys = parts.postgresOnly ? 0 : count(journal);
    return { rows: count(tables), keys, mediaRestored: restored, mediaMissing: missing, made };
  });
}

/** What a complete backup says of itself. */
interface Whole {
  readonly target: string;
  readonly tables: Readonly<Record<string, number>>;
  readonly journal: Readonly<Record<string, number>>;
  /** From before the first release. */
  readonly isOld: boolean;
}

/** Loads the tables and does what goes with it, all in one transaction. */
async function loadPostgres<T>(
  parts: RestoreParts,
  { target, tables, isOld: old }: Whole,
  finish: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const own = openDatabase(parts.database.url, { max: 2, statementTimeoutMs: 0 });
  try {
    const finished = await own.knex.transaction(async (trx) => {
      // SQL: a setting of this transaction; no builder knows it.
      await trx.raw('SET LOCAL idle_in_transaction_session_timeout TO 0');
      await loadingTables(trx, () => loadTables(trx, parts, target, tables));
      if (old) await settleOldRows(trx);
      await passTransactionIds(own.knex, await newestTransactionId(trx));
      return finish(trx);
    });
    // SQL: no builder knows ANALYZE.
    await own.knex.raw('ANALYZE');
    return finished;
  } finally {
    await own.close();
  }
}

async function loadPostgresOnly(parts: RestoreParts, whole: Whole): Promise<MissingRows> {
  return loadPostgres(parts, whole, (trx) => makeMissingRows(trx, parts.redis));
}

/**
 * The journal goes by a name that no deployment has until Postgres is committed, and is given its own afterwards:
 * killed anywhere, what Redis holds is known for what it is.
 */
async function loadBoth(parts: RestoreParts, whole: Whole): Promise<void> {
  const { redis } = parts;
  const epoch = randomUUID();
  await loadPostgres(parts, whole, async (trx) => {
    try {
      await loadJournal(parts, whole);
    } catch (error) {
      await wipeUnfinished(redis);
      throw error;
    }
    const restoring = await nameUnfinished(redis, epoch);
    await trx('journal_meta').update({ epoch, previous_epoch: restoring, servers: null, written: true });
    await renounceNames(trx, epoch);
  });
  await finishRestore(parts);
}

/** Gives the journal of a restore its name where Postgres is committed already; otherwise does nothing. */
async function finishRestore({ database: { knex }, redis }: RestoreParts): Promise<boolean> {
  if (!(await knex.schema.hasTable('journal_meta'))) return false;
  const meta = await knex('journal_meta').first<{ epoch: string; previous_epoch: string | null } | undefined>(
    'epoch',
    'previous_epoch',
  );
  if (meta === undefined || !isUnfinishedName(meta.previous_epoch)) return false;
  const found = await shardEpochs(redis);
  if (!found.every((one) => one === meta.previous_epoch || one === meta.epoch)) return false;
  await writeEpoch(redis, meta.epoch);
  await knex('journal_meta').where({ epoch: meta.epoch }).update({ previous_epoch: null });
  return true;
}

async function requireRoom(parts: RestoreParts, manifest: Manifest): Promise<void> {
  await requireEmptyPostgres(parts);
  if (parts.postgresOnly) return requireSameJournal(parts.redis, manifest);
  if (await isUnfinished(parts.redis)) await wipeUnfinished(parts.redis);
  else await requireEmptyRedis(parts.redis, manifest);
}

async function requireEmptyRedis(redis: OpenLink, { epoch }: Manifest): Promise<void> {
  if (await isJournalEmpty(redis)) return;
  const isSame = await isJournalOf(redis, epoch);
  throw new InputError(
    isSame
      ? 'REDIS_URL: this Redis still holds the journal that was backed up, and everything committed since: ' +
          'with --only postgres it is kept; to go back to the backup, empty it with FLUSHALL'
      : 'REDIS_URL: this Redis holds a journal; restore into an empty one',
  );
}

async function requireSameJournal(redis: OpenLink, { epoch }: Manifest): Promise<void> {
  if (await isJournalOf(redis, epoch)) return;
  throw new InputError(
    (await isJournalEmpty(redis))
      ? 'REDIS_URL: this Redis is empty; to restore the backup’s journal into it, leave out --only postgres'
      : 'REDIS_URL: this Redis holds a different journal from the one that was backed up',
  );
}

/** Whether Redis holds the journal that had this name, whatever failovers have called it since. */
async function isJournalOf(redis: OpenLink, epoch: string): Promise<boolean> {
  const found = await shardEpochs(redis);
  return found.every((one) => one === epoch) || (await laterName(redis, epoch)) !== null;
}

async function requireEmptyPostgres({ database: { knex } }: RestoreParts): Promise<void> {
  if (!(await knex.schema.hasTable('users'))) return;
  for (const table of ['users', 'auctions'])
    if ((await knex(table).first('id')) !== undefined)
      throw new InputError('DATABASE_URL: this database holds a marketplace; restore into an empty one');
}

async function requireSameSchema({ migrations, version }: Manifest): Promise<void> {
  const own = await migrationNames();
  const named = namedAnew(migrations, own);
  if (named === null)
    throw new InputError(`the backup is of another schema: ${PARTLY_OLD}, and back it up again`);
  const its = new Set(named);
  if (own.length === its.size && own.every((name) => its.has(name))) return;
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

async function loadJournal({ redis, onProgress }: RestoreParts, { target, journal }: Whole): Promise<void> {
  await beginUnfinished(redis);
  const names = Object.keys(journal);
  for (const [index, name] of names.entries()) {
    let here = 0;
    for await (const line of readLines(join(target, 'journal', `${name}.jsonl.gz`))) {
      await restoreKeys(redis, [JSON.parse(line)]);
      here += 1;
    }
    if (here !== journal[name])
      throw new InputError(`the backup’s ${name} has ${here} keys, not ${journal[name]}: it is damaged`);
    onProgress('journal', index + 1, names.length);
  }
}
