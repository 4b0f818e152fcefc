/**
 * A mistake of whoever called: an argument, a variable or a place in a file that does not fit. The command line
 * prints its sentence and exits 1; it is never a fault of the program, so it never comes with a stack trace.
 */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}
