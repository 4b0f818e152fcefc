/**
 * One run of the program `rostrum` with the commands that it is given: turns every failure into one sentence and a
 * non-zero exit code.
 */
import { Command } from 'commander';
import { programVersion } from '../../shared/project-root.ts';
import { reportFailure, type Terminal } from './outcome.ts';

export type AddCommands = (program: Command) => void;

/** Runs one command line, without the program's name. Returns the exit code. */
export async function runProgram(
  args: readonly string[],
  terminal: Terminal,
  addCommands: AddCommands,
): Promise<number> {
  try {
    const program = await buildProgram(terminal, addCommands);
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, args.includes('--json'), terminal);
  }
}

async function buildProgram(terminal: Terminal, addCommands: AddCommands): Promise<Command> {
  const program = new Command('rostrum')
    .description('A realtime auction marketplace')
    .version(await programVersion())
    .option('--json', 'print JSON')
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      // Commander's own error lines are left to `reportFailure`, so that there is one of them.
      writeErr: (text) => void (text.startsWith('Usage:') && terminal.err(text)),
    })
    .exitOverride();
  addCommands(program);
  return program;
}
