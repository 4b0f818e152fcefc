/**
 * Taking what is there for certain: the row of a statement that always gives one, the head of a group, what a map was
 * filled with. Each throws where it is not there all the same, which is a bug.
 */

/** The first of a list that is never empty. */
export function firstOf<T>(list: readonly T[]): T {
  return itemAt(list, 0);
}

/** The item at an index that the list has. */
export function itemAt<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new Error(`a list of ${list.length} has nothing at ${index}`);
  return item;
}

/** What a map holds under a key that it has. */
export function entryOf<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`a map of ${map.size} has nothing under ${String(key)}`);
  return value;
}

/** What a read or a search always finds. */
export function present<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('what is always there is not');
  return value;
}
