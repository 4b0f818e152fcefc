/** Typed access to values of which nothing is known yet: a parsed body, somebody else's answer. */

/** Whether it is an object with fields, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is an object with fields; otherwise an empty one. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The objects in a list; none where the value is no list. */
export function objectsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The keys of an object that has no others than its type says. */
export function namesIn<K extends string>(from: Readonly<Partial<Record<K, unknown>>>): K[] {
  // Cast: Object.keys knows no narrower type than string.
  return Object.keys(from) as K[];
}

/** The same keys, each with what `of` says. */
export function mapValues<K extends string, V>(
  from: Readonly<Record<K, unknown>>,
  of: (key: K) => V,
): Record<K, V> {
  // Cast: Object.fromEntries forgets the keys' type.
  return Object.fromEntries(namesIn(from).map((key) => [key, of(key)])) as Record<K, V>;
}

/** Whether a word is one of these. */
export function isOneOf<T extends string>(words: readonly T[], word: string): word is T {
  return words.some((one) => one === word);
}
