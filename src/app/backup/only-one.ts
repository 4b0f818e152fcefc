/** One backup of a deployment at a time, and one restore into a database. */
import type { Database } from '../../../adapters/postgres/database.ts';
import { ifNobodyHolds } from '../../../adapters/postgres/held-lock.ts';
import { InputError } from '../../shared/input-error.ts';

const TAKEN = {
  backup: 'a backup of this deployment is already running',
  restore: 'a restore into this database is already running',
} as const;

/** Works alone. Throws `InputError` where another one is at work. */
export function asTheOnly<T>(
  what: keyof typeof TAKEN,
  database: Database,
  work: () => Promise<T>,
): Promise<T> {
  return ifNobodyHolds(database.url, what, () => new InputError(TAKEN[what]), work);
}
