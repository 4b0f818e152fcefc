/**
 * Tells an error that is in what was to be written from one that is in the servers: the first comes again however
 * often the transaction is repeated, so its cause is searched and set aside; the second passes. Between them is what
 * somebody else's lock delays, and what Postgres says of a damaged page or a full disk as of anything else: it may
 * pass, but all else need not wait for it.
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

/** `lock_not_available`, `deadlock_detected`, `serialization_failure`, and `query_canceled`, as by a timeout. */
const HELD_UP_CODES = /^(55P03|40P01|40001|57014)$/;

/** Connections, states of the transaction, credentials, missing databases, shutdowns: about no row. */
const SERVER_CLASSES = /^(08|25|28|3D|53300|57)/;

/** Whether the same entries would be refused again. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof LogBroken) return true;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  return UNWRITABLE_CLASSES.test(postgresCodeOf(error));
}

/** Whether somebody else holds what was to be written: it goes through once they have let go. */
export function isHeldUp(error: unknown): boolean {
  return error instanceof RowLocked || HELD_UP_CODES.test(postgresCodeOf(error));
}

/**
 * Whether it may be one row or the whole server: a full disk or tablespace, no memory, a damaged page or index, a
 * right that is missing. Only a search tells.
 */
export function isDoubtful(error: unknown): boolean {
  const code = postgresCodeOf(error);
  return code !== '' && !isUnwritable(error) && !isHeldUp(error) && !SERVER_CLASSES.test(code);
}

/** Whether it may go through another time, without anybody's help. */
export function isTransient(error: unknown): boolean {
  return isHeldUp(error) || isDoubtful(error);
}

/** Whether a statement was cancelled, as after its time. */
export function isTimeout(error: unknown): boolean {
  return postgresCodeOf(error) === '57014';
}

/** Postgres' own code; empty where it is not Postgres that speaks. */
function postgresCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // Objection puts what `pg` said inside its own error.
  if ('nativeError' in error) return postgresCodeOf(error.nativeError);
  return 'severity' in error ? (systemCodeOf(error) ?? '') : '';
}
