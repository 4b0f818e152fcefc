#!/usr/bin/env node
/** The program `rostrum`: the command line on this process's own streams. */
import { runCommandLine } from './command-line.ts';

// Not process.exit: `start`, `web` and `worker` go on, and what was written to a pipe has to get out.
process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
