/**
 * Loaded by mocha before all else: every temporary folder of a test run is in one of its own, which goes when the
 * run is over. Test files run in several processes; none of them sees the end of the run, so this is where it is
 * cleaned up after.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** Called by mocha once, before the processes that run the files are made. */
export async function mochaGlobalSetup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'rostrum-tests-'));
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
