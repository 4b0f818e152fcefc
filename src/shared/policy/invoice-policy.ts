/** Invoices: whose one is pays it; the seller reminds of it, staff void and refund it. Their states are statuses. */
import { statusesOf } from '../statuses/billing-statuses.ts';
import { decidedByStaff, policy } from './policy.ts';
import { ANYBODY, TEAM } from './who.ts';

export type InvoiceAction = keyof (typeof INVOICE_POLICY)['actions'];

export const INVOICE_POLICY = policy({
  resource: 'invoice',
  about: 'Whose it is decides alone; an admin reads nobody else’s but in the office.',
  states: statusesOf('invoice'),
  actions: {
    read: {
      does: 'reads',
      by: ['getInvoice', 'printInvoice', 'printCreditNote'],
      rows: [
        ['any', ['own'], 'allowed'],
        ['any', ANYBODY, 'others_invoice'],
      ],
    },
    // A page says nothing of what is another's, not even that there is one.
    read_page: {
      does: 'reads',
      by: ['invoicePage', 'invoicePdfPage', 'creditNotePdfPage', 'payInvoicePage'],
      rows: [['any', ['own'], 'allowed']],
    },
    list: {
      does: 'reads',
      by: ['listInvoices', 'invoicesPage'],
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
    remind: {
      does: 'changes',
      by: ['remindBuyer', 'decideAfterSaleOnPage'],
      rows: [
        [['open'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    void: {
      does: 'changes',
      by: ['voidInvoiceInOffice', 'officeInvoicesSelectedInOffice', 'rostrum invoice void'],
      rows: decidedByStaff(['draft', 'open']),
    },
    refund: {
      does: 'changes',
      by: ['refundInvoiceInOffice', 'officeInvoicesSelectedInOffice', 'rostrum invoice refund'],
      rows: decidedByStaff(['paid']),
    },
  },
});
