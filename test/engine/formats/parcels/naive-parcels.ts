/**
 * Tracts in any combination once more, naive and slow, written from the rule alone: every choice of bids is tried, and
 * nothing is remembered. Amounts are cents, times whole seconds, lots letters in the order of their numbers.
 */
export interface NaiveTract {
  readonly name: string;
  /** Ten-thousandths; null: not said. */
  readonly units: number | null;
  readonly start: number;
  readonly reserve: number | null;
}

export interface NaiveTerms {
  readonly tracts: readonly NaiveTract[];
  readonly perUnit: boolean;
  readonly whole: number | null;
  readonly parts: boolean;
  /** Seconds after the start from which sets of several are taken. */
  readonly combinationsFrom: number;
  readonly increment: number;
  readonly ends: number;
  readonly window: number;
  /** Of bids on the same lots only the best are tried: for sales with many bids. */
  readonly onlyBest?: true;
}

export interface NaiveBid {
  readonly id: string;
  readonly order: number;
  readonly who: string;
  readonly names: readonly string[];
  readonly amount: number;
}

export interface NaiveEnd {
  readonly status: string;
  readonly hammer: number | null;
  readonly who: string | null;
}

export class NaiveParcels {
  readonly terms: NaiveTerms;
  tracts: readonly NaiveTract[];
  bids: NaiveBid[] = [];
  gone = new Set<string>();
  ends: number;
  extensions = 0;
  isPaused = false;
  closed: Map<string, NaiveEnd> | null = null;
  #named = new Set<string>();
  #order = 0;

  constructor(terms: NaiveTerms) {
    this.terms = terms;
    this.tracts = terms.tracts;
    this.ends = terms.ends;
  }

  /** The seller changes a reserve. */
  reserve(name: string, reserve: number | null): void {
    this.tracts = this.tracts.map((tract) => (tract.name === name ? { ...tract, reserve } : tract));
  }

  tract(name: string): NaiveTract {
    const found = this.tracts.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  }

  /** What an amount for some lots comes to: rounded half up, once. */
  total(names: readonly string[], amount: number): number {
    if (!this.terms.perUnit) return amount;
    let units = 0n;
    for (const name of names) units += BigInt(this.tract(name).units ?? 0);
    const parts = BigInt(amount) * units;
    const whole = parts / 10_000n;
    return Number(parts % 10_000n >= 5_000n ? whole + 1n : whole);
  }

  /** Every choice of bids that do not overlap. */
  choices(bids: readonly NaiveBid[] = this.bids): NaiveBid[][] {
    return this.#choices(this.terms.onlyBest === true ? bids.filter((bid) => this.#isBest(bid, bids)) : bids);
  }

