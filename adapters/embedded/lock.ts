/**
 * The lock of one data folder: at most one process runs servers on it. Called by `servers.ts` before anything is
 * started. A holder that was killed is recognized by its start time, so its lock is taken over at once.
 */
import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../engine/thrown.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './processes.ts';

/** What the holder does: a `start` lives long, a `command` ends by itself. */
export type LockPurpose = 'start' | 'command';

/** Who holds the lock. */
export interface LockHolder extends ProcessIdentity {
  readonly purpose: LockPurpose;
}

/** The result of one try: the lock with its release, or who holds it. */
export type LockAttempt =
  | { readonly held: true; readonly release: () => Promise<void> }
  | { readonly held: false; readonly holder: LockHolder | undefined };

/** Tries once to take the lock of `dataDir`, which must exist. */
export async function tryLock(dataDir: string, purpose: LockPurpose): Promise<LockAttempt> {
  const file = join(dataDir, 'servers.lock');
  const release = () => rm(file, { force: true });
  if (await create(file, purpose)) return { held: true, release };
  const holder = await readHolder(file);
  if (holder !== undefined && isAlive(holder)) return { held: false, holder };
  return (await takeOver(file, purpose)) ? { held: true, release } : { held: false, holder: undefined };
}

// Written aside and linked, so that nobody ever reads half a lock.
async function create(file: string, purpose: LockPurpose): Promise<boolean> {
  const temporary = `${file}.${process.pid}.${Math.trunc(performance.now() * 1000)}`;
  await writeFile(temporary, JSON.stringify({ ...ownIdentity(), purpose }), { mode: 0o600 });
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readHolder(file: string): Promise<LockHolder | undefined> {
  try {
    const holder: LockHolder = JSON.parse(await readFile(file, 'utf8'));
    return holder;
  } catch {
    return undefined;
  }
}

// Two starts may find the same dead holder: only the one that makes the folder may replace its lock.
async function takeOver(file: string, purpose: LockPurpose): Promise<boolean> {
  const guard = `${file}.turn`;
  try {
    await mkdir(guard);
  } catch {
    const made = await stat(guard).catch(() => undefined);
    // Replacing takes a millisecond: a folder of that age was left by one that was killed right there.
    if (made !== undefined && Date.now() - made.mtimeMs > 5_000) await rmdir(guard).catch(() => undefined);
    return false;
  }
  try {
    const holder = await readHolder(file);
    if (holder !== undefined && isAlive(holder)) return false;
    await rm(file, { force: true });
    return await create(file, purpose);
  } finally {
    await rmdir(guard).catch(() => undefined);
  }
}
