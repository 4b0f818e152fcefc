/**
 * A database of one's own with the whole schema in it, copied from a template that is migrated once per test process.
 */
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { requireBooksAgree, testFile } from './books-agree.ts';
import { freshDatabase } from './servers.ts';

export interface MigratedDatabase {
  readonly db: Database;
  readonly databaseUrl: string;
  /** Closes and removes it. Throws when its books do not agree. */
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

export interface MigratedOptions {
  /** Nobody asks whether the books agree when it is dropped. */
  readonly moneyByHand?: boolean;
}

export async function migratedDatabase({
  moneyByHand = false,
}: MigratedOptions = {}): Promise<MigratedDatabase> {
  const test = testFile();
  const fresh = await freshDatabase(template);
  const db = openDatabase(fresh.databaseUrl);
  return {
    db,
    databaseUrl: fresh.databaseUrl,
    async drop() {
      const agreed = moneyByHand
        ? null
        : await requireBooksAgree(db.knex, test).then(
            () => null,
            (error: unknown) => error,
          );
      await db.close();
      await fresh.drop();
      if (agreed !== null) throw agreed;
    },
  };
}
