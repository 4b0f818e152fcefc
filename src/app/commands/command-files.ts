/** Files that commands are given. */
import { readFile, stat } from 'node:fs/promises';
import { messageOf } from '../../../engine/thrown.ts';
import { InputError } from '../../shared/input-error.ts';

const MIB = 1024 ** 2;

/** The text of a file, or for `-` of what is piped in. Throws an `InputError` for what is too large or not there. */
export async function readCommandFile(file: string, maxMib: number): Promise<string> {
  const path = file === '-' ? '/dev/stdin' : file;
  try {
    if ((await stat(path)).size > maxMib * MIB)
      throw new InputError(`file: ${file} is over ${maxMib} MiB; split it`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`file: cannot read ${file}: ${messageOf(error)}`);
  }
}
