/** `tax-number list|approve|refuse`: what staff decide about the tax numbers of buyers. */
import type { Command } from 'commander';
import type { TaxNumber } from '../../accounts/models/tax-number.model.ts';
import {
  decideTaxNumber,
  findTaxNumbers,
  type TaxNumberDecision,
} from '../../accounts/tax-numbers/tax-numbers.ts';
import { loadConfig } from '../config/config.ts';
import { groupOf, readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addTaxNumberCommands(program: Command): void {
  const group = groupOf(program, 'tax-number', 'tax numbers of buyers');
  const list = group
    .command('list')
    .description('those that wait for a decision, oldest first')
    .option('--all', 'those that are decided too, newest first');
  reporting(list, ({ all }: { all?: true }) =>
    withServers(loadConfig(), async ({ database }) => {
      const found = await findTaxNumbers(database.knex, all ? undefined : 'pending');
      const lines = found.map(
        ({ id, user_id, kind, number, region, status }) =>
          `${id}  user ${user_id}  ${kind}  ${number}  ${region}  ${status}`,
      );
      const none = 'No tax number waits.';
      return {
        result: { tax_numbers: found.map(shown) },
        text: lines.length === 0 && !all ? none : lines.join('\n'),
      };
    }),
  );
  addDecision(group, 'approve', 'approved', 'take the tax off its holder’s later invoices');
  addDecision(group, 'refuse', 'refused', 'refuse a tax number, or take an approval back');
}

function addDecision(group: Command, name: string, status: TaxNumberDecision, description: string): void {
  const command = group.command(name).description(description).requiredOption('--id <id>', 'its id', readId);
  reporting(command, ({ id }: { id: number }) =>
    withServers(loadConfig(), async ({ database }) => {
      const decided = await decideTaxNumber(database.knex, id, status);
      return { result: shown(decided), text: `Tax number ${id} of user ${decided.user_id} is ${status}.` };
    }),
  );
}

function shown({ id, user_id, kind, number, region, status, decided_at, created_at }: TaxNumber) {
  return { id, user_id, kind, number, region, status, decided_at, created_at };
}
