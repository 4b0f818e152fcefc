/** Offers of second chances, and who defaulted on which invoice. One offer of a lot is open at a time. */
import { Type } from '@sinclair/typebox';
import { Model } from 'objection';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Invoice } from '../invoices/invoice.model.ts';
import { statusSchema } from '../states.ts';

export const OfferStatusSchema = statusSchema('offer');

const OfferColumns = Type.Object({
  id: Type.Integer(),
  lot_id: Type.Integer(),
  auction_id: Type.Integer(),
  user_id: Type.Integer(),
  amount_cents: Type.Integer({ description: 'The hammer price, if it is accepted.' }),
  status: OfferStatusSchema,
  expires_at: Type.String(),
  invoice_id: Type.Union([Type.Integer(), Type.Null()]),
  created_at: Type.String(),
  decided_at: Type.Union([Type.String(), Type.Null()]),
});

export class Offer extends shapedBy('offers', OfferColumns) {
  declare invoice?: Invoice | null;
  declare lot?: Lot;

  static override get relationMappings() {
    return {
      invoice: {
        relation: Model.BelongsToOneRelation,
        modelClass: Invoice,
        join: { from: 'offers.invoice_id', to: 'invoices.id' },
      },
      lot: {
        relation: Model.BelongsToOneRelation,
        modelClass: Lot,
        join: { from: 'offers.lot_id', to: 'lots.id' },
      },
    };
  }
}

const DefaultColumns = Type.Object({
  id: Type.Integer(),
  lot_id: Type.Integer(),
  user_id: Type.Integer(),
  invoice_id: Type.Integer(),
  created_at: Type.String(),
});

export class SaleDefault extends shapedBy('sale_defaults', DefaultColumns) {}
