/**
 * Where the `start` on a data folder listens, for commands that are run alongside it: with `PORT=0`, or another PORT
 * than the command's, nobody else could know. `start` notes it once its web process is ready; a note whose process is
 * gone counts for nothing.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../../adapters/embedded/processes.ts';
import type { Config } from './config.ts';

const noteIn = (dataDir: string) => join(dataDir, 'address.json');

/** Notes where this process' web processes listen; the result takes the note back. */
export async function noteAddress(dataDir: string, url: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(noteIn(dataDir), JSON.stringify({ owner: ownIdentity(), url }), { mode: 0o600 });
  return () => rm(noteIn(dataDir), { force: true });
}

/** The public address where one is set, or the one that is listened on, or else what the configuration would give. */
export function addressFor(config: Config): string {
  return config.publicUrl ?? notedAddress(config.dataDir) ?? `http://${config.host}:${config.port}`;
}

function notedAddress(dataDir: string): string | null {
  try {
    const note: { owner: ProcessIdentity; url: string } = JSON.parse(readFileSync(noteIn(dataDir), 'utf8'));
    return isAlive(note.owner) ? note.url : null;
  } catch {
    return null;
  }
}
