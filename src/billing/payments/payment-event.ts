/**
 * An authentic payment event as what it means to us. Providers send far more than is read here, and kinds that mean
 * nothing to us; of the kinds that do, what is read must be right: amounts are integers of the currency's smallest
 * unit, never floats.
 */
import { isObject } from '../../../engine/objects.ts';
import { invalid } from '../../shared/refusal.ts';

interface EventHead {
  readonly eventId: string;
  /** Unix seconds. */
  readonly createdS: number;
  readonly body: Fields;
}

interface MoneyEvent extends EventHead {
  readonly type: string;
  /** The provider's names of the payment: its own, and its charge's, where it says them. */
  readonly paymentId: string | null;
  readonly chargeId: string | null;
  readonly amountCents: number;
  readonly currency: string;
  readonly invoiceNumber: string | null;
  /** Where it is for several invoices: the checkout that names them. */
  readonly checkoutId: number | null;
}

export interface PaymentEvent extends MoneyEvent {
  readonly kind: 'paid' | 'failed';
  readonly paymentId: string;
}

export interface RefundEvent extends MoneyEvent {
  readonly kind: 'refunded';
  /** Of what was refunded: the payment or its charge. */
  readonly chargeId: string;
  /** Where the provider counts refunds of a charge up: how much has been refunded in total. */
  readonly refundedInAllCents: number | null;
}

export interface DisputeEvent extends MoneyEvent {
  readonly kind: 'disputed';
  readonly disputeId: string;
  readonly isClosed: boolean;
  /** At its end: the money stays with us. */
  readonly isWon: boolean;
}

export interface SubscriptionEvent extends EventHead {
  readonly kind: 'subscription';
  readonly type: string;
  readonly deleted: boolean;
  readonly providerId: string;
  readonly status: string;
  readonly currentPeriodEndS: number | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly teamId: number | null;
  readonly plan: string | null;
}

export interface OtherEvent extends EventHead {
  readonly kind: 'other';
  readonly type: string;
}

export type InboundEvent = PaymentEvent | RefundEvent | DisputeEvent | SubscriptionEvent | OtherEvent;

type Fields = Readonly<Record<string, unknown>>;

/** An amount as the provider counts it, in the currency's smallest unit. */
type AmountFrom = (amount: number, currency: string) => number;

/** Reads a parsed body. Throws 422 `validation_failed` for one that cannot be meant. */
export function readPaymentEvent(body: Fields, amountFrom: AmountFrom = (amount) => amount): InboundEvent {
  const wrong: Record<string, string[]> = {};
  const read = new Reader(body, '', wrong);
  const head = { eventId: read.text('id'), createdS: read.wholeNumber('created'), body };
  const type = read.text('type');
  const object = read.inside('data')?.inside('object') ?? null;
  const event = object === null ? null : readObject(head, type, object, amountFrom);
  if (Object.keys(wrong).length > 0 || event === null) throw invalid(wrong);
  return event;
}

