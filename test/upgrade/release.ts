/**
 * The release before the present one: found by its tag, taken out of the repository and built alongside it, on the same
 * packages.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 1 << 30 }).trim();

export interface Release {
  readonly revision: string;
  /** Why it was chosen, for readers of the output. */
  readonly why: string;
}

/**
 * The newest tag `v…` behind the present state. A clone without tags has none; then it is the revision before the last
 * change of the schema, which is the hardest that its history offers.
 */
export function releaseBefore(wanted: string | undefined): Release {
  if (wanted !== undefined) return { revision: git('rev-parse', wanted), why: wanted };
  const [tag] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
  if (tag) return { revision: git('rev-parse', `${tag}^{commit}`), why: `the release ${tag}` };
  const changed = git('log', '-1', '--format=%H', '--', 'migrations');
  const why = 'no tag v* is here: the revision before the last change of the schema';
  return { revision: git('rev-parse', `${changed}^`), why };
}

/** Builds a revision under `folder` and gives its command line. */
export async function buildRelease({ revision }: Release, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', revision], { cwd: PROJECT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const compiler = join(folder, 'node_modules', '.bin', 'tsc');
  execFileSync(compiler, ['-p', 'tsconfig.json'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  return join(folder, 'dist', 'src', 'cli.js');
}
