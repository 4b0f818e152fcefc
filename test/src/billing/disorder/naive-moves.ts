/** The naive ledger's money, and how it moves from one thing to another. */
import {
  atLeastZero,
  type Back,
  type Bill,
  type Cover,
  disputedOf,
  type Event,
  kept,
  least,
  type Paid,
  type Sale,
  sendableOn,
  shareOn,
  sum,
} from './naive-money.ts';
import { NaiveSettlements } from './naive-settlements.ts';

/** Something that we send back through the provider. */
export interface Sent {
  readonly payment: string;
  readonly cents: bigint;
}

export class NaiveMoves {
  readonly bills: Bill[] = [];
  readonly sales: Sale[] = [];
  readonly payments: Paid[] = [];
  readonly failed = new Set<string>();
  readonly covers: Cover[] = [];
  readonly seen = new Set<string>();
  waiting: Event[] = [];
  /** What the step at hand sends back. */
  sent: Sent[] = [];
  readonly settlements: NaiveSettlements;

  readonly borneBy: 'platform' | 'seller';

  constructor(disputesBorneBy: 'platform' | 'seller') {
    this.borneBy = disputesBorneBy;
    this.settlements = new NaiveSettlements(this, disputesBorneBy);
  }

  /** The same money, to try on it what may be refused. */
  copied<T extends NaiveMoves>(copy: T): T {
    const { bills, sales, payments, failed, covers, seen, waiting, settlements } = this;
    const { all } = settlements;
    const same = structuredClone({ bills, sales, payments, failed, covers, seen, waiting, all });
    copy.settlements.all.push(...same.all);
    return Object.assign(copy, { ...same, all: undefined });
  }

  bill(name: string | null): Bill | null {
    return this.bills.find((one) => one.name === name) ?? null;
  }

  payment(...names: readonly (string | null)[]): Paid | null {
    return this.payments.find((one) => names.some((name) => name !== null && one.names.has(name))) ?? null;
  }

  /** What deposits cover of a bill, or what a deposit covers. */
  covered(bill: Bill): bigint {
    const own = this.covers.filter((one) => one.bill === bill || one.deposit === bill);
    return sum(own, ({ cents }) => cents);
  }

  /** What a bill asks for; below zero: what was paid beyond it. */
  owed(bill: Bill): bigint {
    if (bill.status === 'voided') return 0n;
    if (bill.kind === 'deposit') return bill.total - kept(bill);
    return bill.total - bill.takenOff - kept(bill) - this.covered(bill);
  }

  protected on(bill: Bill): Paid[] {
    return this.payments.filter((paid) => shareOn(paid, bill) > 0n);
  }

  /** What a deposit holds that covers nothing and that nobody disputes. */
  free(deposit: Bill): bigint {
    return kept(deposit) - this.covered(deposit) - this.disputed(deposit);
  }

  /** What of a bill's money its payers dispute. */
  protected disputed(bill: Bill): bigint {
    return sum(this.on(bill), (paid) => least(shareOn(paid, bill), disputedOf(paid)));
  }

  /** Puts all that is free of a payment, or a part of it, on a bill. */
  protected put(paid: Paid, bill: Bill, cents = paid.free): void {
    bill.received += cents;
    const share = paid.on.find((one) => one.bill === bill);
    if (share === undefined) paid.on.push({ bill, cents });
    else share.cents += cents;
    paid.free -= cents;
    paid.meantFor = bill;
    this.cover(bill);
  }

  protected cover(bill: Bill): void {
    if (bill.status !== 'open' || this.owed(bill) > 0n) return;
    bill.status = 'paid';
    bill.paidTimes += 1;
    this.settlements.followPaid(bill);
  }

  /** Where money of a payment is that is taken from its bills: what is on none goes first, then that of the last. */
  protected partsOf(paid: Paid, cents: bigint): { bill: Bill; cents: bigint }[] {
    let rest = cents - least(cents, paid.free);
    const parts: { bill: Bill; cents: bigint }[] = [];
    for (const share of paid.on.toReversed()) {
      const part = least(rest, share.cents);
      if (part <= 0n) continue;
      rest -= part;
      parts.push({ bill: share.bill, cents: part });
    }
    return parts;
  }

