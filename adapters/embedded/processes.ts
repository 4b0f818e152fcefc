/**
 * What the embedded servers need to know about other processes: is it alive, is it still the same one, whose is it.
 * Called by the lock, the leftovers' clean-up and the supervisor. A process id alone is never trusted, because the
 * system gives ids out again: a process is known by its start time, or by the folder that it works in.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that can be distinguished from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** When the process started, in the system's own words; undefined when there is none (a zombie is none). */
export function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold spaces: count the fields behind it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  const shown = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return shown === '' ? undefined : shown;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: processStart(process.pid) ?? 'unknown' };
}

/** Whether that very process is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  return processStart(identity.pid) === identity.startedAt;
}

/** Whether a live process `pid` is a server whose data is `folder`. */
export function worksIn(pid: number, folder: string): boolean {
  if (processStart(pid) === undefined) return false;
  try {
    const real = realpathSync(folder);
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === real;
    const shown = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
    return shown.includes(folder) || shown.includes(real);
  } catch {
    return false;
  }
}

/** A signal and how long to wait for the process to go before the next one is sent. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
}

/**
 * Sends the signals one after the other until the process is gone.
 * @param isGone says when to stop; polled every 20 ms.
 */
export async function stopProcess(
  pid: number,
  steps: readonly StopStep[],
  isGone: () => boolean,
): Promise<void> {
  for (const step of steps) {
    if (isGone()) return;
    try {
      process.kill(pid, step.signal);
    } catch {
      return;
    }
    const until = performance.now() + step.graceMs;
    while (!isGone() && performance.now() < until) await sleep(20);
  }
}
