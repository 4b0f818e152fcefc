/** `rates set`: what currencies are about worth, as a job that reads a bank's list every morning would say it. */
import type { Command } from 'commander';
import { ratesIn } from '../../shared/exchange-rates.ts';
import { changeOfficeRates } from '../../shared/operator.ts';
import { loadConfig } from '../config/config.ts';
import { groupOf } from './arguments.ts';
import { readCommandFile } from './command-files.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addRatesCommands(program: Command): void {
  const group = groupOf(program, 'rates', 'exchange rates that prices are shown by as well');
  const set = group
    .command('set')
    .description('replace the rates by those of a file: a line each, such as `eur 0.9213` for one US dollar')
    .argument('<file>', 'the file; `-` for what is piped in');
  reporting(set, async (file: string) => {
    const text = (await readCommandFile(file, 1)).trim();
    const rates = ratesIn(text);
    return withServers(loadConfig(), async ({ database }) => {
      await changeOfficeRates(database.knex, text === '' ? null : text);
      return {
        result: { rates: Object.fromEntries(rates) },
        text: rates.size === 0 ? 'There are no exchange rates now.' : `${rates.size} currencies have a rate.`,
      };
    });
  });
}
