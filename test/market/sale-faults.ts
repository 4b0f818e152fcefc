// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the source.
/** Faults of sales that fall through, of second chances and of disputes, which the market's model must find. */
import type { Fault } from '../simulation/faults.ts';

const OFFERS = 'src/sales/offers/offers.ts';
const ANSWERS = 'src/sales/offers/answer-offer.ts';
const OUTCOMES = 'src/sales/offers/lot-outcomes.ts';

export const SALE_FAULTS: readonly Fault[] = [
  {
    name: 'a second chance that goes to somebody who is suspended',
    file: OFFERS,
    text: 'AND NOT ${IS_SELLER_SQL} AND NOT ${IS_SUSPENDED_SQL}',
    instead: 'AND NOT ${IS_SELLER_SQL}',
  },
  {
    name: 'a second chance that is made while another is open',
    file: OUTCOMES,
    text: "status === 'offered') ? 'offered' : 'expired';",
    instead: "status === 'offered') ? 'expired' : 'expired';",
  },
  {
    name: 'a second chance for somebody who had one',
    file: OFFERS,
    text: 'SELECT 1 FROM offers o WHERE o.lot_id = b.lot_id AND o.user_id = b.user_id)',
    instead: 'SELECT 1 FROM offers o WHERE o.lot_id = b.lot_id AND o.user_id < 0)',
  },
  {
    name: 'an offer that is accepted when its time is over, or twice',
    file: ANSWERS,
    text: "await requireOpen(trx, offer, 'accept');",
    instead: '',
  },
  {
    name: 'an offer that somebody takes after they were suspended',
    file: ANSWERS,
    text: 'await requireMayBuy(trx, offer.lot_id, userId);',
    instead: '',
  },
  {
    name: 'a second sale that its settlement does not wait for',
    file: ANSWERS,
    text: 'await reviseSettlement(trx, offer.auction_id);',
    instead: '',
  },
  {
    name: 'a winner who did not pay and still owes',
    file: 'src/sales/offers/defaults.ts',
    text: 'const voided = await voidInvoice(trx, invoice);',
    instead: 'const voided = invoice;',
  },
  {
    name: 'a lot listed again while it is offered to somebody',
    file: OUTCOMES,
    text: "status !== 'sold' && offers.some(",
    instead: "status === 'sold' && offers.some(",
  },
  {
    name: 'money sent back that its payer disputes',
    file: 'src/billing/staff/invoice-orders.ts',
    text: 'if (sendable < cents)',
    instead: 'if (sendable < 0)',
  },
  {
    name: 'a settlement that does not wait for the end of a dispute',
    file: 'src/billing/invoices/payment.model.ts',
    text: ".where('disputed_cents', '>', 0)",
    instead: ".where('disputed_cents', '<', 0)",
  },
];
