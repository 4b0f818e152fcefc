/**
 * Walks the lists of a document that the first check may have left holes in: an entry that is not there, or has lost
 * the field that names it, is passed over, and the others keep their numbers.
 */

export function numbered<T extends object>(
  list: readonly T[] | undefined,
  name?: keyof T & string,
): [number, T][] {
  const found: [number, T][] = [];
  const holed: readonly (T | null)[] = list ?? [];
  for (const [index, entry] of holed.entries()) {
    if (entry !== null && (name === undefined || typeof entry[name] === 'string')) found.push([index, entry]);
  }
  return found;
}
