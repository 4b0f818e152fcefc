/** What subscribers are sent of an invoice. The events go to the seller's team, the winners' invoices too. */
import type { OutboxEvent } from '../../events/outbox.ts';
import type { Invoice } from './invoice.model.ts';
import { amountsOf } from './invoice-rows.ts';

type InvoiceEventType =
  | 'invoice.created'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'invoice.refunded'
  | 'invoice.voided';

/** A fact about the invoice's present state. `which` distinguishes what can happen to one invoice several times. */
export function invoiceFact(invoice: Invoice, type: InvoiceEventType, which?: string): OutboxEvent {
  const what = type.slice('invoice.'.length).replace('_', '-');
  return {
    eventKey: `invoice-${invoice.id}-${what}${which === undefined ? '' : `-${which}`}`,
    type,
    teamId: invoice.team_id,
    userId: null,
    auctionId: invoice.auction_id,
    lotId: invoice.lot_id,
    data: {
      invoice_id: invoice.id,
      invoice_number: invoice.invoice_number,
      kind: invoice.kind,
      ...amountsOf(invoice),
      currency: invoice.currency,
      status: invoice.status,
      ...(invoice.lot_id === null ? {} : { lot_id: invoice.lot_id }),
    },
  };
}
