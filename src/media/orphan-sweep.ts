/**
 * Brings files and rows together again after a crash: files that no row names and rows whose file is missing, both once
 * they are an hour old, go. It walks the storage's list and the table side by side in the order of the keys, a batch
 * at a time.
 */
import type { Knex } from 'knex';
import type { ListedFile, Storage } from '../../adapters/storage/storage.ts';
import { itemAt } from '../../engine/first-of.ts';
import { Media } from '../catalog/media.model.ts';
import type { Log } from '../shared/log.ts';
import { keysOf } from './media-rows.ts';

export interface SweepParts {
  readonly knex: Knex;
  readonly storage: Storage;
  readonly log: Pick<Log, 'error' | 'info'>;
}

export interface Swept {
  readonly files: number;
  readonly rows: number;
}

const HOUR_MS = 3_600_000;
const PAGE_SIZE = 500;
/** This many rows without files, and more than half of all, mean that the wrong storage is configured. */
const SUSPICIOUS_ROWS = 20;

/** One sweep. What is younger than `minAgeMs` may belong to a running upload and is left alone. */
export async function sweepOrphans(parts: SweepParts, minAgeMs = HOUR_MS): Promise<Swept> {
  let files = 0;
  let after = '';
  const lost: number[] = [];
  for await (const page of pages(parts.storage.list())) {
    const last = itemAt(page, -1).key;
    files += await deleteUnnamed(parts, page, Date.now() - minAgeMs);
    lost.push(...(await rowsWithout(parts.knex, page, { after, upTo: last }, minAgeMs)));
    after = last;
  }
  lost.push(...(await rowsWithout(parts.knex, [], { after, upTo: null }, minAgeMs)));
  const rows = await deleteLost(parts, lost);
  if (files + rows > 0) parts.log.info({ files, rows }, 'swept media without their other half');
  return { files, rows };
}

async function* pages(files: AsyncIterable<ListedFile>): AsyncIterable<ListedFile[]> {
  let page: ListedFile[] = [];
  for await (const file of files) {
    page.push(file);
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function deleteUnnamed(
  { knex, storage }: SweepParts,
  page: readonly ListedFile[],
  beforeMs: number,
): Promise<number> {
  const old = page.filter((file) => file.modifiedAtMs <= beforeMs).map(({ key }) => key);
  if (old.length === 0) return 0;
  // SQL: a list of keys held against five columns in one statement.
  const { rows } = await knex.raw<{ rows: { key: string }[] }>(
    `SELECT k.key FROM unnest(?::text[]) AS k (key)
     WHERE NOT EXISTS (SELECT FROM media m WHERE m.file_key = k.key)
       AND NOT EXISTS (SELECT FROM media m WHERE m.thumb_key = k.key)
       AND NOT EXISTS (SELECT FROM media m WHERE m.medium_key = k.key)
       AND NOT EXISTS (SELECT FROM media m WHERE m.original_key = k.key)
       AND NOT EXISTS (SELECT FROM papers p WHERE p.file_key = k.key)`,
    [old],
  );
  for (const { key } of rows) await storage.delete(key);
  return rows.length;
}

interface KeyRange {
  readonly after: string;
  /** Null: to the end. */
  readonly upTo: string | null;
}

/** Old rows in a range of keys whose file is not in the list. */
async function rowsWithout(
  knex: Knex,
  listed: readonly ListedFile[],
  { after, upTo }: KeyRange,
  minAgeMs: number,
): Promise<number[]> {
  const keys = listed.map(({ key }) => key);
  const rows = Media.query(knex)
    .whereRaw('file_key COLLATE "C" > ?', after)
    .whereRaw('created_at <= now() - make_interval(secs => ?)', minAgeMs / 1000)
    .whereNotIn('file_key', keys)
    .select('id');
  if (upTo !== null) rows.whereRaw('file_key COLLATE "C" <= ?', upTo);
  return (await rows).map(({ id }) => id);
}

/** Checks each file once more before its row is deleted: a list may have missed it. */
async function deleteLost({ knex, storage, log }: SweepParts, lost: readonly number[]): Promise<number> {
  if (lost.length === 0) return 0;
  const all = await Media.query(knex).resultSize();
  if (lost.length >= SUSPICIOUS_ROWS && lost.length * 2 > all) {
    log.error(
      { missing: lost.length, of: all },
      'most media have no file: check MEDIA_STORAGE. Nothing was deleted',
    );
    return 0;
  }
  let deleted = 0;
  for (const id of lost) {
    const row = await Media.query(knex).findById(id);
    if (row === undefined || (await storage.head(row.file_key)) !== null) continue;
    deleted += await Media.query(knex).deleteById(id);
    for (const key of keysOf(row)) await storage.delete(key);
  }
  return deleted;
}
