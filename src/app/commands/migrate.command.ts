/** `migrate`: brings the schema up to date. */
import type { Command } from 'commander';
import { migrateToLatest } from '../../../adapters/postgres/migrate.ts';
import { loadConfig } from '../config/config.ts';
import { usingServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addMigrateCommand(program: Command): void {
  reporting(program.command('migrate').description('bring the schema up to date'), async () => {
    const migrated = await usingServers(loadConfig(), (_servers, database) => migrateToLatest(database));
    const text = migrated.length === 0 ? 'The schema is up to date.' : `Migrated: ${migrated.join(', ')}`;
    return { result: { migrated }, text };
  });
}