function readObject(head: EventHead, type: string, object: Reader, amountFrom: AmountFrom): InboundEvent {
  switch (type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
      return {
        ...head,
        type,
        kind: type.endsWith('succeeded') ? 'paid' : 'failed',
        paymentId: object.text('id'),
        chargeId: object.nameOf('latest_charge'),
        ...readMoney(object, type.endsWith('succeeded') ? 'amount_received' : null, amountFrom),
      };
    case 'charge.refunded': {
      const money = readMoney(object, null, amountFrom);
      const inAll = object.optionalNumber('amount_refunded');
      return {
        ...head,
        type,
        kind: 'refunded',
        chargeId: object.text('id'),
        paymentId: object.nameOf('payment_intent'),
        refundedInAllCents: inAll === null ? null : amountFrom(inAll, money.currency),
        ...money,
      };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
      return readDispute(head, type, object, amountFrom);
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return { ...head, type, ...readSubscription(object, type.endsWith('deleted')) };
    default:
      return { ...head, type, kind: 'other' };
  }
}

/** `received` names a field that, where the provider sends it, says what really came. */
function readMoney(object: Reader, received: string | null, amountFrom: AmountFrom) {
  const requested = object.wholeNumber('amount', 1);
  const amount = (received === null ? null : object.optionalNumber(received)) ?? requested;
  const currency = object.text('currency').toLowerCase();
  const metadata = object.optionalInside('metadata');
  return {
    amountCents: amountFrom(amount, currency),
    currency,
    invoiceNumber: metadata?.optionalText('invoice_number') ?? null,
    checkoutId: idIn(metadata?.optionalText('checkout_id')),
  };
}

function readDispute(head: EventHead, type: string, object: Reader, amountFrom: AmountFrom): DisputeEvent {
  return {
    ...head,
    ...readMoney(object, null, amountFrom),
    type,
    kind: 'disputed',
    disputeId: object.text('id'),
    chargeId: object.nameOf('charge'),
    paymentId: object.nameOf('payment_intent'),
    isClosed: type.endsWith('closed'),
    isWon: type.endsWith('closed') && object.text('status') !== 'lost',
  };
}

function readSubscription(object: Reader, deleted: boolean) {
  const metadata = object.optionalInside('metadata');
  return {
    kind: 'subscription' as const,
    deleted,
    providerId: object.text('id'),
    status: object.text('status'),
    currentPeriodEndS: object.optionalNumber('current_period_end'),
    cancelAtPeriodEnd: object.optionalFlag('cancel_at_period_end'),
    teamId: idIn(metadata?.optionalText('team_id')),
    plan: metadata?.optionalText('plan') ?? null,
  };
}

/** An id of ours; null for what cannot be one. */
function idIn(text: string | null | undefined): number | null {
  return text != null && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

const MAX_CENTS = Number.MAX_SAFE_INTEGER;
const MAX_TEXT = 255;

/** Reads fields one by one and gathers what is wrong under their dotted places. */
class Reader {
  readonly #fields: Fields;
  readonly #path: string;
  readonly #wrong: Record<string, string[]>;

  constructor(fields: Fields, path: string, wrong: Record<string, string[]>) {
    this.#fields = fields;
    this.#path = path;
    this.#wrong = wrong;
  }

  text(name: string): string {
    const value = this.#value(name);
    if (typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT) return value;
    return this.#fail(name, `must be text of 1 to ${MAX_TEXT} characters`, '');
  }

  wholeNumber(name: string, min = 0): number {
    const value = this.#value(name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= MAX_CENTS)
      return value;
    return this.#fail(name, `must be a whole number from ${min} to ${MAX_CENTS}`, 0);
  }

  optionalNumber(name: string): number | null {
    return this.#value(name) == null ? null : this.wholeNumber(name);
  }

  /** Ids in metadata may be numbers: providers turn them into text, people do not. */
  optionalText(name: string): string | null {
    const value = this.#value(name);
    if (value == null) return null;
    return typeof value === 'number' ? String(value) : this.text(name);
  }

  /** What the provider names by its id, or sends whole. */
  nameOf(name: string): string | null {
    const whole = this.#inner(name);
    return whole === null ? this.optionalText(name) : whole.optionalText('id');
  }

  optionalFlag(name: string): boolean {
    const value = this.#value(name);
    if (value == null || typeof value === 'boolean') return value ?? false;
    return this.#fail(name, 'must be true or false', false);
  }

  inside(name: string): Reader | null {
    return this.#inner(name) ?? this.#fail(name, 'must be an object', null);
  }

  optionalInside(name: string): Reader | null {
    return this.#value(name) == null ? null : this.inside(name);
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  #inner(name: string): Reader | null {
    const value = this.#value(name);
    if (!isObject(value)) return null;
    return new Reader(value, `${this.#path}${name}.`, this.#wrong);
  }

  #fail<T>(name: string, sentence: string, instead: T): T {
    const path = `${this.#path}${name}`;
    this.#wrong[path] = [`The ${path} field ${sentence}.`];
    return instead;
  }
}
