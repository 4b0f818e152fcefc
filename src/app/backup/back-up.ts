/**
 * A backup alongside a running service: one snapshot of Postgres, then at once every shard of the journal as of one
 * moment, then the media. The journal is the younger of the two, so that restored the projection only has to catch up.
 * An interrupted backup is resumed: media that were copied are not copied again.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { estimatedRows, readTable, tablesOf } from '../../../adapters/postgres/table-dump.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { dumpGroup, journalGroups } from '../../../adapters/redis/shard-dump.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { systemCodeOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';
import { type Manifest, readManifest, writeLines, writeManifest } from './manifest.ts';
import { backUpMedia } from './media-files.ts';
import { asTheOnly } from './only-one.ts';
import { makeFolder, requireWritable } from './writable-folder.ts';

export interface BackupParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly storage: Storage;
  readonly version: string;
  /** Copies the files too; otherwise only their list is kept. */
  readonly copiesMedia: boolean;
  /** Called with the rows of Postgres (and about how many there are), shards of the journal, files of the media. */
  readonly onProgress: (what: string, done: number, total: number) => void;
}

/**
 * Makes or finishes a backup in `folder`. Throws `InputError` where nothing can be written there, where one is complete
 * there, where one of another deployment was begun there, and where a backup of this one is being made.
 */
export async function backUp(parts: BackupParts, folder: string): Promise<Manifest> {
  await requireWritable(folder);
  return explainingFullDisks(folder, () =>
    asTheOnly('backup', parts.database, () => finishBackup(parts, folder)),
  );
}

async function finishBackup(parts: BackupParts, folder: string): Promise<Manifest> {
  const target = resolve(folder);
  let manifest = await readManifest(target);
  if (manifest?.finishedAt) throw new InputError(`${folder} holds a complete backup; name an empty folder`);
  if (manifest !== null) await requireSameEpoch(parts.database.knex, manifest, folder);
  for (const part of ['postgres', 'journal']) await makeFolder(join(target, part));
  if (manifest === null) {
    manifest = await backUpServers(parts, target);
    await writeManifest(target, manifest);
  }
  const media = await backUpMedia(parts, target);
  const finished = { ...manifest, media, finishedAt: new Date().toISOString() };
  await writeManifest(target, finished);
  return finished;
}

async function explainingFullDisks<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    throw new InputError(`${folder}: the disk is full; make room, and run the same command again`);
  }
}

/** What was begun there must be finished from the same journal; a failover moves its epoch, too. */
async function requireSameEpoch(knex: Knex, { epoch }: Manifest, folder: string): Promise<void> {
  const meta = await knex('journal_meta').first<{ epoch: string } | undefined>('epoch');
  if (meta?.epoch === epoch) return;
  throw new InputError(
    `${folder} holds an unfinished backup that was begun before a failover, or of another deployment; name an empty folder`,
  );
}

async function backUpServers(parts: BackupParts, target: string): Promise<Manifest> {
  const startedAt = new Date().toISOString();
  // A snapshot may take longer than the service's statements may.
  const own = openDatabase(parts.database.url, { max: 1, statementTimeoutMs: 0 });
  try {
    return await own.knex.transaction(
      async (trx) => {
        // SQL: a setting of this transaction; no builder knows it.
        await trx.raw('SET LOCAL idle_in_transaction_session_timeout TO 0');
        // The snapshot is taken by the first statement; the journal follows before anything of it can be trimmed.
        const migrations: string[] = await trx('knex_migrations').orderBy('name').pluck('name');
        const meta = await trx('journal_meta').first<{ epoch: string } | undefined>('epoch');
        if (meta === undefined) throw new InputError('the journal is empty: there is nothing to back up');
        const journal = await backUpJournal(parts, target);
        const tables = await backUpTables(trx, parts, target);
        const { version } = parts;
        const { epoch } = meta;
        return {
          format: 1,
          version,
          startedAt,
          migrations,
          epoch,
          tables,
          journal,
          media: null,
          finishedAt: null,
        };
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    );
  } finally {
    await own.close();
  }
}

async function backUpJournal(
  { redis, onProgress }: BackupParts,
  target: string,
): Promise<Record<string, number>> {
  const groups = journalGroups(await redis.timeUs());
  const counts: Record<string, number> = {};
  for (const [index, group] of groups.entries()) {
    const keys = await dumpGroup(redis, group);
    const file = join(target, 'journal', `${group.name}.jsonl.gz`);
    if (keys.length === 0) await rm(file, { force: true });
    else {
      await writeLines(
        file,
        keys.map((key) => JSON.stringify(key)),
      );
      counts[group.name] = keys.length;
    }
    onProgress('journal', index + 1, groups.length);
  }
  return counts;
}

async function backUpTables(
  trx: Knex,
  { onProgress }: BackupParts,
  target: string,
): Promise<Record<string, number>> {
  const tables = await tablesOf(trx);
  const estimated = await estimatedRows(trx);
  const counts: Record<string, number> = {};
  let done = 0;
  for (const table of tables) {
    let rows = 0;
    const lines = async function* () {
      for await (const chunk of readTable(trx, table)) {
        rows += chunk.length;
        onProgress('postgres', done + rows, Math.max(estimated, done + rows));
        yield* chunk;
      }
    };
    await writeLines(join(target, 'postgres', `${table}.jsonl.gz`), lines());
    counts[table] = rows;
    done += rows;
  }
  onProgress('postgres', done, done);
  return counts;
}
