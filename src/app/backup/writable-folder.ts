/** The folder that a backup goes to: made step by step, and tried before anything is read. */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, systemCodeOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';

/** Makes the folder where it is missing, and throws `InputError` where nothing can be written into it. */
export async function requireWritable(folder: string): Promise<void> {
  const target = resolve(folder);
  const trial = join(target, `.trial-${process.pid}`);
  try {
    await makeFolder(target);
    await writeFile(trial, '', { mode: 0o600 });
    await rm(trial);
  } catch (error) {
    throw new InputError(`${folder} cannot be written: ${messageOf(error)}; name another folder`);
  }
}

/**
 * Makes a folder for its owner alone, with those above it. Node's recursive way tries for ever where the system says
 * that the folder above is missing though it is there, as `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch(async (error: unknown) => {
    if (systemCodeOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
