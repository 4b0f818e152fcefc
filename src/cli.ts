#!/usr/bin/env node
/** The program `rostrum`: the command line on this process's own streams. */
import { runCommandLine } from './app/commands/command-line.ts';

const LAST_WORDS_MS = 1_000;

// Not process.exit: `start`, `web` and `worker` go on, and what was written to a pipe has to get out.
process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});

// What was opened on the way to a failure must not keep the process: it is over, and whoever started it waits for its
// code.
if (process.exitCode !== 0) setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
