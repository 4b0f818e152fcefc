/** What is in a backup's folder: `manifest.json` says what is complete, and files appear there whole. */
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { messageOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';

export interface Manifest {
  readonly format: 1;
  readonly version: string;
  readonly startedAt: string;
  /** The migrations of the schema that was dumped. */
  readonly migrations: readonly string[];
  readonly epoch: string;
  /** Rows of each table; null until Postgres and the journal are complete. */
  readonly tables: Readonly<Record<string, number>> | null;
  /** Keys of each part of the journal. */
  readonly journal: Readonly<Record<string, number>> | null;
  readonly media: { readonly mode: 'list' | 'copy'; readonly files: number; readonly bytes: number } | null;
  readonly finishedAt: string | null;
}

const FILE = 'manifest.json';

/** The folder's manifest, or null where there is none. Throws `InputError` for one that cannot be read. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw new InputError(`${folder}: ${error.message}`);
  });
  if (text === null) return null;
  try {
    const manifest: Manifest = JSON.parse(text);
    if (manifest.format === 1) return manifest;
  } catch {
    // Said below.
  }
  throw new InputError(`${join(folder, FILE)} is not a backup made by this program`);
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = join(folder, `${FILE}.part`);
  await writeFile(temporary, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(temporary, join(folder, FILE));
}

/** Writes lines into a compressed file that only its owner may read: it holds secrets of people. */
export async function writeLines(
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const temporary = `${file}.part`;
  const text = async function* () {
    for await (const line of lines) yield `${line}\n`;
  };
  await pipeline(
    Readable.from(text()),
    createGzip({ level: 6 }),
    createWriteStream(temporary, { mode: 0o600, flush: true }),
  );
  await rename(temporary, file);
}

/** The lines of such a file. Throws `InputError` for one that is not there or not whole. */
export async function* readLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const text = source.pipe(createGunzip()).setEncoding('utf8');
  source.on('error', (error) => text.destroy(error));
  // A line may be a whole shard: it is put together once, when its end has come.
  let begun: string[] = [];
  try {
    for await (const chunk of text) {
      const [first = '', ...others] = String(chunk).split('\n');
      begun.push(first);
      for (const next of others) {
        yield begun.join('');
        begun = [next];
      }
    }
  } catch (error) {
    throw new InputError(`the backup is damaged: ${file}: ${messageOf(error)}`);
  }
}
