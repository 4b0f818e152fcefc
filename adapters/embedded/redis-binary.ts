/**
 * Finds a Redis server program: `redis-server` or `valkey-server` on PATH, one that an earlier start unpacked, or
 * else the distribution's own packages, fetched and unpacked without touching the system. Called once per start.
 */
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolders } from './cache-folders.ts';
import { EmbeddedError } from './errors.ts';
import type { Preparation } from './preparation.ts';
import { downloadRedis, programIn, type RedisBinary } from './redis-download.ts';
import { run } from './run.ts';

const lowestMajor = 7;

/**
 * Finds or fetches a server of version 7.0 or later.
 * @throws EmbeddedError naming the command to install one.
 */
export async function findRedis(preparation: Preparation): Promise<RedisBinary> {
  const { dataDir } = preparation;
  for (const name of ['redis-server', 'valkey-server']) {
    const path = (await run('/bin/sh', ['-c', `command -v ${name}`])).stdout.trim();
    if (path.startsWith('/') && (await isUsable({ path }))) return { path };
  }
  const own = join(dataDir, 'programs', 'redis');
  const unpacked = await usableIn(own);
  if (unpacked !== undefined) return unpacked;
  const kept = cacheFolders(dataDir)
    .map((folder) => join(folder, 'redis'))
    .filter((folder) => folder !== own);
  for (const folder of kept) {
    if ((await usableIn(folder)) === undefined) continue;
    await copyFolder(folder, own);
    const copied = await usableIn(own);
    if (copied !== undefined) return copied;
  }
  const problem = await downloadRedis(own, preparation);
  const fetched = problem === undefined ? await usableIn(own) : undefined;
  if (fetched === undefined) throw notFound(problem ?? 'the downloaded one does not run');
  const keep = kept[0];
  // Only a convenience for the next DATA_DIR of this user.
  if (keep !== undefined) await copyFolder(own, keep).catch(() => undefined);
  return fetched;
}

function notFound(problem: string): EmbeddedError {
  const command = process.platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
  return new EmbeddedError(
    `No Redis ${lowestMajor}.0 or later was found (${problem}): install one with "${command}", or set REDIS_URL.`,
  );
}

async function usableIn(folder: string): Promise<RedisBinary | undefined> {
  const binary = await programIn(folder);
  return binary !== undefined && (await isUsable(binary)) ? binary : undefined;
}

async function isUsable(binary: RedisBinary): Promise<boolean> {
  const result = await run(binary.path, ['--version'], { env: redisEnvironment(binary), timeoutMs: 10_000 });
  const major = /\bv=(\d+)\./.exec(result.stdout)?.[1];
  return result.code === 0 && major !== undefined && Number(major) >= lowestMajor;
}

/** The whole environment that the program runs with. */
export function redisEnvironment(binary: RedisBinary): Record<string, string> {
  const base = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return binary.libraryPath === undefined ? base : { ...base, LD_LIBRARY_PATH: binary.libraryPath };
}

async function copyFolder(from: string, to: string): Promise<void> {
  const building = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await cp(from, building, { recursive: true, verbatimSymlinks: true });
  await rm(to, { recursive: true, force: true });
  // Another start may have been faster: its copy is as good.
  await rename(building, to).catch(() => rm(building, { recursive: true, force: true }));
}
