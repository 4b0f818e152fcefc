/** Media in a backup: a list of all files, and on request the files. What is there already is not copied again. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ListedFile, Storage } from '../../../adapters/storage/storage.ts';
import { type Manifest, readLines, writeLines } from './manifest.ts';

interface MediaParts {
  readonly storage: Storage;
  readonly copiesMedia: boolean;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

const LIST = 'media.jsonl.gz';
const FOLDER = 'media';

export async function backUpMedia(
  parts: MediaParts,
  target: string,
): Promise<NonNullable<Manifest['media']>> {
  const files: ListedFile[] = [];
  for await (const file of parts.storage.list()) files.push(file);
  await writeLines(
    join(target, LIST),
    files.map(({ key, sizeBytes }) => JSON.stringify({ key, sizeBytes })),
  );
  if (parts.copiesMedia) {
    await mkdir(join(target, FOLDER), { recursive: true, mode: 0o700 });
    for (const [index, file] of files.entries()) {
      await copyOut(parts.storage, file, join(target, FOLDER, file.key));
      parts.onProgress('media', index + 1, files.length);
    }
  }
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { mode: parts.copiesMedia ? 'copy' : 'list', files: files.length, bytes };
}

async function copyOut(storage: Storage, { key, sizeBytes }: ListedFile, path: string): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there?.size === sizeBytes) return;
  const source = await storage.get(key);
  // Deleted since it was listed: nothing in the snapshot shows it for long.
  if (source === null) return;
  await pipeline(source, createWriteStream(`${path}.part`, { mode: 0o600, flush: true }));
  await rename(`${path}.part`, path);
}

/** Puts copied files back, and counts those of the list that the storage does not have. */
export async function restoreMedia(
  { storage, onProgress }: Omit<MediaParts, 'copiesMedia'>,
  target: string,
): Promise<{ restored: number; missing: string[] }> {
  const copied = new Set(await readdir(join(target, FOLDER)).catch(() => []));
  const missing: string[] = [];
  let restored = 0;
  for await (const line of readLines(join(target, LIST))) {
    const { key, sizeBytes }: { key: string; sizeBytes: number } = JSON.parse(line);
    if ((await storage.head(key))?.sizeBytes === sizeBytes) continue;
    if (!copied.has(key)) {
      missing.push(key);
      continue;
    }
    await storage.put(key, join(target, FOLDER, key), typeOf(key));
    restored += 1;
    onProgress('media', restored, copied.size);
  }
  return { restored, missing };
}

/** By the ending that uploads gave the key. */
function typeOf(key: string): string {
  const types: Record<string, string> = {
    jpg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
    pdf: 'application/pdf',
  };
  return types[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
