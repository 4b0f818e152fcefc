/**
 * How processes on one data folder find the running pair: a file with the addresses, and one small file per borrower.
 * Written by the process that runs the servers, read by one-off commands; all of mode 600, since the addresses hold
 * passwords.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, ownIdentity, type ProcessIdentity } from './processes.ts';

/** The running pair. */
export interface RunningPair {
  readonly owner: ProcessIdentity;
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

const runtimeFile = (dataDir: string) => join(dataDir, 'servers.json');
const borrowersFolder = (dataDir: string) => join(dataDir, 'borrowers');

/** Publishes the addresses to everybody who may read the folder. */
export async function publish(
  dataDir: string,
  addresses: { databaseUrl: string; redisUrl: string },
): Promise<void> {
  const temporary = `${runtimeFile(dataDir)}.new`;
  await writeFile(temporary, JSON.stringify({ owner: ownIdentity(), ...addresses }, null, 2), {
    mode: 0o600,
  });
  await rename(temporary, runtimeFile(dataDir));
}

/** Takes the addresses back. */
export async function unpublish(dataDir: string): Promise<void> {
  await rm(runtimeFile(dataDir), { force: true });
}

/** The pair that a live process runs on this folder, if any. */
export async function findRunning(dataDir: string): Promise<RunningPair | undefined> {
  try {
    const running: RunningPair = JSON.parse(await readFile(runtimeFile(dataDir), 'utf8'));
    return isAlive(running.owner) ? running : undefined;
  } catch {
    return undefined;
  }
}

/** Notes that this process uses somebody else's pair; the result takes the note back. */
export async function noteBorrower(dataDir: string): Promise<() => Promise<void>> {
  const identity = ownIdentity();
  const file = join(borrowersFolder(dataDir), `${identity.pid}.${Math.trunc(performance.now() * 1000)}.json`);
  await mkdir(borrowersFolder(dataDir), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(identity), { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** Waits until no live borrower is left, at most `withinMs`. */
export async function waitForBorrowers(dataDir: string, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while ((await hasBorrowers(dataDir)) && performance.now() < until) await sleep(50);
}

async function hasBorrowers(dataDir: string): Promise<boolean> {
  for (const name of await readdir(borrowersFolder(dataDir)).catch(() => [])) {
    const file = join(borrowersFolder(dataDir), name);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined || text === '') continue;
    const borrower: ProcessIdentity = JSON.parse(text);
    if (isAlive(borrower)) return true;
    await rm(file, { force: true });
  }
  return false;
}
