/**
 * The naive ledger: what follows from each event of the provider, each decision of staff and each round of the clock,
 * by the contract alone. It has no database, no posting and no lock; what it holds is compared with the service.
 */
import {
  atLeastZero,
  type Back,
  type Bill,
  type DisputeSaid,
  disputedOf,
  type Event,
  hasRoom,
  isPayment,
  kept,
  least,
  leftOf,
  type Paid,
  type PaymentSaid,
  type RefundSaid,
  sendableOn,
  shareOn,
  sum,
} from './naive-money.ts';
import { NaiveMoves } from './naive-moves.ts';

export interface Became {
  readonly status: 'applied' | 'duplicate' | 'ignored' | 'pending' | 'rejected' | 'unallocated';
  readonly code?: string;
}

const DUPLICATE: Became = { status: 'duplicate' };

export class NaiveLedger extends NaiveMoves {
  /** The same money, to try on it what may be refused. */
  copy(): NaiveLedger {
    return this.copied(new NaiveLedger(this.borneBy));
  }

  // What the provider says.

  take(event: Event): Became {
    if (this.seen.has(event.event)) return DUPLICATE;
    this.seen.add(event.event);
    return this.#apply(event);
  }

  #apply(event: Event): Became {
    if (isPayment(event))
      return event.kind === 'failed' ? this.#fail(event) : this.pay({ ...event, byBank: false });
    const paid = this.payment(event.payment, event.charge);
    if (paid === null) {
      this.waiting.push(event);
      return { status: 'pending' };
    }
    this.#learn(paid, event.charge);
    if (paid.currency !== event.currency) return { status: 'rejected', code: 'wrong_currency' };
    return event.kind === 'refunded' ? this.#refund(event, paid) : this.#dispute(event, paid);
  }

  /** What waits under a name is found once it is known whose that is. */
  #learn(paid: Paid, charge: string | null): void {
    if (charge === null || paid.names.has(charge)) return;
    paid.names.add(charge);
    this.#applyWaiting(paid);
  }

  #fail({ payment, cents, currency, bill: name }: PaymentSaid): Became {
    if (this.failed.has(payment)) return DUPLICATE;
    const bill = this.bill(name);
    if (bill === null) return { status: 'rejected', code: 'unknown_invoice' };
    if (bill.currency !== currency) return { status: 'rejected', code: 'wrong_currency' };
    if (bill.status !== 'open' || !hasRoom(bill, cents)) return { status: 'rejected', code: 'not_open' };
    if (this.payment(payment) !== null) return { status: 'ignored' };
    this.failed.add(payment);
    return { status: 'applied' };
  }

  /** Money that came: of its bill where that is open and of its currency, else nobody's. */
  pay(event: {
    payment: string;
    charge: string | null;
    cents: bigint;
    currency: string;
    bill: string | null;
    byBank: boolean;
  }): Became {
    const known = this.payment(event.payment, event.charge);
    if (known !== null) {
      this.#learn(known, event.charge);
      return DUPLICATE;
    }
    const bill = this.bill(event.bill);
    this.failed.delete(event.payment);
    const names = new Set([event.payment, ...(event.charge === null ? [] : [event.charge])]);
    const { cents, currency, byBank } = event;
    const paid: Paid = {
      ...{ name: event.payment, names, cents, currency, byBank, meantFor: bill, free: cents },
      ...{ on: [], backs: [], disputes: [], lost: 0n },
    };
    this.payments.push(paid);
    const code =
      bill === null
        ? 'unknown_invoice'
        : bill.currency !== currency
          ? 'wrong_currency'
          : bill.status !== 'open' || !hasRoom(bill, cents)
            ? 'not_open'
            : null;
    if (bill !== null && code === null) this.put(paid, bill);
    this.#applyWaiting(paid);
    if (code === null) return { status: 'applied' };
    return { status: code === 'not_open' ? 'unallocated' : 'rejected', code };
  }

  /** Each event that waits for a payment is applied to it once, in the order in which they came. */
  #applyWaiting(paid: Paid): void {
    const own = this.waiting.filter(
      (one) => !isPayment(one) && this.payment(one.payment, one.charge) === paid,
    );
    for (const event of own) {
      if (!this.waiting.includes(event)) continue;
      this.waiting = this.waiting.filter((one) => one !== event);
      this.#apply(event);
    }
  }

  #refund(event: RefundSaid, paid: Paid): Became {
    const news = this.#newly(event, paid);
    if (news > leftOf(paid) && disputedOf(paid) > 0n) {
      this.waiting.push(event);
      return { status: 'pending' };
    }
    const cents = least(leftOf(paid), news);
    if (cents <= 0n) return DUPLICATE;
    this.takeBack(paid, this.partsOf(paid, cents), { cents, by: 'provider', confirmed: true });
    return { status: 'applied' };
  }

  /** What of a refund is news: not what we have sent ourselves, nor what was known of it. */
  #newly({ cents, inAll }: RefundSaid, paid: Paid): bigint {
    const known = paid.backs.filter(({ by }) => by !== 'dispute');
    const own = known.filter(({ confirmed }) => !confirmed);
    const confirm = (backs: readonly Back[]) => {
      for (const back of backs) back.confirmed = true;
    };
    const all = (backs: readonly Back[]) => sum(backs, (back) => back.cents);
    if (inAll !== null) {
      if (inAll >= all(known)) confirm(own);
      return inAll - all(known);
    }
    const echoed = own.find((back) => back.cents === cents);
    if (echoed === undefined && all(own) !== cents) return cents;
    confirm(echoed === undefined ? own : [echoed]);
    return 0n;
  }

  #dispute(event: DisputeSaid, paid: Paid): Became {
    const known = paid.disputes.find(({ id }) => id === event.dispute);
    if (known === undefined && event.cents > leftOf(paid) && disputedOf(paid) > 0n) {
      // Another dispute over the same money ends first.
      this.waiting.push(event);
      return { status: 'pending' };
    }
    const withheld = known === undefined ? least(event.cents, leftOf(paid)) : 0n;
    const isNew = known === undefined && withheld > 0n;
    const dispute = known ?? { id: event.dispute, cents: withheld, over: false };
    const of = [...paid.on.filter(({ cents }) => cents > 0n).map(({ bill }) => bill)];
    if (paid.meantFor !== null && !of.includes(paid.meantFor)) of.push(paid.meantFor);
    if (known === undefined) paid.disputes.push(dispute);
    if (isNew) {
      for (const bill of of) this.release(bill, 0n);
    }
    if (event.end === null && !isNew) return known === undefined ? { status: 'applied' } : DUPLICATE;
    if (event.end !== null) {
      if (dispute.over) return DUPLICATE;
      dispute.over = true;
      if (event.end === 'lost') this.lose(paid, dispute.cents);
      this.#applyWaiting(paid);
    }
    for (const bill of of) this.settlements.follow(bill);
    return { status: 'applied' };
  }

  // What staff decide. Each says the code of its refusal, or `done`.

  refund(bill: Bill): string {
    if (bill.status !== 'paid') return 'invalid_transition';
    if (bill.kind === 'deposit') {
      const held = this.free(bill);
      if (held <= 0n) return 'deposit_in_use';
      this.sendBack(bill, held);
      return 'done';
    }
    const whole = sum(this.on(bill), (paid) => shareOn(paid, bill));
    const sendable = sum(this.on(bill), (paid) => sendableOn(paid, bill));
    if (sendable < whole) return 'invalid_transition';
    if (whole > 0n) this.sendBack(bill, whole);
    if (bill.status !== 'paid') return 'done';
    this.lostBack(bill);
    this.afterBack(bill, true);
    return 'done';
  }

  void(bill: Bill): string {
    if (bill.status !== 'open') return 'invalid_transition';
    this.release(bill, kept(bill));
    for (const paid of this.on(bill)) {
      const cents = shareOn(paid, bill);
      for (const share of paid.on) if (share.bill === bill) share.cents = 0n;
      paid.free += cents;
      paid.meantFor = bill;
      bill.received -= cents;
    }
    this.lostBack(bill);
    bill.status = 'voided';
    this.uncover(bill);
    this.settlements.follow(bill);
    return 'done';
  }

  allocate(paid: Paid, bill: Bill): string {
    const cents = paid.free - disputedOf(paid);
    if (cents <= 0n || bill.status !== 'open') return 'invalid_transition';
    if (paid.currency !== bill.currency) return 'currency_mismatch';
    if (!hasRoom(bill, cents)) return 'invalid_transition';
    this.put(paid, bill, cents);
    return 'done';
  }

  refundUnallocated(paid: Paid): string {
    const cents = paid.free - disputedOf(paid);
    if (cents <= 0n) return 'invalid_transition';
    this.send(paid, cents);
    paid.backs.push({ cents, by: 'us', confirmed: false });
    paid.free -= cents;
    return 'done';
  }

  /** Staff have sent back what was to go back of a bank transfer. */
  markSent(paid: Paid): string {
    const waiting = paid.backs.filter((back) => back.by === 'us' && !back.confirmed);
    if (!paid.byBank || waiting.length === 0) return 'invalid_transition';
    for (const back of waiting) back.confirmed = true;
    return 'done';
  }

  // What the clock does.

  /** Credits what a deposit of a sale that is over holds to its buyer's open bills. */
  creditDeposit(deposit: Bill): void {
    if (!this.isDue(deposit)) return;
    const open = this.bills.filter(
      ({ kind, status, auction, buyer }) =>
        kind === 'winner' && status === 'open' && auction === deposit.auction && buyer === deposit.buyer,
    );
    for (const bill of open) {
      const cents = least(this.free(deposit), atLeastZero(this.owed(bill)));
      if (cents <= 0n) continue;
      const cover = this.covers.find((one) => one.deposit === deposit && one.bill === bill);
      if (cover === undefined) this.covers.push({ deposit, bill, cents });
      else cover.cents += cents;
      this.cover(bill);
    }
  }

  /** Whether a deposit may hold something that is nobody's use. */
  isDue({ kind, status, auction }: Bill): boolean {
    return kind === 'deposit' && auction.status !== 'active' && (status === 'open' || status === 'paid');
  }

  /** Gives back what covers nothing; nobody owes a deposit that was never whole. */
  returnRest(deposit: Bill): void {
    if (!this.isDue(deposit)) return;
    this.sendBack(deposit, this.free(deposit));
    if (deposit.status === 'open' && this.covered(deposit) === 0n) this.void(deposit);
  }

  /** What came for a bill once more is put on it. */
  putDoubles(bill: Bill): void {
    if (bill.status !== 'paid') return;
    for (const paid of this.payments)
      if (paid.free > 0n && paid.meantFor === bill && paid.currency === bill.currency)
        if (hasRoom(bill, paid.free)) this.put(paid, bill);
  }

  /** Gives back what was paid beyond what a paid bill asks for. */
  returnSurplus(bill: Bill): void {
    if (bill.status !== 'paid') return;
    this.putDoubles(bill);
    const surplus = -this.owed(bill);
    // What of a deposit covers something is used; whose disputed money is shows when that is over.
    const back = bill.kind === 'deposit' ? least(surplus, this.free(bill)) : surplus - this.disputed(bill);
    if (back > 0n) this.sendBack(bill, back, true);
  }
}
