/**
 * The naive ledger's other half: what sellers are due, by auction, and the balance of every account, added up anew from
 * all that there is each time.
 */

import { type Bill, disputedOf, kept, type Sale, shareOn, sum } from './naive-money.ts';
import type { NaiveMoves } from './naive-moves.ts';

export interface Settled {
  /** Null: it only carries what changed after a pay-out. */
  readonly auction: Sale | null;
  readonly currency: string;
  readonly seller: string | undefined;
  status: 'draft' | 'pending' | 'approved' | 'paid';
  /** What each sale was paid out with, and adjusted by since. */
  readonly booked: Map<Bill, bigint>;
  carried: bigint;
  fee: { status: 'draft' | 'open' | 'paid'; cents: bigint };
  paidOut: bigint;
}

/** In hundredths of a per cent, of a team without a plan. */
const COMMISSION = 500n;

export class NaiveSettlements {
  readonly all: Settled[] = [];
  readonly #ledger: NaiveMoves;
  readonly #borneBy: 'platform' | 'seller';

  constructor(ledger: NaiveMoves, borneBy: 'platform' | 'seller') {
    this.#ledger = ledger;
    this.#borneBy = borneBy;
  }

  of(auction: Sale): Settled | null {
    return this.all.find((one) => one.auction === auction) ?? null;
  }

