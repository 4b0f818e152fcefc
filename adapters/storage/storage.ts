/**
 * Where uploaded files live, as a port: whole files under flat, safe keys. `folder.ts` and `s3.ts` implement it and
 * pass one contract suite; the media side under `src` is written against this alone.
 */
import type { Readable } from 'node:stream';

/** Both ends count, from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface StoredFile {
  readonly sizeBytes: number;
  /** By the storage's own clock. */
  readonly modifiedAtMs: number;
}

export interface ListedFile extends StoredFile {
  readonly key: string;
}

export interface Storage {
  /** Keeps a copy of the file at `path`, whole or not at all; what was there under the key is replaced. */
  put(key: string, path: string, contentType: string): Promise<void>;
  /** The bytes as a stream, or null where there is no such file. */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  head(key: string): Promise<StoredFile | null>;
  /** A file that is not there is fine. */
  delete(key: string): Promise<void>;
  /** Everything, in the order of the keys' bytes. Files that come or go meanwhile may be missed. */
  list(): AsyncIterable<ListedFile>;
  close(): void;
}

/** The storage does not answer. HTTP turns the status into 503; nothing was recorded. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  readonly status = 503;
}

const SAFE_KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{2,126}$/;

export function isSafeKey(key: string): boolean {
  return SAFE_KEY.test(key);
}

/** Throws on keys that could mean anything but one flat file. */
export function requireSafeKey(key: string): string {
  if (!isSafeKey(key)) throw new TypeError(`not a storage key: ${JSON.stringify(key)}`);
  return key;
}
