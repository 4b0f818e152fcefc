#!/usr/bin/env node
/**
 * The command line: `rostrum <command>`. Puts the commands together, one file per group, and turns every failure into one
 * sentence and a non-zero exit.
 */
import { Command } from 'commander';
import { addImportCommand } from './commands/import.ts';
import { addInfoCommand, programVersion } from './commands/info.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { reportFailure } from './commands/outcome.ts';
import { addServeCommands } from './commands/serve.ts';
import { addTeamCommands } from './commands/teams.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addUserCommands } from './commands/users.ts';

async function main(): Promise<void> {
  const program = new Command('rostrum')
    .description('A realtime auction marketplace')
    .version(await programVersion())
    .option('--json', 'print JSON')
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: (text) => void (isHelp(text) && process.stderr.write(text)) })
    .exitOverride();
  addServeCommands(program);
  addMigrateCommand(program);
  addInfoCommand(program);
  addUserCommands(program);
  addTeamCommands(program);
  addTokenCommands(program);
  addImportCommand(program);
  await program.parseAsync();
}

/** Commander's own error lines are left to `reportFailure`, so that there is one of them. */
function isHelp(text: string): boolean {
  return text.startsWith('Usage:');
}

try {
  await main();
} catch (error) {
  process.exitCode = reportFailure(error, process.argv.includes('--json'));
}
