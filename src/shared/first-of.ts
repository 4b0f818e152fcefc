/**
 * The first of a list that cannot be empty: the row of a statement that always gives one, the head of a group. Throws
 * where it is empty all the same, which is a bug.
 */
export function firstOf<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error('a list that is never empty is empty');
  return first;
}
