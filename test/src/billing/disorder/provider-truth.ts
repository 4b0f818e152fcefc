/**
 * A provider with a memory of its own: what it really holds of each payment, which events it has not delivered yet,
 * and what we had it send back. It speaks our shape of events and Stripe's.
 */
import { type PaymentProvider, RefundRefused } from '../../../../src/billing/providers/provider.ts';
import { type DisputeSaid, type Event, isPayment, type PaymentSaid, type RefundSaid } from './naive-money.ts';

export type Wording = 'ours' | 'stripe';

interface Held {
  readonly wording: Wording;
  readonly cents: bigint;
  readonly currency: string;
  readonly charge: string;
  refunded: bigint;
  disputed: bigint;
  lost: bigint;
  readonly disputes: { readonly id: string; readonly cents: bigint; over: boolean }[];
}

export class ProviderTruth implements PaymentProvider {
  readonly name: string;
  readonly held = new Map<string, Held>();
  /** What has happened and was not delivered yet. */
  queue: Event[] = [];
  delivered: Event[] = [];
  /** What it was made to send back, once for each key. */
  readonly sent = new Map<string, { readonly payment: string; readonly cents: bigint }>();
  /** Nothing of these payments can be sent back now; `all`: it does not answer. */
  refuses: ReadonlySet<string> = new Set();
  readonly #next: () => number;
  readonly #tag: string;

  constructor(name: string, tag: string, next: () => number) {
    this.name = name;
    this.#tag = tag;
    this.#next = next;
  }

  takesCurrency(): boolean {
    return true;
  }

  amountFrom(amount: number): number {
    return amount;
  }

  async checkout(): Promise<never> {
    throw new Error('nobody pays here');
  }

  left(payment: string): bigint {
    const held = this.held.get(payment);
    return held === undefined ? 0n : held.cents - held.refunded - held.disputed - held.lost;
  }

  /** Whether it could send this back now. */
  can(payment: string, cents: bigint): boolean {
    return !this.refuses.has('all') && this.left(payment) >= cents;
  }

  async refund(payment: string, cents: number, currency: string, key: string): Promise<void> {
    if (this.refuses.has('all') || this.refuses.has(payment)) throw new RefundRefused('the provider says no');
    if (this.sent.has(key)) return;
    if (this.held.get(payment)?.currency !== currency) throw new Error(`${payment} is not in ${currency}`);
    this.sent.set(key, { payment, cents: BigInt(cents) });
    this.#goesBack(payment, BigInt(cents));
  }

  event(): string {
    return `evt_${this.#tag}_${this.#next()}`;
  }

  /** Somebody pays. */
  pays(cents: bigint, currency: string, bill: string | null, wording: Wording, fails = false): void {
    const n = this.#next();
    const payment = `pi_${this.#tag}_${n}`;
    const charge = `ch_${this.#tag}_${n}`;
    if (!fails) {
      const none = { refunded: 0n, disputed: 0n, lost: 0n, disputes: [] };
      this.held.set(payment, { wording, cents, currency, charge, ...none });
    }
    // Some of Stripe’s do not name the charge: what comes later does.
    const named = wording === 'stripe' && !fails && this.held.size % 3 !== 2 ? charge : null;
    const kind = fails ? 'failed' : 'paid';
    this.queue.push({ kind, event: this.event(), payment, charge: named, cents, currency, bill });
  }

  /** It tells of its payments once more, with all names. */
  names(): void {
    for (const [payment, { wording, charge, cents, currency }] of this.held)
      if (wording === 'stripe')
        this.queue.push({ kind: 'paid', event: this.event(), payment, charge, cents, currency, bill: null });
  }

  /** Somebody gives a part of a payment back at the provider. */
  givesBack(payment: string, cents: bigint): void {
    const part = cents < this.left(payment) ? cents : this.left(payment);
    if (part > 0n) this.#goesBack(payment, part);
  }

  #goesBack(payment: string, cents: bigint): void {
    const held = this.held.get(payment)!;
    held.refunded += cents;
    const isOurs = held.wording === 'ours';
    this.queue.push({
      kind: 'refunded',
      event: this.event(),
      // Some of Stripe’s name the charge alone.
      payment: isOurs || held.refunded % 3n !== 0n ? payment : null,
      charge: isOurs ? null : held.charge,
      cents: isOurs ? cents : held.cents,
      inAll: isOurs ? null : held.refunded,
      currency: held.currency,
    });
  }

  opensDispute(payment: string, cents: bigint): void {
    const held = this.held.get(payment)!;
    const part = cents < this.left(payment) ? cents : this.left(payment);
    if (part <= 0n) return;
    const id = `dp_${this.#tag}_${this.#next()}`;
    held.disputed += part;
    held.disputes.push({ id, cents: part, over: false });
    this.queue.push(this.#disputed(payment, id, part, null));
  }

  endsDispute(payment: string, end: 'won' | 'lost'): void {
    const held = this.held.get(payment)!;
    const dispute = held.disputes.find(({ over }) => !over);
    if (dispute === undefined) return;
    dispute.over = true;
    held.disputed -= dispute.cents;
    if (end === 'lost') held.lost += dispute.cents;
    this.queue.push(this.#disputed(payment, dispute.id, dispute.cents, end));
  }

  #disputed(payment: string, dispute: string, cents: bigint, end: 'won' | 'lost' | null): Event {
    const { currency, charge, wording } = this.held.get(payment)!;
    const event = this.event();
    const named = wording === 'stripe' ? charge : null;
    return { kind: 'disputed', event, dispute, payment, charge: named, cents, currency, end };
  }

  /** An event as it is sent. */
  body(event: Event): string {
    const held = event.payment === null ? undefined : this.held.get(event.payment);
    const wording = held?.wording ?? (event.charge === null ? 'ours' : 'stripe');
    return JSON.stringify({
      id: event.event,
      created: 1_700_000_000,
      livemode: false,
      ...(isPayment(event)
        ? this.#payment(event, wording)
        : event.kind === 'refunded'
          ? this.#refund(event)
          : this.#dispute(event)),
    });
  }

  #payment(event: PaymentSaid, wording: Wording) {
    const { kind, payment, charge, cents, currency, bill } = event;
    const metadata = bill === null ? {} : { invoice_number: bill };
    const own = { id: payment, amount: Number(cents), currency, metadata };
    // Stripe says what was wanted and what came.
    const stripes = {
      object: 'payment_intent',
      status: 'succeeded',
      amount_received: Number(cents),
      latest_charge: charge,
      currency: currency.toLowerCase(),
    };
    return {
      type: kind === 'paid' ? 'payment_intent.succeeded' : 'payment_intent.payment_failed',
      data: { object: wording === 'ours' ? own : { ...own, ...stripes } },
    };
  }

  #refund({ payment, charge, cents, inAll, currency }: RefundSaid) {
    const named = { id: charge ?? payment, ...(charge === null ? {} : { payment_intent: payment }) };
    const counted = inAll === null ? {} : { amount_refunded: Number(inAll), object: 'charge' };
    return {
      type: 'charge.refunded',
      data: { object: { ...named, amount: Number(cents), currency, metadata: {}, ...counted } },
    };
  }

  #dispute({ dispute, payment, charge, cents, currency, end }: DisputeSaid) {
    const object = { id: dispute, charge, payment_intent: payment, amount: Number(cents), currency };
    return {
      type: `charge.dispute.${end === null ? 'created' : 'closed'}`,
      data: { object: { ...object, status: end ?? 'needs_response' } },
    };
  }
}