  #bills(auction: Sale): Bill[] {
    return this.#ledger.bills.filter((bill) => bill.kind === 'winner' && bill.auction === auction);
  }

  /** The bills that an auction's settlement waits for: open ones, and what is disputed. */
  waitingFor(auction: Sale): Bill[] {
    return this.#bills(auction).filter(
      (bill) =>
        bill.status === 'open' ||
        this.#ledger.payments.some(
          (paid) => disputedOf(paid) > 0n && (paid.meantFor === bill || shareOn(paid, bill) > 0n),
        ),
    );
  }

  /** Each sale that is over has one. */
  settle(): void {
    for (const auction of this.#ledger.sales) {
      if (auction.status !== 'ended' || this.of(auction) !== null) continue;
      const { currency, seller } = auction;
      const fee = { status: 'draft' as const, cents: 0n };
      const one: Settled = {
        ...{ auction, currency, seller, status: 'draft', booked: new Map() },
        ...{ carried: 0n, fee, paidOut: 0n },
      };
      this.all.push(one);
      this.#moveOn(one);
    }
  }

  #moveOn(one: Settled): void {
    if (one.status === 'draft' && one.auction !== null && this.waitingFor(one.auction).length === 0)
      one.status = 'pending';
  }

  followPaid(bill: Bill): void {
    const one = this.of(bill.auction);
    if (one !== null && bill.kind === 'winner') this.#moveOn(one);
  }

  /** What changed a bill changes what its seller is due: decided anew, or, after the pay-out, with the next. */
  follow(bill: Bill): void {
    const one = this.of(bill.auction);
    if (one === null || bill.kind !== 'winner') return;
    if (one.status !== 'paid') {
      this.#remake(one);
      return;
    }
    let differs = false;
    let cents = 0n;
    for (const sold of this.#bills(bill.auction)) {
      const more = this.net(sold) - (one.booked.get(sold) ?? 0n);
      if (more !== 0n) differs = true;
      cents += more;
      one.booked.set(sold, this.net(sold));
    }
    if (differs) this.#carry(one, cents);
  }

  #remake(one: Settled): void {
    if (one.auction === null) {
      if (one.status === 'approved') one.status = 'pending';
      return;
    }
    one.status = 'draft';
    this.#moveOn(one);
  }

  #carry({ currency, seller }: Settled, cents: bigint): void {
    const isNext = (one: Settled) => one.currency === currency && one.seller === seller;
    const next = this.all.find((one) => isNext(one) && one.status !== 'paid');
    if (next === undefined) {
      const fee = { status: 'draft' as const, cents: 0n };
      this.all.push({
        ...{ auction: null, currency, seller, status: 'pending', booked: new Map() },
        ...{ carried: cents, fee, paidOut: 0n },
      });
      return;
    }
    if (next.status === 'approved') next.status = 'pending';
    next.carried += cents;
  }

  approve(one: Settled): string {
    this.#moveOn(one);
    if (one.status !== 'pending') return 'invalid_transition';
    one.status = 'approved';
    if (one.auction !== null && one.fee.status === 'draft') {
      const cents = this.#commission(one.auction);
      one.fee = { status: cents === 0n ? 'paid' : 'open', cents };
    }
    return 'done';
  }

  pay(one: Settled): string {
    if (one.status !== 'approved') return 'invalid_transition';
    one.status = 'paid';
    one.paidOut = this.netOf(one);
    if (one.fee.status === 'open') one.fee.status = 'paid';
    if (one.auction === null) return 'done';
    for (const bill of this.#bills(one.auction)) one.booked.set(bill, this.net(bill));
    if (one.auction.status === 'ended') one.auction.status = 'settled';
    return 'done';
  }

  reopen(one: Settled): string {
    if (one.status === 'paid') return 'invalid_transition';
    this.#remake(one);
    return 'done';
  }

  /** What it comes to. */
  netOf(one: Settled): bigint {
    if (one.status === 'paid' && one.paidOut !== 0n) return one.paidOut;
    const own = one.auction === null ? [] : this.#bills(one.auction);
    return one.carried + sum(own, (bill) => this.net(bill));
  }

  /** What of a sale's price was given back: its share of all that was taken off, half a unit up. */
  #given({ hammer, total, takenOff }: Bill): bigint {
    return total === 0n ? 0n : (2n * takenOff * hammer + total) / (2n * total);
  }

  #commissionOn(bill: Bill): bigint {
    if (bill.status !== 'open' && bill.status !== 'paid') return 0n;
    return ((bill.hammer - this.#given(bill)) * COMMISSION + 5_000n) / 10_000n;
  }

  #commission(auction: Sale): bigint {
    return sum(this.#bills(auction), (bill) => this.#commissionOn(bill));
  }

  /** What its seller is due of a sale. */
  net(bill: Bill): bigint {
    if (bill.status !== 'open' && bill.status !== 'paid') return 0n;
    const lost = this.#borneBy === 'seller' ? bill.lost : 0n;
    return bill.hammer - this.#given(bill) - this.#commissionOn(bill) - lost;
  }

  /** Every account's balance, by `currency account`. */
  accounts(): Map<string, bigint> {
    const balances = new Map<string, bigint>();
    const add = (currency: string, account: string, cents: bigint) => {
      const name = `${currency} ${account}`;
      balances.set(name, (balances.get(name) ?? 0n) + cents);
    };
    for (const paid of this.#ledger.payments) {
      const disputed = disputedOf(paid);
      const under = sum(
        paid.backs.filter(({ confirmed }) => !confirmed),
        ({ cents }) => cents,
      );
      const gone = sum(paid.backs, ({ cents }) => cents) - under;
      add(paid.currency, 'provider', paid.cents - gone - disputed - paid.lost);
      add(paid.currency, 'refunds_under_way', -under);
      add(paid.currency, 'disputed', disputed);
      add(paid.currency, 'unallocated', -paid.free);
    }
    for (const bill of this.#ledger.bills) {
      const { currency, hammer, premium, total, takenOff, lost } = bill;
      if (bill.status === 'voided') continue;
      if (bill.kind === 'deposit') {
        add(currency, 'deposits_held', this.#ledger.covered(bill) - kept(bill));
        continue;
      }
      const upTo = (part: bigint) => (total === 0n ? 0n : (2n * takenOff * part + total) / (2n * total));
      add(currency, 'receivable', this.#ledger.owed(bill));
      add(currency, 'owed_to_sellers', upTo(hammer) - hammer);
      add(currency, 'premium', upTo(hammer + premium) - upTo(hammer) - premium);
      add(currency, 'tax', takenOff - upTo(hammer + premium) - bill.tax);
      add(currency, this.#borneBy === 'seller' ? 'owed_to_sellers' : 'chargeback_losses', lost);
    }
    for (const one of this.all) {
      const fee = one.fee.status === 'open' ? one.fee.cents : 0n;
      const commission = one.auction === null ? 0n : this.#commission(one.auction);
      add(one.currency, 'receivable', fee);
      add(one.currency, 'owed_to_sellers', commission - fee + one.paidOut);
      add(one.currency, 'commission', -commission);
      add(one.currency, 'paid_out', -one.paidOut);
    }
    return new Map([...balances].filter(([, cents]) => cents !== 0n).sort());
  }
}
