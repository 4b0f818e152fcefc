/** An auction as its seller works on it: with its category, which bidding knows nothing of, and its lots. */
import { Model } from 'objection';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Category } from '../../catalog/categories/category.model.ts';

export class TeamAuction extends Auction {
  declare category?: Category | null;
  declare lots?: Lot[];

  static override get relationMappings() {
    return {
      ...Auction.relationMappings,
      category: {
        relation: Model.BelongsToOneRelation,
        modelClass: Category,
        join: { from: 'auctions.category_id', to: 'categories.id' },
      },
      lots: {
        relation: Model.HasManyRelation,
        modelClass: Lot,
        join: { from: 'auctions.id', to: 'lots.auction_id' },
      },
    };
  }
}
