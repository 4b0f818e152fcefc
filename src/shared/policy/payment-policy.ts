/**
 * Payments: told by the provider alone; staff decide on what no invoice has taken. Their states are their statuses, but
 * for what may still be taken back: that pays nothing.
 */
import { decidedByStaff, policy } from './policy.ts';
import { ANYBODY } from './who.ts';

/** `disputed`: no invoice has taken it, and its payer disputes all of that. */
const PAYMENT_STATES = ['applied', 'unallocated', 'disputed', 'refunded', 'failed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
export type PaymentAction = keyof (typeof PAYMENT_POLICY)['actions'];

interface JudgedPayment {
  readonly status: Exclude<PaymentState, 'disputed'>;
  readonly unallocated_cents: number;
  readonly disputed_cents: number;
}

/** What no invoice has taken of a payment and nobody disputes, in cents: a lost dispute takes of the rest first. */
export function usableCents(payment: Pick<JudgedPayment, 'unallocated_cents' | 'disputed_cents'>): number {
  return Math.max(0, payment.unallocated_cents - payment.disputed_cents);
}

/** The state of a payment as it is now. */
export function paymentState(payment: JudgedPayment): PaymentState {
  return payment.status === 'unallocated' && usableCents(payment) === 0 ? 'disputed' : payment.status;
}

export const PAYMENT_POLICY = policy({
  resource: 'payment',
  about: 'The provider says what has come. What it says counts by its signature, whoever sends it.',
  states: PAYMENT_STATES,
  actions: {
    report: {
      does: 'changes',
      by: ['receivePaymentEvent'],
      rows: [
        ['any', ['provider'], 'allowed'],
        ['any', ANYBODY, 'invalid_signature'],
      ],
    },
    refund: {
      does: 'changes',
      by: ['refundPaymentInOffice', 'officePaymentsSelectedInOffice', 'rostrum payment refund'],
      rows: decidedByStaff(['unallocated']),
    },
    allocate: {
      does: 'changes',
      by: ['allocatePaymentInOffice', 'officePaymentsSelectedInOffice', 'rostrum payment allocate'],
      rows: decidedByStaff(['unallocated']),
    },
  },
});
