/**
 * Files in a local folder, spread over subfolders by the first two characters of their keys. A file appears under its
 * key only when all of it is on the disk: it is written alongside its path and renamed. What a killed process leaves
 * behind of one is under its own key, which `list` shows like all others.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCodeOf } from '../../engine/thrown.ts';
import {
  type ByteRange,
  isSafeKey,
  type ListedFile,
  requireSafeKey,
  type Storage,
  type StoredFile,
} from './storage.ts';

const SHARD = /^[A-Za-z0-9][A-Za-z0-9._-]$/;

export class FolderStorage implements Storage {
  readonly #folder: string;

  /** The folder need not be there yet. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(key: string, sourcePath: string): Promise<void> {
    const target = this.#pathOf(key);
    const beside = `${target.slice(0, target.length - key.length)}${key.slice(0, 2)}${randomBytes(8).toString('hex')}.part`;
    await mkdir(join(this.#folder, key.slice(0, 2)), { recursive: true });
    try {
      const file = await open(beside, 'wx');
      await pipeline(createReadStream(sourcePath), file.createWriteStream({ flush: true }));
      await rename(beside, target);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | null> {
    const file = await orMissing(open(this.#pathOf(key), 'r'));
    return file === null ? null : file.createReadStream(range ?? {});
  }

  async head(key: string): Promise<StoredFile | null> {
    const found = await orMissing(stat(this.#pathOf(key)));
    return found === null ? null : { sizeBytes: found.size, modifiedAtMs: found.mtimeMs };
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async *list(): AsyncIterable<ListedFile> {
    const shards = (await orMissing(readdir(this.#folder, { withFileTypes: true }))) ?? [];
    for (const shard of inOrder(shards.filter((entry) => entry.isDirectory() && SHARD.test(entry.name)))) {
      const entries = (await orMissing(readdir(join(this.#folder, shard), { withFileTypes: true }))) ?? [];
      const files = entries.filter((entry) => entry.isFile() && isSafeKey(entry.name));
      for (const key of inOrder(files.filter((entry) => entry.name.startsWith(shard)))) {
        const file = await this.head(key);
        if (file !== null) yield { key, ...file };
      }
    }
  }

  close(): void {}

  #pathOf(key: string): string {
    requireSafeKey(key);
    return join(this.#folder, key.slice(0, 2), key);
  }
}

function inOrder(entries: readonly { readonly name: string }[]): string[] {
  // Keys are ASCII, so the order of their UTF-16 units is that of their bytes.
  return entries.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1));
}

async function orMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
