/** Deposits: invoices of their own kind, paid before somebody bids; staff give one back, the clock the rest. */
import type { InvoiceStatus } from '../statuses/billing-statuses.ts';
import { decidedByStaff, policy } from './policy.ts';
import { ANYBODY } from './who.ts';

/** `held`: paid. */
const DEPOSIT_STATES = ['open', 'held', 'voided', 'refunded'] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];
export type DepositAction = keyof (typeof DEPOSIT_POLICY)['actions'];

/** The state of a deposit whose invoice has this status; none is made as a draft. */
export function depositState(status: InvoiceStatus): DepositState {
  if (status === 'paid') return 'held';
  return status === 'draft' ? 'open' : status;
}

export const DEPOSIT_POLICY = policy({
  resource: 'deposit',
  about: 'Paid as an invoice is. Free money of one is given back by itself.',
  states: DEPOSIT_STATES,
  actions: {
    read: {
      does: 'reads',
      by: ['getInvoice'],
      rows: [
        ['any', ['own'], 'allowed'],
        ['any', ANYBODY, 'others_invoice'],
      ],
    },
    read_page: {
      does: 'reads',
      by: ['invoicePage'],
      rows: [['any', ['own'], 'allowed']],
    },
    pay: {
      does: 'changes',
      by: ['createCheckout', 'payAllOnPage'],
      rows: [
        [['open'], ['own'], 'allowed'],
        ['any', ['own'], 'invalid_transition'],
        ['any', ANYBODY, 'others_invoice'],
      ],
    },
    void: {
      does: 'changes',
      by: ['voidInvoiceInOffice', 'rostrum invoice void'],
      rows: decidedByStaff(['open']),
    },
    give_back: {
      does: 'changes',
      by: ['refundInvoiceInOffice', 'rostrum deposit refund'],
      rows: decidedByStaff(['held']),
    },
  },
});
