/**
 * Downloads the distribution's Redis with apt-get and unpacks it into a folder, without root and without changing the
 * system. apt's lists, state and cache are kept in a separate folder; libraries that ldd finds missing are downloaded
 * too. Called when no Redis is on PATH and none was unpacked before.
 */
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Preparation } from './preparation.ts';
import { lastLine, type RunResult, run } from './run.ts';

/** A program and the folder of shared libraries it needs, when it brings its own. */
export interface RedisBinary {
  readonly path: string;
  readonly libraryPath?: string;
}

/** The server's own packages on Debian and Ubuntu; `redis-server` itself holds only a link and scripts. */
const packages = ['redis-tools', 'libjemalloc2', 'liblzf1'];

/** The server unpacked in `folder`, or undefined when there is none. */
export async function programIn(folder: string): Promise<RedisBinary | undefined> {
  const path = join(folder, 'usr', 'bin', 'redis-server');
  const libraries = await readdir(join(folder, 'usr', 'lib')).catch(() => undefined);
  if (libraries === undefined) return undefined;
  const folders = libraries
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(folder, 'usr', 'lib', name));
  return { path, libraryPath: [...folders, join(folder, 'usr', 'lib')].join(':') };
}

/**
 * Fetches and unpacks the server into `folder`.
 * @returns undefined, or why it was not possible.
 */
export async function downloadRedis(folder: string, preparation: Preparation): Promise<string | undefined> {
  const { onProgress } = preparation;
  if ((await run('apt-get', ['--version'])).code !== 0)
    return 'and this system has no apt-get to download one with';
  const work = `${folder}.new`;
  await rm(work, { recursive: true, force: true });
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'packages', 'root']) {
    await mkdir(join(work, part), { recursive: true, mode: 0o700 });
  }
  try {
    onProgress('Redis: downloading the package lists');
    // One source that is unavailable does not matter as long as the packages come: the download below is the judge.
    await apt(work, preparation, ['update', '-qq']);
    onProgress(`Redis: fetching ${packages.join(', ')}`);
    const problem = await fetchAndUnpack(work, preparation, packages);
    if (problem !== undefined) return problem;
    await symlink('redis-check-rdb', join(work, 'root/usr/bin/redis-server')).catch(() => undefined);
    if (await lacksLibraries(join(work, 'root'))) {
      onProgress('Redis: downloading the libraries that are missing here');
      await fetchAndUnpack(work, preparation, await dependencies(work));
    }
    await rm(folder, { recursive: true, force: true });
    await rename(join(work, 'root'), folder);
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function apt(work: string, { guard }: Preparation, args: readonly string[]): Promise<RunResult> {
  const onPid = (pid: number | undefined) => guard('apt', pid);
  return run('apt-get', [...aptOptions(work), ...args], { cwd: join(work, 'packages'), onPid });
}

function aptOptions(work: string): string[] {
  const values = {
    'Dir::State': join(work, 'state'),
    'Dir::State::lists': join(work, 'state', 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(work, 'cache'),
    // apt's own account could not write below a folder of mode 700.
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '10',
    'Acquire::https::Timeout': '10',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

async function fetchAndUnpack(
  work: string,
  preparation: Preparation,
  names: readonly string[],
): Promise<string | undefined> {
  const cwd = join(work, 'packages');
  const result = await apt(work, preparation, ['-qq', 'download', ...names]);
  if (result.code !== 0) return `apt-get could not download it: ${lastLine(result.stderr)}`;
  for (const file of await readdir(cwd)) {
    const unpacked = await run('dpkg', ['-x', join(cwd, file), join(work, 'root')]);
    if (unpacked.code !== 0) return `dpkg could not unpack ${file}: ${lastLine(unpacked.stderr)}`;
    await rm(join(cwd, file));
  }
  return undefined;
}

async function lacksLibraries(root: string): Promise<boolean> {
  const binary = await programIn(root);
  if (binary === undefined) return false;
  const result = await run('ldd', [binary.path], {
    env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: binary.libraryPath ?? '' },
  });
  return result.stdout.includes('not found');
}

/**
 * The libraries that redis-tools itself names. What those need in turn belongs to every system that has apt; the C
 * library is the system's own, as it must fit its loader.
 */
async function dependencies(work: string): Promise<string[]> {
  const result = await run('apt-cache', [...aptOptions(work), 'depends', '--important', 'redis-tools']);
  const names = [...result.stdout.matchAll(/^\s*\|?Depends: (lib[\w.+-]+)$/gm)].map(
    (match) => match[1] ?? '',
  );
  return names.filter((name) => !name.startsWith('libc6') && !packages.includes(name));
}
