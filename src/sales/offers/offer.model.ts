/** Offers of second chances, and who defaulted on which invoice. One offer of a lot is open at a time. */
import { Type } from '@sinclair/typebox';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { statusSchema } from '../../shared/statuses/billing-statuses.ts';

export const OfferStatusSchema = statusSchema('offer');

const OfferColumns = Type.Object({
  id: Type.Integer(),
  lot_id: Type.Integer(),
  auction_id: Type.Integer(),
  user_id: Type.Integer(),
  amount_cents: Type.Integer({ description: 'The hammer price, if it is accepted.' }),
  unit_price_cents: orNull(
    Type.Integer({ description: 'The price of one unit, where the lot was sold by it.' }),
  ),
  currency: Type.String(),
  status: OfferStatusSchema,
  expires_at: Type.String(),
  invoice_id: orNull(Type.Integer()),
  created_at: Type.String(),
  decided_at: orNull(Type.String()),
  recorded_at: orNull(Type.String()),
});

export class Offer extends shapedBy('offers', OfferColumns) {
  declare auction?: Auction;
  declare invoice?: Invoice | null;
  declare lot?: Lot;

  static override relationMappings = () => ({
    auction: belongsTo(Auction, 'offers.auction_id'),
    invoice: belongsTo(Invoice, 'offers.invoice_id'),
    lot: belongsTo(Lot, 'offers.lot_id'),
  });
}

const DefaultColumns = Type.Object({
  id: Type.Integer(),
  lot_id: Type.Integer(),
  user_id: Type.Integer(),
  invoice_id: Type.Integer(),
  created_at: Type.String(),
});

export class SaleDefault extends shapedBy('sale_defaults', DefaultColumns) {}
