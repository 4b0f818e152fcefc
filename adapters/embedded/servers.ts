/**
 * Postgres and Redis for a bare machine: called when no DATABASE_URL and REDIS_URL are set. `startEmbedded` runs the
 * pair on a data folder and is refused where another start runs; `borrowEmbedded` is for one-off commands. The
 * servers are real, keep their data under the folder, heal when they die, and never outlive this process by more than
 * five seconds.
 */
import { access, constants, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../engine/thrown.ts';
import { EmbeddedError } from './errors.ts';
import { type LockHolder, type LockPurpose, tryLock } from './lock.ts';
import { type PairReports, startPair } from './pair.ts';
import { findRunning, noteBorrower, publish, unpublish, waitForBorrowers } from './runtime-file.ts';

/** The addresses of a running pair. */
export interface EmbeddedServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Whether close() stops the servers, because this process runs them. */
  readonly owner: boolean;
  /**
   * Stops what this process runs: at once, within 7 s at worst; a command first lets borrowers finish (5 s). Safe to
   * call twice.
   */
  close(): Promise<void>;
}

/** What both starts take. */
export interface EmbeddedOptions {
  /** The data folder (DATA_DIR); made when missing, relative to the working folder. */
  readonly dataDir: string;
  /** Receives progress messages, one short line each. */
  readonly onProgress?: (line: string) => void;
  /**
   * Called with false when a server has died while this process runs it, and with true when it answers again on the
   * same address.
   */
  readonly onServerDied?: (name: 'postgres' | 'redis', restarted: boolean) => void;
}

const patienceMs = 30_000;
const borrowersMs = 5_000;

/**
 * Starts the pair under `dataDir`. Waits for a one-off command that runs it just now.
 * @throws EmbeddedError in one sentence, when another start runs on the folder or this machine cannot run the servers.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServers> {
  const dataDir = await makeFolder(options.dataDir);
  const until = performance.now() + patienceMs;
  for (let hasReported = false; ; hasReported = true) {
    const attempt = await tryLock(dataDir, 'start');
    if (attempt.held) return run(dataDir, 'start', options, attempt.release);
    if (attempt.holder?.purpose === 'start' || performance.now() > until)
      throw inUse(dataDir, attempt.holder);
    if (!hasReported) options.onProgress?.('Waiting for a command that uses the same data folder');
    await sleep(50);
  }
}

/**
 * The pair of the process that runs it on `dataDir` (then close() leaves it running), or one that is started for this
 * process.
 * @throws EmbeddedError in one sentence.
 */
export async function borrowEmbedded(options: EmbeddedOptions): Promise<EmbeddedServers> {
  const dataDir = await makeFolder(options.dataDir);
  const until = performance.now() + patienceMs;
  for (;;) {
    const attempt = await tryLock(dataDir, 'command');
    if (attempt.held) return run(dataDir, 'command', options, attempt.release);
    const borrowed = await borrow(dataDir);
    if (borrowed !== undefined) return borrowed;
    if (performance.now() > until) throw inUse(dataDir, attempt.holder);
    await sleep(50);
  }
}

async function run(
  dataDir: string,
  purpose: LockPurpose,
  options: EmbeddedOptions,
  release: () => Promise<void>,
): Promise<EmbeddedServers> {
  const reports: PairReports = {
    onProgress: options.onProgress ?? (() => undefined),
    ...(options.onServerDied === undefined ? {} : { onServerDied: options.onServerDied }),
  };
  try {
    await unpublish(dataDir);
    const pair = await startPair(dataDir, reports);
    const { databaseUrl, redisUrl } = pair;
    await publish(dataDir, { databaseUrl, redisUrl });
    const close = async () => {
      await unpublish(dataDir);
      if (purpose === 'command') await waitForBorrowers(dataDir, borrowersMs);
      await pair.close();
      await release();
    };
    let closed: Promise<void> | undefined;
    return {
      databaseUrl,
      redisUrl,
      owner: true,
      close() {
        closed ??= close();
        return closed;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function borrow(dataDir: string): Promise<EmbeddedServers | undefined> {
  if ((await findRunning(dataDir)) === undefined) return undefined;
  const giveBack = await noteBorrower(dataDir);
  // Read again: an owner that closes takes the addresses back first and then waits for those who noted themselves.
  const running = await findRunning(dataDir);
  if (running === undefined) {
    await giveBack();
    return undefined;
  }
  return { databaseUrl: running.databaseUrl, redisUrl: running.redisUrl, owner: false, close: giveBack };
}

async function makeFolder(dataDir: string): Promise<string> {
  if (process.platform === 'win32') {
    throw new EmbeddedError('The embedded servers need Linux or macOS: set DATABASE_URL and REDIS_URL.');
  }
  const folder = resolve(dataDir);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return folder;
  } catch (error) {
    throw new EmbeddedError(`The data folder ${folder} cannot be used: ${messageOf(error)}`);
  }
}

function inUse(dataDir: string, holder: LockHolder | undefined): EmbeddedError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new EmbeddedError(
    `Another start runs on ${dataDir} (${who}): stop it first, or set DATA_DIR to another folder.`,
  );
}
