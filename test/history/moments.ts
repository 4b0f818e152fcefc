/**
 * When each item of a journal can have happened: a lower and an upper bound for every position, from the requests
 * behind the items and the journal's clock, narrowed by each refusal. Called by the check; it decides exactly whether
 * one order explains everything.
 *
 * Positions 1 to n are the items; gap g is after item g, gap 0 before the first. A refusal at a moment of the gaps a
 * to b wants item a no later than its return and item b + 1 no earlier than its call, and that is all it wants.
 */

/** Gaps `a` to `b`, in which something was true between `fromUs` and `toUs`. */
export interface Run {
  readonly a: number;
  readonly b: number;
  readonly fromUs: number;
  readonly toUs: number;
}

export class Moments {
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #count: number;

  /** For `count` items. */
  constructor(count: number) {
    this.#count = count;
    this.#low = new Float64Array(count + 2).fill(Number.NEGATIVE_INFINITY);
    this.#high = new Float64Array(count + 2).fill(Number.POSITIVE_INFINITY);
    this.#high[0] = Number.NEGATIVE_INFINITY;
    this.#low[count + 1] = Number.POSITIVE_INFINITY;
  }

  /** Item `position` happened within these. */
  bound(position: number, fromUs: number, toUs: number): void {
    if (fromUs > this.#low[position]!) this.#low[position] = fromUs;
    if (toUs < this.#high[position]!) this.#high[position] = toUs;
  }

  /** Spreads the bounds along the order; gives the first position that has no moment left, or null. */
  settle(): number | null {
    const [low, high] = [this.#low, this.#high];
    for (let at = 1; at <= this.#count; at += 1) if (low[at - 1]! > low[at]!) low[at] = low[at - 1]!;
    for (let at = this.#count; at >= 1; at -= 1) if (high[at + 1]! < high[at]!) high[at] = high[at + 1]!;
    for (let at = 1; at <= this.#count; at += 1) if (low[at]! > high[at]!) return at;
    return null;
  }

  /** The gaps that may be between two moments; settled bounds only. */
  gapsBetween(fromUs: number, toUs: number): { readonly first: number; readonly last: number } {
    // Gap g ends with item g + 1 and begins with item g.
    const first = lowest(0, this.#count, (gap) => this.#high[gap + 1]! >= fromUs);
    const last = lowest(0, this.#count + 1, (gap) => gap > this.#count || this.#low[gap]! > toUs) - 1;
    return { first, last };
  }

  /** Whether something that is true in `run` only can have been seen then; settled bounds only. */
  allows({ a, b, fromUs, toUs }: Run): boolean {
    return fromUs <= toUs && this.#low[a]! <= toUs && this.#high[b + 1]! >= fromUs;
  }

  /** Takes it that something was seen in `run`. */
  narrow({ a, b, fromUs, toUs }: Run): void {
    if (a >= 1) this.bound(a, Number.NEGATIVE_INFINITY, toUs);
    if (b + 1 <= this.#count) this.bound(b + 1, fromUs, Number.POSITIVE_INFINITY);
  }

  copy(): Moments {
    const copy = new Moments(this.#count);
    copy.#low.set(this.#low);
    copy.#high.set(this.#high);
    return copy;
  }
}

/**
 * The lowest whole number in a range for which `holds`, which stays true once it is; the end of the range where it
 * never is.
 */
function lowest(from: number, to: number, holds: (at: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const MAX_STEPS = 20_000;

/**
 * Chooses one run for each refusal that has several, so that all have a moment. Gives the choice's moments, null where
 * there is none, and throws if it takes too many steps: the result is then unknown.
 */
export function choose(moments: Moments, pending: readonly (readonly Run[])[]): Moments | null {
  let steps = 0;
  const attempt = (now: Moments, at: number): Moments | null => {
    const runs = pending[at];
    if (runs === undefined) return now;
    for (const run of runs) {
      steps += 1;
      if (steps > MAX_STEPS) throw new Error('too many orders to try');
      if (!now.allows(run)) continue;
      const next = now.copy();
      next.narrow(run);
      if (next.settle() !== null) continue;
      const found = attempt(next, at + 1);
      if (found !== null) return found;
    }
    return null;
  };
  return attempt(moments, 0);
}
