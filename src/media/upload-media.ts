/**
 * Takes an upload in: has it checked, keeps its files, then makes its row. A process that is killed in between leaves
 * files without a row, which the sweep deletes; a row is there only once its files are.
 */
import { rm, stat } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Principal, UploadedFile } from '../../adapters/http/endpoint.ts';
import type { Prepared } from '../../adapters/images/image-work.ts';
import type { ImageWorkshop } from '../../adapters/images/image-workshop.ts';
import type { Storage } from '../../adapters/storage/storage.ts';
import type { Media } from '../catalog/media.model.ts';
import { invalid, Refusal } from '../shared/refusal.ts';
import { keptFileName } from './file-names.ts';
import { requireRoomForMedia } from './media-bounds.ts';
import { type IsFixed, type MediaOwner, requireOwned } from './media-owner.ts';
import { insertMedia, type NewMedia, newKeyStem } from './media-rows.ts';

const MIB = 1024 * 1024;
const MAX_IMAGE_BYTES = 10 * MIB;
export const MAX_DOCUMENT_BYTES = 25 * MIB;

export interface UploadParts {
  readonly knex: Knex;
  readonly storage: Storage;
  readonly workshop: Pick<ImageWorkshop, 'prepare'>;
  readonly isFixed: IsFixed;
}

/** A file lying somewhere, and the key that it is to be kept under. */
export interface Keeping {
  readonly key: string;
  readonly path: string;
  readonly mimeType: string;
}

/**
 * The new row. Throws 404 and 403 before the file is read, then 415 (not a type that is kept), 413 (an image beyond 10
 * MiB) and 422 (broken, or over 100 megapixels).
 */
export async function uploadMedia(
  parts: UploadParts,
  owner: MediaOwner,
  file: UploadedFile,
  caller: Principal,
): Promise<Media> {
  await requireOwned(parts.knex, owner, caller, 'attach', { lock: false });
  await requireRoomForMedia(parts.knex, owner, file.sizeBytes, { lock: false });
  if (file.sizeBytes === 0) throw invalid({ file: ['The file is empty.'] });
  const paths = { main: `${file.path}-main`, thumb: `${file.path}-thumb` };
  try {
    const prepared = await parts.workshop.prepare({
      input: file.path,
      ...paths,
      maxImageBytes: MAX_IMAGE_BYTES,
    });
    const { media, files } = await planned(prepared, file, paths);
    return await kept(parts, files, () => insertMedia(parts.knex, owner, media, caller, parts.isFixed));
  } finally {
    await Promise.all([rm(paths.main, { force: true }), rm(paths.thumb, { force: true })]);
  }
}

async function planned(
  prepared: Prepared,
  file: UploadedFile,
  paths: { readonly main: string; readonly thumb: string },
): Promise<{ media: NewMedia; files: Keeping[] }> {
  if (prepared.kind === 'unsupported') {
    throw new Refusal('unsupported_media_type', {
      message: 'The file must be a JPEG, PNG or WebP image, or a PDF.',
    });
  }
  if (prepared.kind === 'too_large') {
    throw new Refusal('file_too_large', { message: 'An image may have at most 10 MiB.' });
  }
  if (prepared.kind === 'broken') throw invalid({ file: [BROKEN[prepared.reason]] });
  const stem = newKeyStem();
  const { mimeType, extension } = prepared;
  const fileKey = `${stem}.${extension}`;
  const base = {
    file_key: fileKey,
    medium_key: null,
    file_name: keptFileName(file.fileName, `file.${extension}`),
    mime_type: mimeType,
  };
  if (prepared.kind === 'document') {
    const nothing = { thumb_key: null, width: null, height: null };
    return {
      media: { ...base, ...nothing, kind: 'document', size: file.sizeBytes },
      files: [{ key: fileKey, path: file.path, mimeType }],
    };
  }
  const thumbKey = `${stem}-thumb.webp`;
  const { size } = await stat(paths.main);
  const { width, height } = prepared;
  return {
    media: { ...base, kind: 'image', thumb_key: thumbKey, size, width, height },
    files: [
      { key: fileKey, path: paths.main, mimeType },
      { key: thumbKey, path: paths.thumb, mimeType: 'image/webp' },
    ],
  };
}

const BROKEN = {
  pixels: 'The image has more than 100 megapixels.',
  unreadable: 'The image is broken.',
} as const;

/** Keeps the files, then does `record`; where that fails the files go again. */
export async function kept<T>(
  { storage }: Pick<UploadParts, 'storage'>,
  files: readonly Keeping[],
  record: () => Promise<T>,
): Promise<T> {
  try {
    for (const { key, path, mimeType } of files) await storage.put(key, path, mimeType);
    return await record();
  } catch (error) {
    // What cannot be deleted now is found by the sweep.
    await Promise.allSettled(files.map(({ key }) => storage.delete(key)));
    throw error;
  }
}
