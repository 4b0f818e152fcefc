/**
 * The command line: `rostrum <command>`. Puts the commands together, one file per group, and turns every failure into
 * one sentence and a non-zero exit code. `cli.ts` runs it, and so do the tests.
 */
import { Command } from 'commander';
import { programVersion } from '../../shared/project-root.ts';
import { addActivityCommand } from './activity.command.ts';
import { addBackupCommands } from './backup.command.ts';
import { addBidCommands } from './bids.command.ts';
import { addDoctorCommand } from './doctor.command.ts';
import { addImportCommand } from './import.command.ts';
import { addInfoCommand } from './info.command.ts';
import { addJournalCommands } from './journal.command.ts';
import { addLotsCommands } from './lots.command.ts';
import { addMigrateCommand } from './migrate.command.ts';
import { addMoneyCommands } from './money.command.ts';
import { reportFailure, type Terminal } from './outcome.ts';
import { addPaymentCommands } from './payments.command.ts';
import { addPlatformCommands } from './platforms.command.ts';
import { addProjectionCommands } from './projection.command.ts';
import { addSaleCommands } from './sales.command.ts';
import { addSeedCommands } from './seed.command.ts';
import { addServeCommands } from './serve.command.ts';
import { addSimulateCommand } from './simulate.command.ts';
import { addTeamCommands } from './teams.command.ts';
import { addTokenCommands } from './tokens.command.ts';
import { addUserCommands } from './users.command.ts';
import { addVerifyCommand } from './verify.command.ts';

/** Runs one command line, without the program's name. Returns the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = await buildProgram(terminal);
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, args.includes('--json'), terminal);
  }
}

async function buildProgram(terminal: Terminal): Promise<Command> {
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
  addServeCommands(program);
  addMigrateCommand(program);
  addInfoCommand(program);
  addDoctorCommand(program);
  addBackupCommands(program);
  addUserCommands(program);
  addTeamCommands(program);
  addTokenCommands(program);
  addImportCommand(program);
  addSeedCommands(program);
  addSimulateCommand(program);
  addJournalCommands(program);
  addVerifyCommand(program);
  addProjectionCommands(program);
  addActivityCommand(program);
  addBidCommands(program);
  addMoneyCommands(program);
  addSaleCommands(program);
  addPaymentCommands(program);
  addPlatformCommands(program);
  addLotsCommands(program);
  return program;
}
