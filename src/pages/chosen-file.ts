/** The file that comes with a page's form: every form with one asks here. */
import type { MultipartForm, UploadedFile } from '../../adapters/http/endpoint.ts';
import { Refusal } from '../shared/refusal.ts';

const KIB = 1_024;

/** Null where none was chosen. Throws what its field says of one that is too large. */
export function chosenFile({ files, tooLarge }: MultipartForm<unknown>): UploadedFile | null {
  const maxBytes = tooLarge['file'];
  if (maxBytes !== undefined) {
    const sentence = `The file may have at most ${sizeText(maxBytes)}.`;
    throw new Refusal('file_too_large', { message: sentence, errors: { file: [sentence] } });
  }
  const { file } = files;
  return file !== undefined && file.sizeBytes > 0 ? file : null;
}

/** A size as people read it: `380 KiB`, `25 MiB`. */
export function sizeText(bytes: number): string {
  return bytes < KIB * KIB ? `${Math.floor(bytes / KIB)} KiB` : `${Math.floor(bytes / KIB / KIB)} MiB`;
}
