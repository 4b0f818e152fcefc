/** Payments: told by the provider alone; staff decide on what no invoice has taken. Their states are their statuses. */
import { decidedByStaff, policy } from './policy.ts';
import { ANYBODY } from './who.ts';

const PAYMENT_STATES = ['applied', 'unallocated', 'refunded', 'failed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
export type PaymentAction = keyof (typeof PAYMENT_POLICY)['actions'];

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
