/**
 * The tender once more, naive and slow, written from the rule alone: every bid ever made is kept, and what stands is
 * found anew each time. Amounts are cents, times whole seconds from the start.
 */
export interface NaiveTerms {
  readonly starting: number;
  readonly reserve: number | null;
  readonly mayLower: boolean;
  readonly mayWithdraw: boolean;
  readonly second: boolean;
  readonly finalRound: number | null;
  readonly finalSeconds: number;
  readonly seconds: number;
  /** Ten-thousandths of what amounts are for one of; absent: they are for the lot. */
  readonly units?: number | null;
  /** An end that nobody could see to for so long is made up for; a minute where not said. */
  readonly late?: number;
}

interface Made {
  readonly id: string;
  readonly who: string;
  readonly amount: number;
  readonly isFinal: boolean;
  gone: boolean;
}

export class NaiveTender {
  readonly #terms: NaiveTerms;
  #made: Made[] = [];
  end: number;
  reserve: number | null;
  now = -10;
  isPaused = false;
  isFinal = false;
  finalists: string[] = [];
  status: 'open' | 'sold' | 'passed' | 'unsold' = 'open';
  hammer = 0;
  winner: string | null = null;
  /** By rank. */
  ranking: string[] = [];

  constructor(terms: NaiveTerms) {
    this.#terms = terms;
    this.end = terms.seconds;
    this.reserve = terms.reserve;
  }

  /** The newest bid of each that was not taken out. */
  valid(): Made[] {
    const newest = new Map<string, Made>();
    for (const one of this.#made) newest.set(one.who, one);
    return this.#made.filter((one) => newest.get(one.who) === one && !one.gone);
  }

  #lot(): string | null {
    if (this.isPaused) return 'auction_paused';
    if (this.status !== 'open' || this.now >= this.end) return 'lot_closed';
    return this.now < 0 ? 'lot_not_started' : null;
  }

  bid(id: string, who: string, amount: number): string {
    const refused = this.#lot() ?? this.refusal(who, amount);
    if (refused !== null) return refused;
    this.#made.push({ id, who, amount, isFinal: this.isFinal, gone: false });
    return 'sealed';
  }

  /** Why an amount is not taken. */
  refusal(who: string, amount: number): string | null {
    const own = this.valid().find((one) => one.who === who);
    if (this.isFinal) {
      if (!this.finalists.includes(who) || own === undefined || own.isFinal) return 'not_in_final_round';
      if (amount < own.amount) return 'bid_too_low';
    } else if (own !== undefined && !this.#terms.mayLower) {
      if (amount <= own.amount) return 'bid_too_low';
    } else if (amount < this.#terms.starting) return 'bid_too_low';
    return null;
  }

  withdraw(id: string, who: string): string {
    const own = this.valid().find((one) => one.who === who);
    if (own?.id !== id) return this.status === 'open' ? 'bid_unknown' : 'withdrawal_not_allowed';
    if (this.#lot() !== null || this.isFinal || !this.#terms.mayWithdraw) return 'withdrawal_not_allowed';
    own.gone = true;
    return 'done';
  }

  void(id: string): string {
    if (this.status !== 'open' || (this.now >= this.end && !this.isPaused)) return 'lot_closed';
    const one = this.valid().find((bid) => bid.id === id);
    if (one === undefined) return 'gone';
    one.gone = true;
    return 'done';
  }

  /** The best first; of equals the one that came to stand earlier. */
  #best(): Made[] {
    const left = this.valid();
    const best: Made[] = [];
    while (left.length > 0) {
      let top = 0;
      for (const [at, one] of left.entries()) if (one.amount > (left[top]?.amount ?? 0)) top = at;
      best.push(...left.splice(top, 1));
    }
    return best;
  }

  advance(): void {
    if (this.status !== 'open' || this.now < this.end) return;
    const best = this.#best();
    const { finalRound, finalSeconds, second, starting, late = 60 } = this.#terms;
    const { reserve } = this;
    if (finalRound !== null && !this.isFinal) {
      this.isFinal = true;
      this.end = (this.now > this.end + late ? this.now : this.end) + finalSeconds;
      this.finalists = best
        .filter(({ amount }) => best.filter((other) => other.amount > amount).length < finalRound)
        .map(({ who }) => who);
      return;
    }
    const [first, next] = best;
    this.ranking = best.map(({ id }) => id);
    this.status = first === undefined ? 'unsold' : first.amount < (reserve ?? 0) ? 'passed' : 'sold';
    if (this.status !== 'sold' || first === undefined) return;
    this.winner = first.who;
    this.hammer = first.amount;
    if (second) this.hammer = Math.max(next?.amount ?? starting, reserve ?? 0);
    if (second && next === undefined) this.hammer = reserve ?? starting;
    const { units = null } = this.#terms;
    // Half a cent counts as one.
    if (units !== null) this.hammer = Number((BigInt(this.hammer) * BigInt(units) + 5_000n) / 10_000n);
  }
}
