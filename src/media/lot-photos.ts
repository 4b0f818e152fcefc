/**
 * Photographs for many lots of an auction at once: a picture, or a ZIP archive of them, each of which finds its lot by
 * the name of its file. What finds none, or is no picture, is told and not kept.
 */
import { rm, stat } from 'node:fs/promises';
import type { Principal, UploadedFile } from '../../adapters/http/endpoint.ts';
import { isZip, readZip, type ZipEntry, ZipError } from '../../adapters/zip/read-zip.ts';
import { itemAt } from '../../engine/first-of.ts';
import { Lot } from '../bidding/records/lot.model.ts';
import { invalid, Refusal } from '../shared/refusal.ts';
import { keptFileName } from './file-names.ts';
import { inOrder, type MatchedLot, type PhotoMatch, photoMatcher } from './photo-matching.ts';
import { MAX_DOCUMENT_BYTES, type UploadParts, uploadMedia } from './upload-media.ts';

/** What became of one file. */
export interface TakenPhoto {
  readonly file_name: string;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly title: string | null;
  readonly media_id: number | null;
  /** Why it was not kept. */
  readonly problem: string | null;
}

export const MAX_PHOTO_UPLOAD_BYTES = 500 * 1024 * 1024;
const MAX_FILES = 500;

export interface PhotoUpload {
  readonly auctionId: number;
  readonly file: UploadedFile;
  /** The lot that it is of, whatever it is called; null: it is found by its name. */
  readonly lotId: number | null;
}

/** Throws 404 for a lot that is not in the auction and 422 for an archive that cannot be read. */
export async function takePhotos(
  parts: UploadParts,
  { auctionId, file, lotId }: PhotoUpload,
  caller: Principal,
): Promise<TakenPhoto[]> {
  const lots = await readLots(parts, auctionId);
  if (lotId !== null && !lots.some(({ id }) => id === lotId))
    throw new Refusal('not_found', { message: 'There is no such lot.' });
  const match = photoMatcher(lots);
  const lotOf = lotId === null ? match : () => ({ lotId, position: 0 });
  const take = (photo: UploadedFile) => takeOne(parts, photo, lots, lotOf, caller);
  if (file.sizeBytes === 0) throw invalid({ file: ['The file is empty.'] });
  if (!(await isZip(file.path))) return [await take(file)];
  const taken: TakenPhoto[] = [];
  try {
    const limits = { isWanted: isPhoto, maxFiles: MAX_FILES, maxBytes: MAX_DOCUMENT_BYTES };
    await readZip(file.path, limits, async (entries) => {
      for (const [index, entry] of sorted(entries, match).entries())
        taken.push(await takeEntry(entry, `${file.path}-${index}`, take));
    });
  } catch (error) {
    if (error instanceof ZipError) throw invalid({ file: [error.message] });
    throw error;
  }
  return taken;
}

async function readLots({ knex }: UploadParts, auctionId: number): Promise<MatchedLot[]> {
  return Lot.query(knex)
    .where('auction_id', auctionId)
    .whereNot('status', 'withdrawn')
    .orderBy('lot_number')
    .select('id', 'lot_number', 'catalog_number', 'title', 'sku', 'photos');
}

/** Whether people have put it there: systems add files of their own, macOS one for each. */
function isPhoto(name: string): boolean {
  return !/(^|\/)(__MACOSX\/|\.[^./][^/]*$|Thumbs\.db$|desktop\.ini$)/i.test(name);
}

/** In the order that the lots say, else by their names. */
function sorted(entries: readonly ZipEntry[], matchOf: (path: string) => PhotoMatch): ZipEntry[] {
  const listed = entries.map((entry) => {
    const match = matchOf(entry.name);
    return { entry, position: typeof match === 'object' && 'position' in match ? match.position : 0 };
  });
  listed.sort((one, other) => one.position - other.position || inOrder(one.entry.name, other.entry.name));
  return listed.map(({ entry }) => entry);
}

async function takeEntry(
  entry: ZipEntry,
  path: string,
  take: (photo: UploadedFile) => Promise<TakenPhoto>,
): Promise<TakenPhoto> {
  const fileName = keptFileName(entry.name, 'photo');
  try {
    const unpacked = await entry.unpack(path);
    if (unpacked === 'too_large') return refused(fileName, 'It is larger than 25 MiB.');
    if (unpacked === 'unreadable') return refused(fileName, 'It is broken or encrypted.');
    const { size } = await stat(path);
    return await take({ path, fileName: entry.name, mimeType: '', sizeBytes: size });
  } finally {
    await rm(path, { force: true });
  }
}

function refused(fileName: string, problem: string, lot: MatchedLot | null = null): TakenPhoto {
  return { ...shownLot(lot), file_name: fileName, media_id: null, problem };
}

function shownLot(lot: MatchedLot | null) {
  const number = lot && (lot.catalog_number ?? String(lot.lot_number));
  return { lot_id: lot?.id ?? null, lot_number: number, title: lot?.title ?? null };
}

async function takeOne(
  parts: UploadParts,
  photo: UploadedFile,
  lots: readonly MatchedLot[],
  lotOf: (path: string) => PhotoMatch,
  caller: Principal,
): Promise<TakenPhoto> {
  const fileName = keptFileName(photo.fileName, 'photo');
  const match = lotOf(photo.fileName);
  if (match === 'nothing') return refused(fileName, 'No lot has this number or name.');
  if ('several' in match) return refused(fileName, `${match.several} lots have this number or name.`);
  const at = lots.findIndex(({ id }) => id === match.lotId);
  const lot = itemAt(lots, at);
  try {
    const media = await uploadMedia(parts, { type: 'lot', id: lot.id }, photo, caller);
    return { ...shownLot(lot), file_name: fileName, media_id: media.id, problem: null };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'overloaded') throw error;
    const sentences = Object.values(error.errors ?? {}).flat();
    return refused(fileName, sentences.join(' ') || error.message, lot);
  }
}
