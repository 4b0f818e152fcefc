/**
 * The one error that the embedded servers throw for a reason that a person can act on.
 * Entry points print its message as it is and exit 1; every other error thrown from here is a bug.
 */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}
