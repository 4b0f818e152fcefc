/**
 * Runs one short-lived program to its end and collects what it printed.
 * Called for initdb, apt-get, dpkg, ldd and version checks. A program that cannot be started at all
 * is a result like any other (`code` is undefined), never an unhandled 'error' event.
 */
import { spawn } from 'node:child_process';
import { errorOf } from '../../engine/thrown.ts';

/** How a program ended: `code` is undefined when it was not started or was killed. */
export interface RunResult {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run may set; without `env` the program inherits this process' environment (apt needs its proxies). */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly uid?: number;
  readonly gid?: number;
  /** Killed after this long; 60 s by default. */
  readonly timeoutMs?: number;
  /** Called with the process id, and with undefined at the end: for a guardian of programs that may take long. */
  readonly onPid?: (pid: number | undefined) => void;
}

/** Runs `program` and resolves with its result; never rejects. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { timeoutMs = 60_000, onPid, ...rest } = options;
  return new Promise((resolve) => {
    const output = { stdout: '', stderr: '' };
    const fail = (error: Error) => resolve({ code: undefined, stdout: output.stdout, stderr: error.message });
    try {
      const child = spawn(program, args, { ...rest, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
      child.once('error', fail);
      onPid?.(child.pid);
      child.once('close', (code) => {
        onPid?.(undefined);
        resolve({ code: code ?? undefined, ...output });
      });
    } catch (error) {
      fail(errorOf(error));
    }
  });
}

/** The last line of a program's output that says something, for use in an error's sentence. */
export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').at(-1) ?? 'no message';
}
