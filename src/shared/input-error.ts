/**
 * A mistake of the caller: an invalid argument, variable or place in a file. The command line
 * prints its sentence and exits 1; it is never a fault of the program, so it never comes with a stack trace.
 */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
