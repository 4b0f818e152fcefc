/** `projection failures` and `projection retry`: journal entries that Postgres refused, and retrying them. */
import type { Command } from 'commander';
import { retryFailures } from '../../bidding/projection/retry.ts';
import { describeFailure, type Failure, readFailures } from '../../bidding/projection/set-aside.ts';
import { invoiceClosedLots } from '../../billing/invoices/winner-invoices.ts';
import { loadConfig } from '../config/config.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addProjectionCommands(program: Command): void {
  const group = program.command('projection').description('the copy of the journal in Postgres');
  const list = group
    .command('failures')
    .description('list the entries that are set aside because Postgres refused them');
  reporting(list, async () => {
    const failures = await withServers(loadConfig(), ({ database }) => readFailures(database.knex));
    return { result: { failures }, text: linesOf(failures) };
  });
  const retry = group.command('retry').description('retry the entries that are set aside');
  reporting(retry, async () => {
    const result = await withServers(loadConfig(), ({ database }) =>
      retryFailures({ knex: database.knex, onLotClosed: [invoiceClosedLots] }),
    );
    const { tried, resolved, left } = result;
    const text = `${resolved} of ${tried} were written.${left.length > 0 ? `\n${linesOf(left)}` : ''}`;
    return { result, text, exitCode: left.length > 0 ? 1 : 0 };
  });
}

function linesOf(failures: readonly Failure[]): string {
  return failures.length === 0 ? 'Nothing is set aside.' : failures.map(describeFailure).join('\n');
}
