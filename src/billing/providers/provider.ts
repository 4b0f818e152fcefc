/**
 * The port to the payment provider. A provider gives a link where an open invoice can be paid and refunds payments;
 * what comes in is reported by signed events to the webhook, never by these calls.
 */

import { Refusal } from '../../shared/refusal.ts';

/** What a provider needs to know of what is paid: an invoice, or several at once. */
export interface Payable {
  /** Names it: an invoice's number, or `CO-` and a checkout's id. */
  readonly key: string;
  /** What the provider's events carry, so that they name it. */
  readonly metadata: { readonly invoice_number: string } | { readonly checkout_id: string };
  /** What the payer reads that they pay. */
  readonly name: string;
  /** The path of ours to return to. */
  readonly page: string;
  readonly currency: string;
  /** What is still owed, in the currency's smallest unit; what the provider counts in is its own business. */
  readonly amountCents: number;
  readonly description: string;
  readonly email: string;
}

export interface Checkout {
  readonly url: string;
  /** Unix milliseconds; null: as long as the invoice is open. */
  readonly expiresAtMs: number | null;
}

/** The provider refuses a refund, and has certainly not sent it. `said`: its reason, as staff and logs read it. */
export class RefundRefused extends Refusal {
  constructor(said: string) {
    super('refund_refused', {
      message: `The payment provider refuses this refund. It says: ${said}`,
      data: { said },
    });
  }
}

export interface PaymentProvider {
  /** What payments are booked under. */
  readonly name: string;
  /** Whether it takes every amount of a currency, by its code in lower case. */
  takesCurrency(currency: string): boolean;
  /** An amount of one of its events in the currency's smallest unit. */
  amountFrom(amount: number, currency: string): number;
  /** A page to pay on. `baseUrl` is our own address, to return to. Throws when the provider cannot be reached. */
  checkout(payable: Payable, baseUrl: string): Promise<Checkout>;
  /** Sends money of a payment back. The same `key` does it once. Throws `RefundRefused`, or when it is not sure. */
  refund(paymentId: string, amountCents: number, currency: string, key: string): Promise<void>;
}
