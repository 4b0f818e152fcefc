/**
 * What the tests of the embedded servers share: a holder process, the servers' process ids, and small reads and
 * writes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { createClient } from 'redis';
import { processStart, worksIn } from '../../../adapters/embedded/processes.ts';

/** What a holder prints. */
export interface Started {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly owner: boolean;
  readonly error?: string;
}

/** A process that runs or borrows the pair. */
export interface Holder {
  readonly child: ChildProcess;
  readonly started: Started;
}

/** How a holder is run. */
export interface HolderOptions {
  readonly how?: 'start' | 'borrow';
  /** Words in front of node's, such as `setpriv …`. */
  readonly wrapper?: readonly string[];
  readonly script?: string;
  readonly env?: Record<string, string>;
  readonly detached?: boolean;
}

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const ownScript = fileURLToPath(new URL('./hold.ts', import.meta.url));

/** Starts a holder and waits for its line. */
export async function hold(dataDir: string, options: HolderOptions = {}): Promise<Holder> {
  const { how = 'start', wrapper = [], script = ownScript, env = {}, detached = false } = options;
  const words = [...wrapper, process.execPath, '--import', tsx, script, dataDir, how];
  const child = spawn(words[0]!, words.slice(1), {
    cwd: '/',
    detached,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('\n')) return { child, started: JSON.parse(text) as Started };
  }
  throw new Error(`the holder ended without a line: ${text}`);
}

/** A folder of the test's own; `mode` defaults to 700. */
export async function temporaryFolder(mode = 0o700): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-embedded-'));
  await chmod(folder, mode);
  return folder;
}

/** Removes the folder. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** The process ids of the two servers on this data folder, as their own files say. */
export function serverPids(dataDir: string): { postgres: number; redis: number } {
  const first = (file: string) => Number(readFileSync(join(dataDir, file), 'utf8').split('\n')[0]);
  return { postgres: first('postgres/postmaster.pid'), redis: first('redis/redis.pid') };
}

/** Every live process that works in one of the data folders: the servers and Postgres' children. */
export function processesOn(dataDir: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const folders = ['postgres', 'redis'].map((name) => join(dataDir, name));
  return pids.filter((pid) => folders.some((folder) => worksIn(pid, folder)));
}

/** The guardians whose parent is `pid`. */
export function guardiansOf(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((candidate) => {
    try {
      const command = readFileSync(`/proc/${candidate}/cmdline`, 'utf8');
      const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${candidate}/status`, 'utf8'))?.[1]);
      return parent === pid && command.includes('rostrum-guardian');
    } catch {
      return false;
    }
  });
}

/** Whether a process is alive. */
export function isRunning(pid: number): boolean {
  return processStart(pid) !== undefined;
}

/** Resolves with the milliseconds until the condition held; throws after `withinMs`. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<number> {
  const begin = performance.now();
  while (!(await condition())) {
    if (performance.now() - begin > withinMs) throw new Error(`not within ${withinMs} ms`);
    await sleep(20);
  }
  return performance.now() - begin;
}

/** Runs one statement. */
export async function query(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Sends one Redis command. */
export async function redis(redisUrl: string, ...words: string[]): Promise<unknown> {
  const client = createClient({ url: redisUrl, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}
