/**
 * What Postgres said of a statement, wherever it is in the error: Objection puts what `pg` threw inside one of its
 * own.
 */

/** The SQLSTATE of an error, `23505` for instance; null for an error that Postgres did not send. */
export function postgresCodeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('nativeError' in error) return postgresCodeOf(error.nativeError);
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}
