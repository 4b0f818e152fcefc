/**
 * Making a paper, as a worker does it. Its row says how far it is, and by that gives a sign of life: what a killed
 * worker has begun is begun again by another once the signs end. The file is complete before the row says that it is
 * there; of two workers that made the same, one keeps its file.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import { FileTooLarge } from '../../../adapters/pdf/pdf-file.ts';
import { writeXlsx } from '../../../adapters/sheets/xlsx-file.ts';
import type { XlsxCell } from '../../../adapters/sheets/xlsx-work.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { csvOf } from '../../shared/csv.ts';
import type { Log } from '../../shared/log.ts';
import { PAPER_TYPES } from '../../shared/paper-kinds.ts';
import { SalePaper } from './paper.model.ts';
import { MAX_PAPER_ROWS, type PaperSale, readPaperSale } from './paper-content.ts';
import { printPaper, TooManyRows } from './paper-prints.ts';
import { type Sheet, sheetOf } from './paper-sheets.ts';

export interface PaperParts {
  readonly knex: Knex;
  readonly storage: Storage;
  readonly workshop: Pick<ImageWorkshop, 'resize'>;
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly operatorName: () => Promise<string>;
}

const MAX_PAPER_BYTES = 64 * 1024 * 1024;
/** A worker that has been silent for so long makes it no more. */
const SILENT_SECONDS = 8;
const MAX_ATTEMPTS = 4;
const SIGN_MS = 2_000;
const NOTED_EVERY_MS = 400;
/** Pictures of a printed catalog, in pixels; twice what a screen would show. */
const PICTURE_PIXELS = 320;
/** What is left when all is drawn: storing it. */
const DRAWN = 95;

const TOO_MANY = `It would have more than ${MAX_PAPER_ROWS} rows.`;
const TOO_LARGE = `It would be larger than ${MAX_PAPER_BYTES / 1024 / 1024} MB.`;
const BROKEN = 'Something went wrong on our side.';

/** The ids of those that no worker is making, the oldest first, with how often each was begun. */
export async function papersToMake(knex: Knex): Promise<Pick<SalePaper, 'id' | 'attempts'>[]> {
  return SalePaper.query(knex)
    .where('status', 'waiting')
    .orWhere((left) => left.where('status', 'working').whereRaw(isSilent))
    .orderBy('id')
    .limit(50)
    .select('id', 'attempts');
}

const isSilent = `heartbeat_at < now() - interval '${SILENT_SECONDS} seconds'`;

/** Makes one, unless a worker is at it or it is no longer wanted. */
export async function makePaper(parts: PaperParts, id: number): Promise<void> {
  const paper = await claim(parts.knex, id);
  if (paper === undefined) return;
  if (paper.attempts > MAX_ATTEMPTS) return fail(parts, paper, BROKEN);
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-paper-'));
  // Storing it, or writing a large table, says nothing by itself.
  const signs = setInterval(() => {
    mine(parts.knex, paper)
      .patch({ heartbeat_at: raw('now()') })
      .catch(() => undefined);
  }, SIGN_MS);
  try {
    const path = join(folder, 'paper');
    await write(parts, paper, path, folder);
    await keep(parts, paper, path);
  } catch (error) {
    if (error instanceof GivenUp) return;
    if (error instanceof TooManyRows) return fail(parts, paper, TOO_MANY);
    if (error instanceof FileTooLarge) return fail(parts, paper, TOO_LARGE);
    parts.log.warn({ err: error, paper: id }, 'a paper could not be made');
    if (paper.attempts >= MAX_ATTEMPTS) await fail(parts, paper, BROKEN);
    else await mine(parts.knex, paper).patch({ status: 'waiting' });
  } finally {
    clearInterval(signs);
    await rm(folder, { recursive: true, force: true });
  }
}

/** It was deleted, or another worker has begun it. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

function claim(knex: Knex, id: number): Promise<SalePaper | undefined> {
  return SalePaper.query(knex)
    .findById(id)
    .where((free) => free.where('status', 'waiting').orWhereRaw(`(status = 'working' AND ${isSilent})`))
    .patch({ status: 'working', progress: 0, attempts: raw('attempts + 1'), heartbeat_at: raw('now()') })
    .returning('*')
    .then((rows: unknown) => (Array.isArray(rows) ? rows[0] : rows));
}

/** The row as long as this worker has it: whoever begins it again counts one attempt more. */
function mine(knex: Knex, { id, attempts }: SalePaper) {
  return SalePaper.query(knex).where({ id, attempts, status: 'working' });
}

