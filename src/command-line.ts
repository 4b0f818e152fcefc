/**
 * The command line: `rostrum <command>`. Puts the commands together, one file per group, and turns every failure into one
 * sentence and a non-zero exit code. `cli.ts` runs it, and so do the tests.
 */
import { Command } from 'commander';
import { reportFailure, type Terminal } from './commands/outcome.ts';
import { programVersion } from './program-version.ts';

/** A file of commands: what they are called, and how they are added. */
interface Group {
  readonly names: readonly string[];
  readonly load: () => Promise<(program: Command) => void>;
}

// In the order of the help.
const GROUPS: readonly Group[] = [
  {
    names: ['start', 'web', 'worker'],
    load: async () => (await import('./commands/serve.ts')).addServeCommands,
  },
  { names: ['migrate'], load: async () => (await import('./commands/migrate.ts')).addMigrateCommand },
  { names: ['info'], load: async () => (await import('./commands/info.ts')).addInfoCommand },
  { names: ['user'], load: async () => (await import('./commands/users.ts')).addUserCommands },
  { names: ['team'], load: async () => (await import('./commands/teams.ts')).addTeamCommands },
  { names: ['token'], load: async () => (await import('./commands/tokens.ts')).addTokenCommands },
  { names: ['import'], load: async () => (await import('./commands/import.ts')).addImportCommand },
  { names: ['seed'], load: async () => (await import('./commands/seed.ts')).addSeedCommands },
  { names: ['simulate'], load: async () => (await import('./commands/simulate.ts')).addSimulateCommand },
  { names: ['journal'], load: async () => (await import('./commands/journal.ts')).addJournalCommands },
  { names: ['bid'], load: async () => (await import('./commands/bids.ts')).addBidCommands },
  {
    names: ['settlement', 'invoice', 'lot', 'subscription'],
    load: async () => (await import('./commands/money.ts')).addMoneyCommands,
  },
  { names: ['platform'], load: async () => (await import('./commands/platforms.ts')).addPlatformCommands },
  { names: ['lots'], load: async () => (await import('./commands/lots.ts')).addLotsCommands },
];

/** Runs one command line, without the program's name. Returns the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = await buildProgram(terminal, args[0]);
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, args.includes('--json'), terminal);
  }
}

/** With the commands of the group that is asked for, which come up in half the time of all; with all where none is. */
async function buildProgram(terminal: Terminal, asked: string | undefined): Promise<Command> {
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
  const named = GROUPS.filter(({ names }) => names.includes(asked ?? ''));
  for (const { load } of named.length > 0 ? named : GROUPS) (await load())(program);
  return program;
}
