#!/usr/bin/env node
/** The program `rostrum`: the command line on this process's own streams. */
import './app/process/young-generation.ts';
import type { Terminal } from './app/commands/outcome.ts';
import { runProgram } from './app/commands/run-program.ts';
import { addServeCommands } from './app/commands/serve.command.ts';

const LAST_WORDS_MS = 1_000;

/** They stay for months: what they never use, they do not load. */
const STAYING: ReadonlySet<string> = new Set(['start', 'web', 'worker']);

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  if (STAYING.has(args[0] ?? '')) return runProgram(args, terminal, addServeCommands);
  const { runCommandLine } = await import('./app/commands/command-line.ts');
  return runCommandLine(args, terminal);
}

// Not process.exit: `start`, `web` and `worker` continue, and what was written to a pipe has to get out.
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});

// What was opened on the way to a failure must not keep the process: it has ended, and its parent waits for its
// code.
if (process.exitCode !== 0) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
