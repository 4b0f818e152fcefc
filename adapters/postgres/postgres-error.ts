/**
 * What Postgres said of a statement, wherever it is in the error: Objection puts what `pg` threw inside one of its
 * own.
 */
import { NotFoundError } from 'objection';

/**
 * What two requests at once made of a statement: what it hangs on is gone, what it takes away is in use, somebody else
 * was faster; null for any other error.
 */
export function conflictOf(error: unknown): 'gone' | 'in_use' | 'faster' | null {
  // A row that was there a moment ago.
  if (error instanceof NotFoundError) return 'gone';
  const code = postgresCodeOf(error);
  if (code === '23503') return /still referenced/.test(detailOf(error)) ? 'in_use' : 'gone';
  return code === '23505' || code === '40P01' || code === '40001' ? 'faster' : null;
}

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('nativeError' in error) return detailOf(error.nativeError);
  return 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
}

/** The SQLSTATE of an error, `23505` for instance; null for an error that Postgres did not send. */
export function postgresCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('nativeError' in error) return postgresCodeOf(error.nativeError);
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}
