/**
 * Keeps one embedded server running: starts it in its own session, waits until it answers, starts it again on
 * the same port when it dies, and stops it in order. Called for Postgres and for Redis alike; what differs is in
 * their `ServerProgram`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError } from './errors.ts';
import type { StopStep } from './processes.ts';
import { stopProcess } from './processes.ts';
import { lastLine } from './run.ts';

/** The names of the two servers. */
export type ServerName = 'postgres' | 'redis';

/** One server, ready to be launched any number of times with the same data and the same port. */
export interface ServerProgram {
  readonly name: ServerName;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** The data folder, and the process' working folder. */
  readonly folder: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly logFile: string;
  readonly port: number;
  /** Whether the launched process `pid` answers now. */
  isReady(pid: number): Promise<boolean>;
  readonly stopSteps: readonly StopStep[];
}

/** What the supervisor reports. */
export interface SupervisorHooks {
  /** A new process, or undefined when the server was stopped in order. */
  onPid?: (name: ServerName, pid: number | undefined) => void;
  /** Called with false when a server has died, and with true when it answers again. */
  onServerDied?: (name: ServerName, restarted: boolean) => void;
}

/** A server that runs and is kept running. */
export interface SupervisedServer {
  readonly port: number;
  pid(): number | undefined;
  /** Stops the server permanently; safe to call twice. */
  close(): Promise<void>;
}

const readyWithinMs = 120_000;
const maxLogBytes = 8 * 1024 * 1024;
const longestPauseMs = 5_000;

/**
 * Starts the server, resolves when it answers, and from then on starts it again whenever it dies.
 * @throws EmbeddedError with the log's last line when it does not start the first time.
 */
export async function supervise(program: ServerProgram, hooks: SupervisorHooks): Promise<SupervisedServer> {
  let child = await launch(program, hooks);
  let upSince = performance.now();
  let reviving: Promise<void> | undefined;
  const closing = new AbortController();

  const revive = async () => {
    // One that dies right after it came up must not be started without a pause.
    let pauseMs = performance.now() - upSince < 2_000 ? 200 : 0;
    while (!closing.signal.aborted) {
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      try {
        child = await launch(program, hooks, closing.signal);
        upSince = performance.now();
        hooks.onServerDied?.(program.name, true);
        watch();
        return;
      } catch {
        // A full disk, a port that is still held: retried, because the service heals when the server is back.
        pauseMs = Math.min(pauseMs * 2 + 100, longestPauseMs);
      }
    }
  };
  const died = () => {
    if (closing.signal.aborted) return;
    hooks.onServerDied?.(program.name, false);
    reviving = revive();
  };
  const watch = () => {
    if (hasExited(child)) died();
    else child.once('exit', died);
  };
  watch();

  const stop = async () => {
    closing.abort();
    await reviving;
    if (child.pid !== undefined) await stopProcess(child.pid, program.stopSteps, () => hasExited(child));
    hooks.onPid?.(program.name, undefined);
  };
  let stopped: Promise<void> | undefined;
  return {
    port: program.port,
    pid: () => (hasExited(child) ? undefined : child.pid),
    close() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/**
 * Starts the server once and resolves when it answers, without supervising it any further.
 * @throws EmbeddedError when it does not start.
 */
export async function launch(
  program: ServerProgram,
  hooks: SupervisorHooks = {},
  cancelled?: AbortSignal,
): Promise<ChildProcess> {
  const child = spawnServer(program);
  const state: { failure?: Error } = {};
  const failed = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      state.failure = error;
      resolve();
    });
  });
  child.unref();
  if (child.pid === undefined) await failed;
  else hooks.onPid?.(program.name, child.pid);
  const until = performance.now() + readyWithinMs;
  while (!hasExited(child) && state.failure === undefined && cancelled?.aborted !== true) {
    if (child.pid !== undefined && (await program.isReady(child.pid))) return child;
    if (performance.now() > until) break;
    await sleep(10);
  }
  if (child.pid !== undefined) await stopProcess(child.pid, program.stopSteps, () => hasExited(child));
  const reason = state.failure?.message ?? lastLogLine(program.logFile);
  throw new EmbeddedError(
    `The embedded ${titles[program.name]} did not start: ${reason} (log: ${program.logFile})`,
  );
}

const titles = { postgres: 'Postgres', redis: 'Redis' } as const;

function spawnServer(program: ServerProgram): ChildProcess {
  mkdirSync(dirname(program.logFile), { recursive: true });
  if (existsSync(program.logFile) && statSync(program.logFile).size > maxLogBytes)
    truncateSync(program.logFile);
  const log = openSync(program.logFile, 'a', 0o600);
  try {
    return spawn(program.command, program.args, {
      cwd: program.folder,
      env: program.env,
      // Its own session: Ctrl-C reaches the whole process group, and the servers must outlive the bids in flight.
      detached: true,
      stdio: ['ignore', log, log],
      ...(program.uid === undefined ? {} : { uid: program.uid, gid: program.gid }),
    });
  } finally {
    closeSync(log);
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function lastLogLine(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lastLine(
      lines.filter((line) => /FATAL|PANIC|Fatal|Can't|Could not|#/.test(line)).at(-1) ?? lines.join('\n'),
    );
  } catch {
    return 'it wrote no log';
  }
}