  /** Takes money of a payment from these bills, and the rest of it from what is on none. */
  protected takeBack(paid: Paid, parts: readonly { bill: Bill; cents: bigint }[], back: Back): void {
    if (back.by !== 'dispute') for (const part of parts) this.release(part.bill, part.cents);
    paid.backs.push(back);
    paid.free -= back.cents - sum(parts, ({ cents }) => cents);
    for (const { bill, cents: part } of parts) {
      for (const share of paid.on) if (share.bill === bill) share.cents -= part;
      bill.returned += part;
    }
    for (const { bill } of parts) this.afterBack(bill, false);
  }

  /**
   * Lost: of a sale it is somebody's loss; what a deposit held, nobody had taken, or was paid beyond what was due is its
   * payer's again.
   */
  protected lose(paid: Paid, cents: bigint): void {
    const parts = this.partsOf(paid, cents);
    for (const part of parts.filter(({ bill }) => bill.kind !== 'deposit')) {
      const lost = part.cents - least(part.cents, atLeastZero(-this.owed(part.bill)));
      for (const share of paid.on) if (share.bill === part.bill) share.cents -= lost;
      part.bill.lost += lost;
      paid.lost += lost;
      part.cents -= lost;
      cents -= lost;
    }
    const back = parts.filter((part) => part.cents > 0n);
    if (cents > 0n) this.takeBack(paid, back, { cents, by: 'dispute', confirmed: true });
  }

  /** A bill of which something went back. `whole`: staff give all of it back. */
  protected afterBack(bill: Bill, whole: boolean): void {
    if (bill.status === 'paid') {
      const missing = this.owed(bill) > 0n;
      if (kept(bill) === 0n && (missing || whole)) bill.status = 'refunded';
      if (bill.kind === 'winner') this.writeOff(bill);
      else if (missing && bill.status === 'paid' && bill.auction.status === 'active') bill.status = 'open';
    }
    if (bill.status === 'refunded') this.uncover(bill);
    this.settlements.follow(bill);
  }

  /** What a lost dispute has taken of a bill is back with its payer: nothing was sold. */
  protected lostBack(bill: Bill): void {
    bill.returned += bill.lost;
    bill.lost = 0n;
  }

  protected writeOff(bill: Bill): void {
    bill.takenOff += atLeastZero(this.owed(bill));
  }

  /** A sale that fell through needs no deposit. */
  protected uncover(bill: Bill): void {
    for (const cover of this.covers) if (cover.bill === bill) cover.cents = 0n;
    if (bill.kind === 'winner' && bill.status === 'refunded') this.writeOff(bill);
  }

  /** What a deposit can no longer cover is owed again by whom it was covered for, the newest first. */
  protected release(deposit: Bill, cents: bigint): void {
    if (deposit.kind !== 'deposit') return;
    let missing = cents - this.free(deposit);
    for (const cover of this.covers.filter((one) => one.deposit === deposit).toReversed()) {
      const part = least(missing, cover.cents);
      if (part <= 0n) continue;
      missing -= part;
      cover.cents -= part;
      if (cover.bill.status === 'paid' && this.owed(cover.bill) > 0n) cover.bill.status = 'open';
      this.settlements.follow(cover.bill);
    }
  }

  /** Sends back up to so much of what a bill keeps: of its oldest payment first, or of its newest. */
  protected sendBack(bill: Bill, cents: bigint, newestFirst = false): void {
    const all = this.on(bill);
    for (const paid of newestFirst ? all.toReversed() : all) {
      const part = least(cents, sendableOn(paid, bill));
      if (part <= 0n) continue;
      cents -= part;
      this.send(paid, part);
      this.release(bill, part);
      paid.backs.push({ cents: part, by: 'us', confirmed: false });
      for (const share of paid.on) if (share.bill === bill) share.cents -= part;
      bill.returned += part;
      this.afterBack(bill, false);
    }
  }

  protected send({ name, byBank }: Paid, cents: bigint): void {
    if (!byBank) this.sent.push({ payment: name, cents });
  }
}
