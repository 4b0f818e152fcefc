/**
 * Tells an error that lies in what was to be written from one that lies in the servers: the first comes again however
 * often the transaction is repeated, so its cause is searched and set aside; the second passes.
 */
import { systemCodeOf } from '../../../engine/thrown.ts';

/** The log does not follow on what was projected from it. */
export class LogBroken extends Error {
  override readonly name = 'LogBroken';
}

/** Values, constraints, `WITH CHECK OPTION`, sizes, and what a trigger raises. Postgres' manual, appendix A. */
const UNWRITABLE_CLASSES = /^(21|22|23|44|54|P0)/;

/** Whether the same entries would be refused again. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof LogBroken) return true;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  if (!(error instanceof Error)) return false;
  // Objection puts what `pg` said inside an error of its own.
  if ('nativeError' in error) return isUnwritable(error.nativeError);
  if (!('severity' in error)) return false;
  const code = systemCodeOf(error);
  return typeof code === 'string' && UNWRITABLE_CLASSES.test(code);
}
