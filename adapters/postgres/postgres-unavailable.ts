/**
 * Distinguishes an error that means "Postgres is unavailable, or not ready" from one that means a bug. The HTTP side
 * calls it before it answers 500; the client may then simply send the request again.
 */
import { objectIn } from '../../engine/objects.ts';

/** Connection faults, resources that ran out, a server that stops or starts. Postgres' manual, appendix A. */
const UNAVAILABLE_CLASSES = /^(08|53|57P)/;

/**
 * A statement cancelled for its time, a table that is not there (the schema is not migrated yet), and a server that has
 * become a standby.
 */
const UNAVAILABLE_STATES = new Set(['57014', '42P01', '25006']);

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * What `pg` says of a connection that is cut under a statement or was not made in time, which Knex puts behind the
 * statement; neither gives it a code.
 */
const CUT = new RegExp(
  [
    '(^| - )(Connection terminated',
    'Client has encountered a connection error',
    'Client was closed',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout)',
  ].join('|'),
);

/** Postgres hangs; the HTTP side answers it with 503. */
export class PostgresHangs extends Error {
  override readonly name = 'PostgresHangs';
  readonly status = 503;

  constructor() {
    super('Postgres does not answer');
  }
}

/** Whether the error says that Postgres could not be reached. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Objection puts what `pg` said inside its own error.
  if ('nativeError' in error) return isPostgresUnavailable(error.nativeError);
  if (error instanceof PostgresHangs) return true;
  if (error.name === 'KnexTimeoutError' || CUT.test(error.message)) return true;
  // A name with several addresses, each of which failed: it has the first one's code, and nothing else of it.
  if (error instanceof AggregateError && error.errors.some(isPostgresUnavailable)) return true;
  const { code, syscall } = objectIn(error);
  if (typeof code !== 'string') return false;
  if (SYSTEM_CODES.has(code)) return syscall !== undefined;
  return UNAVAILABLE_CLASSES.test(code) || UNAVAILABLE_STATES.has(code);
}