  #isBest(bid: NaiveBid, bids: readonly NaiveBid[]): boolean {
    const key = [...bid.names].sort().join();
    return !bids.some(
      ({ names, amount, order }) =>
        (amount > bid.amount || (amount === bid.amount && order < bid.order)) &&
        [...names].sort().join() === key,
    );
  }

  #choices(bids: readonly NaiveBid[]): NaiveBid[][] {
    const [first, ...others] = bids;
    if (first === undefined) return [[]];
    const without = this.#choices(others);
    const apart = others.filter(({ names }) => !names.some((name) => first.names.includes(name)));
    return [...without, ...this.#choices(apart).map((rest) => [first, ...rest])];
  }

  sum(choice: readonly NaiveBid[]): number {
    let sum = 0;
    for (const { names, amount } of choice) sum += this.total(names, amount);
    return sum;
  }

  leading(bids: readonly NaiveBid[] = this.bids): NaiveBid[] {
    let leads: NaiveBid[] = [];
    for (const choice of this.choices(bids)) {
      const more = this.sum(choice) - this.sum(leads);
      if (more > 0 || (more === 0 && this.isEarlier(choice, leads))) leads = choice;
    }
    return leads;
  }

  /** The orders of both, one by one. */
  isEarlier(one: readonly NaiveBid[], other: readonly NaiveBid[]): boolean {
    const orders = (choice: readonly NaiveBid[]) => choice.map(({ order }) => order).sort((a, b) => a - b);
    const [mine, theirs] = [orders(one), orders(other)];
    for (let at = 0; at < mine.length; at += 1) {
      const [a = 0, b = 0] = [mine[at], theirs[at]];
      if (theirs[at] !== undefined && a !== b) return a < b;
    }
    return false;
  }

  onExactly(names: readonly string[]): NaiveBid[] {
    const key = [...names].sort().join();
    return this.bids.filter((bid) => [...bid.names].sort().join() === key);
  }

  /** Whether an amount is not below the minimum. */
  reaches(names: readonly string[], amount: number): boolean {
    const present = this.onExactly(names);
    if (present.length > 0)
      return amount >= Math.max(...present.map((bid) => bid.amount)) + this.terms.increment;
    let starts = 0;
    for (const name of names) starts += this.total([name], this.tract(name).start);
    return this.total(names, amount) >= Math.max(1, starts);
  }

  wouldLead(names: readonly string[], amount: number): boolean {
    const bid = { id: '?', order: Number.POSITIVE_INFINITY, who: '?', names, amount };
    return this.leading([...this.bids, bid]).includes(bid);
  }

  bid(
    bid: Omit<NaiveBid, 'order'> & { readonly standing: boolean },
    now: number,
  ): 'leading' | 'standing' | string {
    const { names, amount } = bid;
    if (names.some((name) => this.gone.has(name))) return 'lot_withdrawn';
    if (this.isPaused) return 'auction_paused';
    if (this.closed !== null || now >= this.ends) return 'lot_closed';
    if (now < 0) return 'lot_not_started';
    const refused = this.refusal(bid, now);
    if (refused !== null) return refused;
    const leads = this.wouldLead(names, amount);
    const { id, who } = bid;
    this.#order += 1;
    this.bids.push({ id, who, names, amount, order: this.#order });
    for (const name of names) this.#named.add(name);
    if (leads && this.terms.window > 0 && this.ends - now < this.terms.window) {
      this.ends = now + this.terms.window;
      this.extensions += 1;
    }
    return leads ? 'leading' : 'standing';
  }

  /** Why a set's amount is not taken. */
  refusal(
    { names, amount, standing }: Pick<NaiveBid, 'names' | 'amount'> & { readonly standing: boolean },
    now: number,
  ): string | null {
    if (names.length > 1 && now < this.terms.combinationsFrom) return 'combinations_not_open';
    if (!this.reaches(names, amount)) return 'bid_too_low';
    return standing || this.wouldLead(names, amount) ? null : 'bid_not_leading';
  }

  void(id: string, now: number): string {
    if (this.closed !== null || (!this.isPaused && now >= this.ends) || this.isGone) return 'lot_closed';
    if (!this.bids.some((bid) => bid.id === id)) return 'gone';
    const before = this.sum(this.leading());
    this.bids = this.bids.filter((bid) => bid.id !== id);
    const falls = this.sum(this.leading()) < before;
    if (falls && !this.isPaused && now >= 0 && this.ends - now < this.terms.window)
      this.ends = now + this.terms.window;
    return 'done';
  }

  get isGone(): boolean {
    return this.terms.tracts.every(({ name }) => this.gone.has(name));
  }

  withdraw(name: string, byAdmin: boolean): string {
    if (this.closed !== null || this.gone.has(name)) return 'invalid_transition';
    if (!byAdmin && this.bids.some(({ names }) => names.includes(name))) return 'admin_required';
    this.gone.add(name);
    this.bids = this.bids.filter(({ names }) => !names.includes(name));
    return 'done';
  }

  /** As things stand, or with one bid more. */
  exposure(who: string, more?: NaiveBid): number {
    if (this.closed !== null) return 0;
    const own = this.bids.filter((bid) => bid.who === who);
    if (more !== undefined) own.push(more);
    return Math.max(...this.choices(own).map((choice) => this.sum(choice)));
  }

  /** Which of those that lead buy. */
  buying(): NaiveBid[] {
    const leads = this.leading();
    const { whole, parts } = this.terms;
    const offered = this.tracts.filter(({ name }) => !this.gone.has(name));
    if (whole !== null && this.sum(leads) >= whole) return leads;
    if (whole === null && offered.every(({ reserve }) => reserve === null)) return leads;
    if (!parts && whole !== null) return [];
    return leads.filter(({ names, amount }) => {
      let reserves = 0;
      for (const name of names) {
        const { reserve } = this.tract(name);
        if (reserve !== null) reserves += this.total([name], reserve);
      }
      return this.total(names, amount) >= reserves;
    });
  }

  close(now: number): void {
    if (this.closed !== null || this.isPaused || this.isGone || now < this.ends) return;
    const closed = new Map<string, NaiveEnd>();
    const buying = this.buying();
    for (const { name } of this.terms.tracts) {
      if (this.gone.has(name)) continue;
      const bid = buying.find(({ names }) => names.includes(name));
      const isNamed = this.bids.some(({ names }) => names.includes(name));
      if (bid === undefined)
        closed.set(name, { status: isNamed ? 'passed' : 'unsold', hammer: null, who: null });
      else closed.set(name, { status: 'sold', hammer: this.share(bid, name), who: bid.who });
    }
    this.closed = closed;
  }

  /** A lot's part of what its set was sold for. */
  share({ names, amount }: NaiveBid, of: string): number {
    const total = this.total(names, amount);
    const ordered = this.terms.tracts.filter(({ name }) => names.includes(name));
    const byUnits = ordered.every(({ units }) => units !== null);
    const isFree = !byUnits && ordered.every(({ start }) => start === 0);
    const weights = ordered.map(({ units, start }) => BigInt(isFree ? 1 : byUnits ? (units ?? 0) : start));
    const all = weights.reduce((sum, weight) => sum + weight, 0n);
    const shares = weights.map((weight) => Number((BigInt(total) * weight) / all));
    const before = shares.slice(0, -1).reduce((sum, share) => sum + share, 0);
    const at = ordered.findIndex(({ name }) => name === of);
    return at === ordered.length - 1 ? total - before : (shares[at] ?? 0);
  }
}
