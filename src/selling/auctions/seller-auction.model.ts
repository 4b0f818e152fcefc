/** An auction as its seller works on it: with its category, which bidding knows nothing of, and its lots. */
import { belongsTo, hasMany } from '../../../adapters/postgres/model.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Category } from '../../catalog/categories/category.model.ts';

export class TeamAuction extends Auction {
  declare category?: Category | null;
  declare lots?: Lot[];

  static override relationMappings = () => ({
    ...Auction.relationMappings(),
    category: belongsTo(Category, 'auctions.category_id'),
    lots: hasMany(Lot, 'lots.auction_id', TeamAuction),
  });
}
