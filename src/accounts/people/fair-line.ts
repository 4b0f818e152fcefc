/**
 * A line in which groups take turns, and within a group its callers: who brings many waits for their own, and what
 * one account is flooded with holds nobody else up. Used by the queue of password hashes.
 */

/** Whose request it is. */
export interface Requester {
  /** What it is about: the account that is tried. Groups take turns. */
  readonly group: string;
  /** The caller: an address, or a browser. Callers of a group take turns within it. */
  readonly caller: string;
}

type Callers<T> = Map<string, T[]>;

export class FairLine<T> {
  readonly #groups = new Map<string, Callers<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether anybody waits who is of another group. */
  hasOthers(group: string): boolean {
    return this.#groups.size > (this.#groups.has(group) ? 1 : 0);
  }

  add({ group, caller }: Requester, item: T): void {
    const callers = this.#groups.get(group) ?? new Map<string, T[]>();
    const items = callers.get(caller) ?? [];
    items.push(item);
    callers.set(caller, items);
    this.#groups.set(group, callers);
    this.#size += 1;
  }

  /** Whose turn it is: the first who is not of the group that had the last turn, where there is one. */
  take(lastGroup: string): T | null {
    const groups = [...this.#groups.keys()];
    const group = groups.find((name) => name !== lastGroup) ?? groups[0];
    const callers = group === undefined ? undefined : this.#groups.get(group);
    const [first] = callers ?? [];
    if (group === undefined || callers === undefined || first === undefined) return null;
    const [caller, [item, ...rest]] = first;
    // To the end of the line: the others come first now.
    callers.delete(caller);
    if (rest.length > 0) callers.set(caller, rest);
    this.#groups.delete(group);
    if (callers.size > 0) this.#groups.set(group, callers);
    this.#size -= 1;
    return item ?? null;
  }

  /**
   * Takes the last item of whoever has most, for a newcomer who has at least two fewer: of the largest group, or of
   * the greediest caller within the newcomer's own. Null where the newcomer is no smaller than they.
   */
  displace({ group, caller }: Requester): T | null {
    const own = this.#groups.get(group);
    const largest = longest(this.#groups, sizeOf);
    const fromOthers = largest !== null && sizeOf(largest.value) > (own === undefined ? 0 : sizeOf(own)) + 1;
    const [from, callers] = fromOthers ? [largest.key, largest.value] : [group, own];
    const greediest = callers === undefined ? null : longest(callers, ({ length }) => length);
    if (callers === undefined || greediest === null) return null;
    if (!fromOthers && greediest.value.length <= (own?.get(caller)?.length ?? 0) + 1) return null;
    const item = greediest.value.pop() ?? null;
    this.#size -= 1;
    if (greediest.value.length === 0) callers.delete(greediest.key);
    if (callers.size === 0) this.#groups.delete(from);
    return item;
  }
}

function sizeOf<T>(callers: Callers<T>): number {
  let size = 0;
  for (const items of callers.values()) size += items.length;
  return size;
}

/** The last of those that are longest. */
function longest<V>(of: ReadonlyMap<string, V>, length: (value: V) => number) {
  let longestSoFar: { readonly key: string; readonly value: V } | null = null;
  for (const [key, value] of of) {
    if (longestSoFar === null || length(value) >= length(longestSoFar.value)) longestSoFar = { key, value };
  }
  return longestSoFar;
}
