/**
 * What the naive ledger is made of: plain objects and whole amounts of a currency's smallest unit, written from the
 * contract alone. Nothing here knows the service.
 */

/** A debt of one buyer: for what they bought, or for being let in. */
export interface Bill {
  readonly name: string;
  readonly kind: 'winner' | 'deposit';
  readonly buyer: number;
  readonly auction: Sale;
  readonly currency: string;
  readonly hammer: bigint;
  readonly premium: bigint;
  readonly tax: bigint;
  readonly total: bigint;
  status: 'open' | 'paid' | 'refunded' | 'voided';
  /** How often it became paid: what a deposit no longer covers opens it again. */
  paidTimes: number;
  /** What came of payments, and what of that went back. */
  received: bigint;
  returned: bigint;
  /** What is no longer owed because money went back. */
  takenOff: bigint;
  /** What lost disputes have taken of what came; the sale stands. */
  lost: bigint;
}

export interface Sale {
  readonly name: string;
  readonly currency: string;
  /** Whose sale it is, where there are several sellers. */
  readonly seller?: string;
  status: 'active' | 'ended' | 'settled' | 'cancelled';
}

/** Something that went back of a payment: sent by us, or seen at the provider, or lost in a dispute. */
export interface Back {
  readonly cents: bigint;
  readonly by: 'us' | 'provider' | 'dispute';
  confirmed: boolean;
}

export interface Dispute {
  readonly id: string;
  readonly cents: bigint;
  over: boolean;
}

export interface Paid {
  readonly name: string;
  /** All names that the provider has for it. */
  readonly names: Set<string>;
  cents: bigint;
  currency: string;
  meantFor: Bill | null;
  /** On no bill. */
  free: bigint;
  readonly on: { readonly bill: Bill; cents: bigint }[];
  readonly backs: Back[];
  readonly disputes: Dispute[];
  lost: bigint;
  readonly byBank: boolean;
}

/** What a deposit covers of a bill. */
export interface Cover {
  readonly deposit: Bill;
  readonly bill: Bill;
  cents: bigint;
}

/** Events of the provider, as both shapes of them mean it. */
export interface PaymentSaid {
  readonly kind: 'paid' | 'failed';
  readonly event: string;
  readonly payment: string;
  readonly charge: string | null;
  readonly cents: bigint;
  readonly currency: string;
  readonly bill: string | null;
}

export interface RefundSaid {
  readonly kind: 'refunded';
  readonly event: string;
  readonly payment: string | null;
  readonly charge: string | null;
  readonly cents: bigint;
  /** Where the provider counts up. */
  readonly inAll: bigint | null;
  readonly currency: string;
}

export interface DisputeSaid {
  readonly kind: 'disputed';
  readonly event: string;
  readonly dispute: string;
  readonly payment: string;
  readonly charge: string | null;
  readonly cents: bigint;
  readonly currency: string;
  readonly end: 'won' | 'lost' | null;
}

export type Event = PaymentSaid | RefundSaid | DisputeSaid;
export const isPayment = (event: Event): event is PaymentSaid =>
  event.kind === 'paid' || event.kind === 'failed';

export const sum = <T>(all: readonly T[], of: (one: T) => bigint): bigint =>
  all.reduce((cents, one) => cents + of(one), 0n);
export const least = (...all: bigint[]): bigint => all.toSorted((a, b) => Number(a - b))[0] ?? 0n;
export const atLeastZero = (cents: bigint): bigint => (cents < 0n ? 0n : cents);

export const kept = (bill: Bill): bigint => bill.received - bill.returned;
/** All that a bill ever receives is a figure that API clients read exactly. */
export const hasRoom = (bill: Bill, cents: bigint): boolean =>
  bill.received + cents <= BigInt(Number.MAX_SAFE_INTEGER);
export const disputedOf = ({ disputes }: Paid): bigint =>
  sum(
    disputes.filter(({ over }) => !over),
    ({ cents }) => cents,
  );
/** What can still go back of a payment. */
export const leftOf = (paid: Paid): bigint =>
  paid.cents - sum(paid.backs, ({ cents }) => cents) - disputedOf(paid) - paid.lost;
export const shareOn = (paid: Paid, bill: Bill): bigint =>
  sum(
    paid.on.filter((share) => share.bill === bill),
    ({ cents }) => cents,
  );
/** What of a payment's part of a bill can be sent back: not what is disputed. */
export const sendableOn = (paid: Paid, bill: Bill): bigint =>
  atLeastZero(least(shareOn(paid, bill), leftOf(paid) - paid.free));
