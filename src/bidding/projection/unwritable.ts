/**
 * Tells an error that is in what was to be written from one that is in the servers: the first comes again however
 * often the transaction is repeated, so its cause is searched and set aside; the second passes. Between them is what
 * somebody else's lock holds up: it passes too, but all else need not wait for it.
 */
import { systemCodeOf } from '../../../engine/thrown.ts';

/** The log does not follow on what was projected from it. */
export class LogBroken extends Error {
  override readonly name = 'LogBroken';
}

/** A row that cannot be written now, as found without waiting for it. */
export class RowLocked extends Error {
  override readonly name = 'RowLocked';
}

/** Values, constraints, `WITH CHECK OPTION`, sizes, and what a trigger raises. Postgres' manual, appendix A. */
const UNWRITABLE_CLASSES = /^(21|22|23|44|54|P0)/;

/** `lock_not_available`, `deadlock_detected`, and `query_canceled`, as by a timeout. */
const TRANSIENT_CODES = /^(55P03|40P01|57014)$/;

/** Whether the same entries would be refused again. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof LogBroken) return true;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  return UNWRITABLE_CLASSES.test(postgresCodeOf(error));
}

/** Whether somebody else holds what was to be written: it goes through once they have let go. */
export function isTransient(error: unknown): boolean {
  return error instanceof RowLocked || TRANSIENT_CODES.test(postgresCodeOf(error));
}

/** Whether a statement was cancelled, as after its time. */
export function isTimeout(error: unknown): boolean {
  return postgresCodeOf(error) === '57014';
}

/** Postgres' own code; empty where it is not Postgres that speaks. */
function postgresCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // Objection puts what `pg` said inside an error of its own.
  if ('nativeError' in error) return postgresCodeOf(error.nativeError);
  return 'severity' in error ? (systemCodeOf(error) ?? '') : '';
}
