/**
 * Cuts the rows of an import into statements of a bearable size: a statement of Postgres takes 65,535 values at most,
 * and a progress line wants to move.
 */

/** Rows in one statement. */
export const CHUNK = 500;

export function* chunksOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
