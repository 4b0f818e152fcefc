/**
 * A line in which groups take turns, and within a group its callers: who brings many waits for their own, and what
 * one account is flooded with holds nobody else up. Every other turn goes to the least suspected instead of the next,
 * so that a newcomer overtakes a flood and nobody waits for ever. Used by the queue of password hashes.
 */

/** Whose request it is. */
export interface Requester {
  /** What it is about: the account that is tried. Groups take turns. */
  readonly group: string;
  /** The caller: an address, or a browser. Callers of a group take turns within it. */
  readonly caller: string;
  /** How much has been tried from where they are; below 0 where something speaks for them. */
  readonly suspicion: number;
}

interface Waiting<T> {
  readonly item: T;
  readonly suspicion: number;
}

type Callers<T> = Map<string, Waiting<T>[]>;

export class FairLine<T> {
  readonly #groups = new Map<string, Callers<T>>();
  #size = 0;
  #turns = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether anybody waits who is of another group. */
  hasOthers(group: string): boolean {
    return this.#groups.size > (this.#groups.has(group) ? 1 : 0);
  }

  add({ group, caller, suspicion }: Requester, item: T): void {
    const callers: Callers<T> = this.#groups.get(group) ?? new Map();
    const items = callers.get(caller) ?? [];
    items.push({ item, suspicion });
    callers.set(caller, items);
    this.#groups.set(group, callers);
    this.#size += 1;
  }

  /** Takes an item out of the line before its turn. */
  withdraw({ group, caller }: Requester, item: T): void {
    const callers = this.#groups.get(group);
    const items = callers?.get(caller);
    const index = items?.findIndex((waiting) => waiting.item === item) ?? -1;
    if (callers === undefined || items === undefined || index === -1) return;
    items.splice(index, 1);
    this.#forget(group, callers, caller, items);
  }

  /** Whose turn it is: somebody who is not of the group that had the last turn, where there is one. */
  take(lastGroup: string): T | null {
    this.#turns += 1;
    const others = this.hasOthers(lastGroup);
    const mayBeNext = (group: string) => !others || group !== lastGroup;
    const next = this.#turns % 2 === 0 ? this.#leastSuspected(mayBeNext) : this.#first(mayBeNext);
    return next === null ? null : this.#remove(next);
  }

  /**
   * Takes the last item of the caller with the most, for a newcomer who has at least two fewer: of the largest group,
   * or of the greediest caller within the newcomer's own. Where nobody has more, it is the most suspected of the
   * newcomer's own. Null where the newcomer is no smaller and no less suspected than they.
   */
  displace({ group, caller, suspicion }: Requester): T | null {
    const own = this.#groups.get(group);
    const largest = greatest(this.#groups, sizeOf);
    const fromOthers = largest !== null && sizeOf(largest.value) > (own === undefined ? 0 : sizeOf(own)) + 1;
    const [from, callers] = fromOthers ? [largest.key, largest.value] : [group, own];
    const greediest = callers === undefined ? null : greatest(callers, byLengthAndSuspicion);
    const isGreedier = greediest !== null && greediest.value.length > (own?.get(caller)?.length ?? 0) + 1;
    if (greediest !== null && (fromOthers || isGreedier)) return this.#drop(from, greediest.key);
    const worst = this.#mostSuspected(group);
    return worst !== null && worst.suspicion > suspicion ? this.#drop(worst.group, worst.caller) : null;
  }

  #first(mayBeNext: (group: string) => boolean): Found | null {
    for (const [group, callers] of this.#groups) {
      const [caller] = callers.keys();
      if (mayBeNext(group) && caller !== undefined) return { group, caller };
    }
    return null;
  }

  #leastSuspected(mayBeNext: (group: string) => boolean): Found | null {
    let found: (Found & { readonly suspicion: number }) | null = null;
    for (const [group, callers] of this.#groups) {
      if (!mayBeNext(group)) continue;
      for (const [caller, [first]] of callers) {
        const suspicion = first?.suspicion ?? 0;
        if (found === null || suspicion < found.suspicion) found = { group, caller, suspicion };
      }
    }
    return found;
  }

  #mostSuspected(group: string): (Found & { readonly suspicion: number }) | null {
    let found: (Found & { readonly suspicion: number }) | null = null;
    for (const [caller, items] of this.#groups.get(group) ?? []) {
      const suspicion = items.at(-1)?.suspicion ?? 0;
      if (found === null || suspicion >= found.suspicion) found = { group, caller, suspicion };
    }
    return found;
  }

  /** Takes the caller's first item; group and caller go to the end of the line: the others come first now. */
  #remove({ group, caller }: Found): T | null {
    const callers = this.#groups.get(group);
    const [first, ...rest] = callers?.get(caller) ?? [];
    if (callers === undefined || first === undefined) return null;
    callers.delete(caller);
    if (rest.length > 0) callers.set(caller, rest);
    this.#groups.delete(group);
    if (callers.size > 0) this.#groups.set(group, callers);
    this.#size -= 1;
    return first.item;
  }

  #drop(group: string, caller: string): T | null {
    const callers = this.#groups.get(group);
    const items = callers?.get(caller);
    const last = items?.pop();
    if (callers === undefined || items === undefined || last === undefined) return null;
    this.#forget(group, callers, caller, items);
    return last.item;
  }

  /** One item fewer: a caller who has none left is forgotten, and a group without callers. */
  #forget(group: string, callers: Callers<T>, caller: string, items: readonly Waiting<T>[]): void {
    this.#size -= 1;
    if (items.length === 0) callers.delete(caller);
    if (callers.size === 0) this.#groups.delete(group);
  }
}

interface Found {
  readonly group: string;
  readonly caller: string;
}

function sizeOf<T>(callers: Callers<T>): number {
  let size = 0;
  for (const items of callers.values()) size += items.length;
  return size;
}

/** Between callers who have as many, the more suspected comes out greater; suspicion alone never makes up for one. */
function byLengthAndSuspicion<T>(items: readonly Waiting<T>[]): number {
  const suspicion = items.at(-1)?.suspicion ?? 0;
  return items.length + 0.5 + Math.atan(suspicion) / Math.PI;
}

/** The last of those that measure most. */
function greatest<V>(of: ReadonlyMap<string, V>, measure: (value: V) => number) {
  let found: { readonly key: string; readonly value: V; readonly size: number } | null = null;
  for (const [key, value] of of) {
    const size = measure(value);
    if (found === null || size >= found.size) found = { key, value, size };
  }
  return found;
}
