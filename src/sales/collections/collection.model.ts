/** A buyer's time for collecting what they have paid of a sale, and the lots that it is for. */
import { Type } from '@sinclair/typebox';
import { belongsTo, hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { User } from '../../accounts/models/user.model.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

const CollectionColumns = Type.Object({
  id: Type.Integer(),
  code: Type.String({ description: 'What its buyer shows at the gate.' }),
  auction_id: Type.Integer(),
  user_id: Type.Integer(),
  slot: Type.String({ description: 'The name of its time: one collection each.' }),
  starts_at: Time,
  ends_at: Time,
  place: orNull(Type.String()),
  created_at: Time,
});

export class Collection extends shapedBy('collections', CollectionColumns) {
  declare auction?: Auction;
  declare buyer?: User;
  declare lots?: CollectionLot[];

  static override relationMappings = () => ({
    auction: belongsTo(Auction, 'collections.auction_id'),
    buyer: belongsTo(User, 'collections.user_id'),
    lots: hasMany(CollectionLot, 'collection_lots.collection_id', Collection),
  });
}

const CollectionLotColumns = Type.Object({
  id: Type.Integer(),
  invoice_id: Type.Integer({ description: 'That it was paid by.' }),
  lot_id: Type.Integer(),
  collection_id: Type.Integer(),
  collected_at: orNull(Time),
});

/** What an invoice has bought of a lot is in one collection; `collected_at`: since when it is gone. */
export class CollectionLot extends shapedBy('collection_lots', CollectionLotColumns) {
  declare invoice?: Invoice;
  declare lot?: Lot;

  static override relationMappings = () => ({
    invoice: belongsTo(Invoice, 'collection_lots.invoice_id'),
    lot: belongsTo(Lot, 'collection_lots.lot_id'),
  });
}
