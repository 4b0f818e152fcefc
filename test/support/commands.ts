/**
 * Commands of the program `rostrum` in this process, which takes a tenth of what a process of its own does. That the
 * program is one, and exits with the same code, the test of the command line sees to.
 */
import { runCommandLine } from '../../src/app/commands/command-line.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command with these variables set; one at a time, since the variables are the process's own. */
export async function runCommand(args: readonly string[], variables: NodeJS.ProcessEnv): Promise<Ran> {
  const before = { ...process.env };
  const said = { out: '', err: '' };
  Object.assign(process.env, variables);
  try {
    const code = await runCommandLine(args, {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
    });
    return { code, ...said };
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
