/** `platform add`, `platform rotate`: who may send simulcast events. */
import type { Command } from 'commander';
import {
  addPlatform,
  rotatePlatform,
  type SavedPlatform,
} from '../../bidding/simulcast/platform-registry.ts';
import { loadConfig } from '../config/config.ts';
import { withServers } from './command-servers.ts';
import { type Outcome, reporting } from './outcome.ts';

export function addPlatformCommands(program: Command): void {
  const group = program.command('platform').description('simulcast platforms');
  const add = group
    .command('add')
    .description('let a platform send floor bids and sales')
    .requiredOption('--slug <slug>', 'its name in addresses')
    .option('--secret <secret>', '8 to 200 characters; without it one is made up');
  reporting(add, async ({ slug, secret }: { slug: string; secret?: string }) => {
    const config = loadConfig();
    const saved = await withServers(config, ({ database }) =>
      addPlatform(database.knex, config.appSecrets, slug, secret),
    );
    return outcomeOf(saved, 'is there');
  });
  const rotate = group
    .command('rotate')
    .description('give a platform a new secret; the one before stays valid for 24 hours')
    .requiredOption('--slug <slug>', 'its name in addresses');
  reporting(rotate, async ({ slug }: { slug: string }) => {
    const config = loadConfig();
    const saved = await withServers(config, ({ database }) =>
      rotatePlatform(database.knex, config.appSecrets, slug),
    );
    return outcomeOf(saved, 'has a new secret');
  });
}

function outcomeOf({ slug, secret }: SavedPlatform, what: string): Outcome {
  return {
    result: { slug, secret },
    text: `Platform ${slug} ${what}. Its secret, shown this once: ${secret}`,
  };
}
