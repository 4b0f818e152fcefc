/**
 * Loaded by mocha before all else: every temporary folder of a test run is in one of its own, which goes when the
 * run is over. Test files run in several processes; none of them sees the end of the run, so this is where it is
 * cleaned up after.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory: there a database is copied in a tenth of the time that a disk takes. */
const IN_MEMORY = '/dev/shm';
/** A run fills about 2 GiB. */
const ROOM_BYTES = 6 * 1024 ** 3;

let folder: string | undefined;

/** Called by mocha once, before the processes that run the files are made. */
export async function mochaGlobalSetup(): Promise<void> {
  folder = (await folderInMemory()) ?? (await mkdtemp(join(tmpdir(), 'rostrum-tests-')));
  // Servers that root must not run do their work in here as another user.
  await chmod(folder, 0o755);
  process.env['TMPDIR'] = folder;
}

/** Called by mocha once, after the last file. */
export async function mochaGlobalTeardown(): Promise<void> {
  // Guardians may still be stopping servers that write there.
  if (folder !== undefined)
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

/** Undefined where there is none with room from which programs may be run, as tests do. */
async function folderInMemory(): Promise<string | undefined> {
  try {
    await removeLeftovers();
    const { bavail, bsize } = await statfs(IN_MEMORY);
    if (bavail * bsize < ROOM_BYTES) return undefined;
    const made = await mkdtemp(join(IN_MEMORY, `rostrum-tests-${process.pid}-`));
    const program = join(made, 'program');
    await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
    if (spawnSync(program).status === 0) return made;
    await rm(made, { recursive: true, force: true });
  } catch {
    // No such folder, or not for this user.
  }
  return undefined;
}

/** Memory that runs still hold which were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(IN_MEMORY)) {
    const [, pid] = /^rostrum-tests-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      await rm(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}
