/**
 * How tests and fault runs start the command line as a process of its own: the built program where it is as new as
 * its sources, which `npm test` sees to and which starts in half the time, or else the sources through tsx.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(PROJECT, 'dist', 'src', 'cli.js');
const STAMP = join(PROJECT, 'dist', '.tsbuildinfo');
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let words: readonly string[] | undefined;

/** What follows `node`, from any working folder; the files are checked once in a process. */
export function programToRun(): readonly string[] {
  words ??= isCurrent() ? [BUILT] : ['--import', TSX, join(PROJECT, 'src', 'cli.ts')];
  return words;
}

function isCurrent(): boolean {
  if (!existsSync(BUILT) || !existsSync(STAMP)) return false;
  const builtMs = statSync(STAMP).mtimeMs;
  return ['engine', 'adapters', 'src', 'migrations'].every((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .every((name) => statSync(join(PROJECT, folder, name)).mtimeMs < builtMs),
  );
}
