/** Typed access to what was thrown, of which the compiler knows nothing: its sentence, its code. */
import { objectIn } from './objects.ts';

/** What was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** What it says; an error without a sentence says its code or its name, several in one say what the first says. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown instanceof AggregateError && thrown.errors[0] instanceof Error)
    return messageOf(thrown.errors[0]);
  return thrown.message || (systemCodeOf(thrown) ?? thrown.name);
}

/** What the operating system or a driver calls it: `ENOENT`, `ECONNREFUSED`. Undefined where it has no such name. */
export function systemCodeOf(thrown: unknown): string | undefined {
  const { code } = objectIn(thrown);
  return typeof code === 'string' ? code : undefined;
}
