/**
 * An error of the caller: an invalid argument, variable or part of a file. The command line prints its message and
 * exits 1; it is never a fault of the program, so it has no stack trace.
 */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