async function fail({ knex }: PaperParts, paper: SalePaper, problem: string): Promise<void> {
  await mine(knex, paper).patch({ status: 'failed', problem, done_at: raw('now()') });
}

async function write(parts: PaperParts, paper: SalePaper, path: string, folder: string): Promise<void> {
  const { knex } = parts;
  const sale = await readPaperSale(knex, paper.auction_id);
  if (paper.format === 'pdf') return print(parts, paper, sale, path, folder);
  const sheet = await sheetOf(paper.kind, { knex, ...sale, baseUrl: paper.base_url });
  if (sheet.rows.length > MAX_PAPER_ROWS) throw new TooManyRows();
  await noter(parts, paper)(1, 2);
  if (paper.format === 'xlsx') await writeXlsx({ path, ...sheet });
  else await writeFile(path, csvOf(sheet.columns, plainRows(sheet)));
}

function plainRows({ rows }: Sheet) {
  const plain = (cell: XlsxCell) => (typeof cell === 'object' && cell !== null ? cell.amount : cell);
  return rows.map((row) => row.map(plain));
}

async function print(
  parts: PaperParts,
  { kind, language, base_url: baseUrl, ...paper }: SalePaper,
  sale: PaperSale,
  path: string,
  folder: string,
): Promise<void> {
  await printPaper(kind, {
    ...{ ...sale, knex: parts.knex, baseUrl, language, path, maxBytes: MAX_PAPER_BYTES },
    operatorName: await parts.operatorName(),
    picture: pictures(parts, folder),
    onProgress: noter(parts, paper),
  });
}

/** Notes how far it is, not more often than people look. Throws `GivenUp`. */
function noter({ knex }: PaperParts, paper: Pick<SalePaper, 'id' | 'attempts'>) {
  let notedAtMs = performance.now();
  return async (done: number, total: number) => {
    const now = performance.now();
    if (now - notedAtMs < NOTED_EVERY_MS) return;
    notedAtMs = now;
    const progress = Math.floor((DRAWN * done) / Math.max(1, total));
    const { id, attempts } = paper;
    const noted = await SalePaper.query(knex)
      .where({ id, attempts, status: 'working' })
      .patch({ progress, heartbeat_at: raw('now()') });
    if (noted === 0) throw new GivenUp();
  };
}

/** JPEGs of stored pictures, which is what a PDF takes. One at a time: the last one's file is written over. */
function pictures({ storage, workshop }: PaperParts, folder: string) {
  return async (key: string): Promise<Buffer | null> => {
    const stored = await storage.get(key);
    if (stored === null) return null;
    const input = join(folder, 'picture');
    const output = join(folder, 'picture.jpg');
    await pipeline(stored, createWriteStream(input));
    const { kind } = await workshop.resize({ input, output, maxPixels: PICTURE_PIXELS, form: 'jpeg' });
    return kind === 'resized' ? readFile(output) : null;
  };
}

async function keep({ knex, storage }: PaperParts, paper: SalePaper, path: string): Promise<void> {
  const { size } = await stat(path);
  if (size > MAX_PAPER_BYTES) throw new FileTooLarge();
  const key = `paper-${randomUUID()}.${paper.format}`;
  await mine(knex, paper).patch({ progress: DRAWN, heartbeat_at: raw('now()') });
  await storage.put(key, path, PAPER_TYPES[paper.format]);
  const kept = await mine(knex, paper).patch({
    ...{ status: 'done', progress: 100, file_key: key, size_bytes: size, done_at: raw('now()') },
  });
  if (kept === 0) await storage.delete(key);
}

/** Forgets those whose time is over, with their files. Returns how many. */
export async function dropOldPapers({
  knex,
  storage,
}: Pick<PaperParts, 'knex' | 'storage'>): Promise<number> {
  const old = await SalePaper.query(knex).whereRaw('expires_at <= now()').orderBy('id').limit(500);
  for (const { id, file_key: key } of old) {
    if (key !== null) await storage.delete(key);
    await SalePaper.query(knex).deleteById(id);
  }
  return old.length;
}
