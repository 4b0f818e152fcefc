/** What the operating system or a driver calls an error: `ENOENT`, `ECONNREFUSED`. */
import { recordIn } from './records.ts';

/** Undefined where the error has no such name. */
export function systemCodeOf(error: unknown): string | undefined {
  const { code } = recordIn(error);
  return typeof code === 'string' ? code : undefined;
}
