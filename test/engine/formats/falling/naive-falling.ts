/**
 * The falling clock once more, naive and slow, written from the rule alone: seconds are counted one by one while
 * nothing holds the clock up, and the price falls as they come. Amounts are cents, times whole seconds.
 */
export interface NaiveClock {
  readonly start: number;
  readonly step: number;
  readonly stepSeconds: number;
  readonly floor: number;
  readonly floorSeconds: number;
  readonly quantity: number;
  /** Ten-thousandths of what the price is for one of, of a lot of one piece; absent: it is for the piece. */
  readonly units?: number | null;
}

export interface NaiveTake {
  readonly bid: string;
  readonly who: string;
  readonly price: number;
  readonly take: number;
}

export class NaiveFalling {
  readonly #clock: NaiveClock;
  readonly #startsAt: number;
  /** Seconds that the clock has run. */
  #ran = 0;
  #now: number;
  takes: NaiveTake[] = [];
  isPaused = false;
  isClosed = false;

  constructor(clock: NaiveClock, now: number, startsAt: number) {
    this.#clock = clock;
    this.#now = now;
    this.#startsAt = startsAt;
  }

  /** Time goes by; `isHeldUp`: the journal is away. */
  pass(seconds: number, isHeldUp = false): void {
    for (let left = seconds; left > 0; left -= 1) {
      const runs = this.#now >= this.#startsAt && !this.isPaused && !isHeldUp;
      // What holds the sale up before the start holds the start up, but for the time in which nobody would have bid.
      if (runs) this.#ran += 1;
      this.#now += 1;
    }
  }

  get price(): number {
    const { start, step, stepSeconds, floor } = this.#clock;
    let price = start;
    for (let at = stepSeconds; at <= this.#ran; at += stepSeconds) price = Math.max(floor, price - step);
    return price;
  }

  get isOver(): boolean {
    const { start, step, stepSeconds, floor, floorSeconds } = this.#clock;
    let seconds = floorSeconds;
    for (let price = start; price > floor; price -= step) seconds += stepSeconds;
    return this.#ran >= seconds;
  }

  get left(): number {
    let left = this.#clock.quantity;
    for (const { take } of this.takes) left -= take;
    return left;
  }

  bid(bid: string, who: string, amount: number, take: number): string {
    if (this.isPaused) return 'auction_paused';
    if (this.isClosed || this.isOver) return 'lot_closed';
    if (this.#now < this.#startsAt) return 'lot_not_started';
    if (amount < this.price) return 'bid_too_low';
    if (take > this.left) return 'not_enough_left';
    this.takes.push({ bid, who, price: this.price, take });
    if (this.left === 0) this.isClosed = true;
    return 'won';
  }

  void(bid: string): string {
    if (this.isClosed || (this.isOver && !this.isPaused)) return 'lot_closed';
    if (!this.takes.some((one) => one.bid === bid)) return 'gone';
    this.takes = this.takes.filter((one) => one.bid !== bid);
    return 'done';
  }

  close(): void {
    if (this.isOver && !this.isPaused) this.isClosed = true;
  }

  get hammer(): number {
    let sum = 0;
    const units = BigInt(this.#clock.units ?? 10_000);
    // Half a cent counts as one.
    for (const { price, take } of this.takes)
      sum += Number((BigInt(price) * units + 5_000n) / 10_000n) * take;
    return sum;
  }
}
