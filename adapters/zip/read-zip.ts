/**
 * The files in a ZIP archive, one after the other, without trusting anything that it says of itself: so many files,
 * each of so many bytes at most as they are unpacked, under names that nothing is written to.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

export interface ZipLimits {
  /** Files of other names are passed over, and do not count. */
  readonly isWanted: (name: string) => boolean;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

export interface ZipEntry {
  /** The path in the archive, as it says. */
  readonly name: string;
  /** Writes the bytes there. What is beyond the limit, encrypted, or broken is not whole afterwards. */
  unpack(path: string): Promise<'whole' | 'too_large' | 'unreadable'>;
}

/** The file is no archive, or one of which nothing can be read; the message is for people. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

const END = 0x0605_4b50;
const ENTRY = 0x0201_4b50;
const LOCAL = 0x0403_4b50;
const MAX_DIRECTORY_BYTES = 8 * 1024 * 1024;

/** Whether a file begins like an archive. Throws where it cannot be read. */
export async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return (await bytesAt(file, 0, 4)).equals(Buffer.from('PK\u0003\u0004', 'latin1'));
  } finally {
    await file.close();
  }
}

/** Calls `take` with the wanted files of the archive in the order of its directory. Throws `ZipError`. */
export async function readZip(
  path: string,
  { isWanted, maxFiles, maxBytes }: ZipLimits,
  take: (entries: readonly ZipEntry[]) => Promise<void>,
): Promise<void> {
  const file = await open(path);
  try {
    const entries = (await directoryOf(file)).filter(({ name }) => isWanted(name));
    if (entries.length > maxFiles) throw new ZipError(`The archive has more than ${maxFiles} files.`);
    await take(
      entries.map((entry) => ({ name: entry.name, unpack: (to) => unpack(file, entry, to, maxBytes) })),
    );
  } finally {
    await file.close();
  }
}

interface Listed {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly localAt: number;
}

async function directoryOf(file: FileHandle): Promise<Listed[]> {
  const { size } = await file.stat();
  const tailAt = Math.max(0, size - 65_557);
  const tail = await bytesAt(file, tailAt, size - tailAt);
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at -= 1;
  if (at < 0) throw new ZipError('The archive is broken: it has no list of its files.');
  const bytes = tail.readUInt32LE(at + 12);
  const from = tail.readUInt32LE(at + 16);
  if (bytes === 0xffff_ffff || from === 0xffff_ffff || bytes > MAX_DIRECTORY_BYTES)
    throw new ZipError('The archive is too large.');
  const directory = await bytesAt(file, from, bytes);
  const entries: Listed[] = [];
  for (let next = 0; next + 46 <= directory.length && directory.readUInt32LE(next) === ENTRY; ) {
    const nameBytes = directory.readUInt16LE(next + 28);
    const flags = directory.readUInt16LE(next + 8);
    const name = directory
      .subarray(next + 46, next + 46 + nameBytes)
      .toString((flags & 0x800) === 0 ? 'latin1' : 'utf8');
    if (!name.endsWith('/'))
      entries.push({
        name,
        isEncrypted: (flags & 1) !== 0,
        method: directory.readUInt16LE(next + 10),
        packedBytes: directory.readUInt32LE(next + 20),
        localAt: directory.readUInt32LE(next + 42),
      });
    next += 46 + nameBytes + directory.readUInt16LE(next + 30) + directory.readUInt16LE(next + 32);
  }
  return entries;
}

async function unpack(
  file: FileHandle,
  { isEncrypted, method, packedBytes, localAt }: Listed,
  to: string,
  maxBytes: number,
): Promise<'whole' | 'too_large' | 'unreadable'> {
  if (isEncrypted || (method !== 0 && method !== 8)) return 'unreadable';
  const local = await bytesAt(file, localAt, 30);
  if (local.length < 30 || local.readUInt32LE(0) !== LOCAL) return 'unreadable';
  const start = localAt + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (method === 0 && packedBytes > maxBytes) return 'too_large';
  const target = await open(to, 'wx');
  let written = 0;
  try {
    const packed = packedChunks(file, start, packedBytes);
    const write = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        written += chunk.length;
        if (written > maxBytes) throw new TooLarge();
        await target.write(chunk);
      }
    };
    if (method === 0) await write(packed);
    else await pipeline(packed, createInflateRaw(), write);
    return 'whole';
  } catch (error) {
    return error instanceof TooLarge ? 'too_large' : 'unreadable';
  } finally {
    await target.close();
  }
}

class TooLarge extends Error {}

async function* packedChunks(file: FileHandle, start: number, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const chunk = await bytesAt(file, start + at, Math.min(64 * 1024, bytes - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}

async function bytesAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}
