/** `migrate`: brings the schema up to date, and finishes an upgrade. */
import type { Command } from 'commander';
import { migrateToLatest } from '../../../adapters/postgres/migrate.ts';
import { finishUpgrade } from '../../shared/layout.ts';
import { loadConfig } from '../config/config.ts';
import { progressBar } from '../process/progress-bar.ts';
import { usingServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description('bring the schema up to date')
    .option('--finish', 'finish the upgrade: no process of the previous release runs any more');
  reporting(command, async ({ finish = false }: { finish?: boolean }) =>
    usingServers(loadConfig(), async (_servers, database) => {
      const bar = progressBar('Migrating', true);
      const migrated = await migrateToLatest(database, bar.update);
      bar.stop();
      const schema = migrated.length === 0 ? 'The schema is up to date.' : `Migrated: ${migrated.join(', ')}`;
      if (!finish) return { result: { migrated }, text: schema };
      const isNew = await finishUpgrade(database.knex);
      const upgrade = isNew ? 'The upgrade is finished.' : 'The upgrade was already finished.';
      return { result: { migrated, finished: isNew }, text: `${schema}\n${upgrade}` };
    }),
  );
}
