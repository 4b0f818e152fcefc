/** The command line: `rostrum <command>`. Puts the commands together, one file per group. */
import type { Command } from 'commander';
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
import type { Terminal } from './outcome.ts';
import { addPaymentCommands } from './payments.command.ts';
import { addPlatformCommands } from './platforms.command.ts';
import { addPolicyCommand } from './policy.command.ts';
import { addProjectionCommands } from './projection.command.ts';
import { addPushCommands } from './push.command.ts';
import { addRatesCommands } from './rates.command.ts';
import { addReadyCommand } from './ready.command.ts';
import { runProgram } from './run-program.ts';
import { addSaleCommands } from './sales.command.ts';
import { addSeedCommands } from './seed.command.ts';
import { addServeCommands } from './serve.command.ts';
import { addSimulateCommand } from './simulate.command.ts';
import { addTaxNumberCommands } from './tax-numbers.command.ts';
import { addTeamCommands } from './teams.command.ts';
import { addTokenCommands } from './tokens.command.ts';
import { addUserCommands } from './users.command.ts';
import { addVerifyCommand } from './verify.command.ts';

/** Runs one command line, without the program's name. Returns the exit code. */
export function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  return runProgram(args, terminal, addCommands);
}

/** In the order in which the help lists them. */
function addCommands(program: Command): void {
  addServeCommands(program);
  addMigrateCommand(program);
  addInfoCommand(program);
  addDoctorCommand(program);
  addReadyCommand(program);
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
  addPolicyCommand(program);
  addPushCommands(program);
  addRatesCommands(program);
  addBidCommands(program);
  addMoneyCommands(program);
  addSaleCommands(program);
  addPaymentCommands(program);
  addTaxNumberCommands(program);
  addPlatformCommands(program);
  addLotsCommands(program);
}
