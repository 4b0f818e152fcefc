/** Where the project's own files lie, whether it runs from its sources or from `dist`. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** The folder with package.json in it. */
export const PROJECT_ROOT = findRoot();

/** The version that package.json names. */
export async function programVersion(): Promise<string> {
  const text = await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

/** The folder of the Lua scripts. */
export const REDIS_SCRIPTS = join(PROJECT_ROOT, 'adapters', 'redis');
