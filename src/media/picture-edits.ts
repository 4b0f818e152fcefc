/**
 * Pictures that are turned and cropped. What is shown is made anew from the original each time, which stays; so an edit
 * is taken back without loss. Files get new addresses, and the old ones are gone.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Media, type PictureEdit } from '../catalog/media.model.ts';
import { invalid, notFound, Refusal } from '../shared/refusal.ts';
import { inTransaction } from '../shared/transactions.ts';
import { areMediaFixed, type Caller, ownerOf, requireNotFixed, requireOwned } from './media-owner.ts';
import { keysOf, newKeyStem } from './media-rows.ts';
import { kept, type UploadParts } from './upload-media.ts';

/** Such a picture is hardly larger than its original, which may have 10 MiB. */
const MAX_BYTES = 64 * 1024 * 1024;
const LEAST = 0.01;

/** A picture of the caller's, and what was done to it. Throws 404 and 403, and 422 for a document. */
export async function readPicture(
  { knex }: Pick<UploadParts, 'knex'>,
  id: number,
  caller: Caller,
): Promise<Media> {
  const row = await Media.query(knex).findById(id);
  if (row === undefined) throw notFound('There is no such media.');
  await requireOwned(knex, ownerOf(row), caller, 'read_edit', { lock: false });
  if (row.kind !== 'image') throw invalid({ media: ['Only a picture can be turned and cropped.'] });
  return row;
}

/**
 * Makes a picture anew from its original; gives its row, and the keys of files that are its no more, which are the
 * caller's to delete. Throws as `readPicture` does, 422 for a crop that keeps nothing, and 409 `lot_locked` for a
 * picture of a lot with bids, or one that others have just changed.
 */
export async function editPicture(
  parts: UploadParts,
  id: number,
  edit: PictureEdit,
  caller: Caller,
): Promise<{ readonly row: Media; readonly unused: readonly string[] }> {
  const found = await readPicture(parts, id, caller);
  requireArea(edit);
  await requireChangeable(parts, found);
  const original = found.original_key ?? found.file_key;
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-edit-'));
  try {
    const input = join(folder, 'input');
    const main = join(folder, 'main');
    const thumb = join(folder, 'thumb');
    const source = await parts.storage.get(original);
    if (source === null) throw notFound('There is no such media.');
    await pipeline(source, createWriteStream(input));
    const made = await parts.workshop.prepare({ input, main, thumb, maxImageBytes: MAX_BYTES, edit });
    if (made.kind !== 'image') throw invalid({ media: ['The image is broken.'] });
    const stem = newKeyStem();
    const isPlain = edit.turn === 0 && edit.crop === null;
    const fileKey = isPlain ? original : `${stem}.${made.extension}`;
    const thumbKey = `${stem}-thumb.webp`;
    const change = {
      ...{ file_key: fileKey, thumb_key: thumbKey, medium_key: null },
      ...{ original_key: isPlain ? null : original, edit: isPlain ? null : edit },
      ...{ width: made.width, height: made.height, size: (await stat(isPlain ? input : main)).size },
    };
    const files = [
      ...(isPlain ? [] : [{ key: fileKey, path: main, mimeType: made.mimeType }]),
      { key: thumbKey, path: thumb, mimeType: 'image/webp' },
    ];
    const row = await kept(parts, files, async () => {
      // Making it takes its time, in which there may have been a bid.
      await requireChangeable(parts, found);
      return exchange(parts, found, change, caller);
    });
    const own = new Set(keysOf(row));
    return { row, unused: keysOf(found).filter((key) => !own.has(key)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One that was never shown is not relied on by anybody. */
async function requireChangeable({ isFixed }: UploadParts, row: Media): Promise<void> {
  if (row.kept_lot_id === null || row.was_shown)
    requireNotFixed('edit', await areMediaFixed(ownerOf(row), isFixed));
}

function requireArea({ crop }: PictureEdit): void {
  if (crop === null) return;
  const isWithin = crop.left + crop.width <= 1.000_001 && crop.top + crop.height <= 1.000_001;
  if (!isWithin || crop.width < LEAST || crop.height < LEAST)
    throw invalid({
      crop: ['The part that is kept must lie within the picture and be a hundredth of it at least.'],
    });
}

async function exchange(
  { knex }: UploadParts,
  found: Media,
  change: Partial<Media>,
  caller: Caller,
): Promise<Media> {
  return inTransaction(knex, async (trx) => {
    await requireOwned(trx, ownerOf(found), caller, 'edit', { lock: true });
    const [row] = await Media.query(trx)
      .where({ id: found.id, file_key: found.file_key })
      .patch(change)
      .returning('*');
    // Not in the table: somebody else was faster.
    if (row === undefined) throw new Refusal('lot_locked', { message: 'The picture has just been changed.' });
    return row;
  });
}
