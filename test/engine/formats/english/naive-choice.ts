/**
 * Rule 25 once more, as plainly as it can be said and written without a look at the engine: straight bids on a group
 * with one increment, the hammer, and who takes what.
 */
export interface NaiveLot {
  status: 'active' | 'sold' | 'passed';
  price: number | null;
  buyer: string | null;
}

export class NaiveChoice {
  readonly lots: NaiveLot[];
  readonly #increment: number;
  readonly #start: number;
  readonly #seconds: number;
  #price = 0;
  #leader: { who: string; online: boolean } | null = null;
  #pending: { who: string; price: number; until: number } | null = null;
  #now = 0;

  constructor(count: number, terms: { start: number; increment: number; seconds: number }) {
    this.lots = Array.from({ length: count }, () => ({ status: 'active', price: null, buyer: null }));
    [this.#start, this.#increment, this.#seconds] = [terms.start, terms.increment, terms.seconds];
  }

  get price(): number {
    return this.#price;
  }

  #open(): number[] {
    return this.lots.flatMap(({ status }, at) => (status === 'active' ? [at + 1] : []));
  }

  #isOpen(number: number): boolean {
    return this.lots[number - 1]!.status === 'active';
  }

  #anew(): void {
    [this.#price, this.#leader, this.#pending] = [0, null, null];
  }

  #sell(numbers: readonly number[], price: number, buyer: string): string {
    for (const number of numbers) this.lots[number - 1] = { status: 'sold', price, buyer };
    this.#anew();
    return 'done';
  }

  bid(number: number, who: string, amount: number, online: boolean): string {
    if (!this.#isOpen(number)) return 'lot_closed';
    if (this.#pending !== null) return 'choice_pending';
    const least = this.#leader === null ? this.#start : this.#price + this.#increment;
    if (amount < least) return 'bid_too_low';
    [this.#price, this.#leader] = [amount, { who, online }];
    return 'done';
  }

  sale(number: number, who: string, price: number, choice: readonly number[] | null): string {
    const pending = this.#pending;
    if (!this.#isOpen(number)) return 'lot_already_sold';
    const settles = pending !== null && choice !== null && pending.who === who && pending.price === price;
    if (pending !== null && !settles) return 'lot_already_sold';
    if (choice !== null)
      return choice.every((one) => this.#isOpen(one)) ? this.#sell(choice, price, who) : 'lot_already_sold';
    const isOnline = this.#leader?.who === who && this.#leader.online && this.#price === price;
    if (!isOnline || this.#open().length === 1) return this.#sell([number], price, who);
    this.#pending = { who, price, until: this.#now + this.#seconds };
    return 'done';
  }

  choose(who: string, choice: readonly number[]): string {
    const pending = this.#pending;
    if (pending === null) return 'choice_over';
    if (pending.who !== who) return 'choice_of_another';
    return choice.every((one) => this.#isOpen(one))
      ? this.#sell(choice, pending.price, who)
      : 'choice_unknown';
  }

  pass(number: number): string {
    if (!this.#isOpen(number)) return 'closed';
    // Whoever chooses has the lowest number if nothing else.
    if (this.#pending !== null && this.#open()[0] === number) return 'lot_already_sold';
    const carries = this.#open()[0] === number;
    this.lots[number - 1]!.status = 'passed';
    if (carries) this.#anew();
    return 'done';
  }

  wait(seconds: number): void {
    this.#now += seconds;
    const [lowest] = this.#open();
    if (this.#pending !== null && this.#now >= this.#pending.until && lowest !== undefined)
      this.#sell([lowest], this.#pending.price, this.#pending.who);
  }
}
