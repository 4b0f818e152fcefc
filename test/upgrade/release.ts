/**
 * The release before the present state: named with its commit in the changelog, taken out of the repository and built
 * alongside it, on the same packages.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';
import { namedReleases } from '../support/releases.ts';

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: PROJECT_ROOT, encoding: 'utf8', maxBuffer: 1 << 30 }).trim();

export interface Release {
  readonly revision: string;
  /** Why it was chosen, for readers of the output. */
  readonly why: string;
}

/** The newest release that the changelog names, or a revision that is wanted instead. */
export function releaseBefore(wanted: string | undefined): Release {
  if (wanted !== undefined) return { revision: git('rev-parse', wanted), why: wanted };
  const [newest] = namedReleases();
  if (newest === undefined) throw new Error('CHANGELOG.md names no release: name a revision with --from');
  return { revision: git('rev-parse', `${newest.commit}^{commit}`), why: `release ${newest.version}` };
}

/** Builds a revision under `folder` and gives its command line. */
export async function buildRelease({ revision }: Release, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', revision], { cwd: PROJECT_ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  const compiler = join(folder, 'node_modules', '.bin', 'tsc');
  execFileSync(compiler, ['-p', 'tsconfig.json'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  return join(folder, 'dist', 'src', 'cli.js');
}
