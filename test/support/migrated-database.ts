/**
 * A database of one's own with the whole schema in it, copied from a template that is migrated once per test process.
 */
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { freshDatabase } from './servers.ts';

export interface MigratedDatabase {
  readonly db: Database;
  readonly databaseUrl: string;
  /** Closes and removes it. */
  drop(): Promise<void>;
}

const template = {
  name: 'rostrum',
  async prepare(databaseUrl: string): Promise<void> {
    const db = openDatabase(databaseUrl);
    await migrateToLatest(db);
    await db.close();
  },
};

export async function migratedDatabase(): Promise<MigratedDatabase> {
  const fresh = await freshDatabase(template);
  const db = openDatabase(fresh.databaseUrl);
  return {
    db,
    databaseUrl: fresh.databaseUrl,
    async drop() {
      await db.close();
      await fresh.drop();
    },
  };
}
