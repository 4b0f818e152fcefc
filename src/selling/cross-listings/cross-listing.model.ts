/** A lot listed on a platform of the directory as well. */
import { type Static, Type } from '@sinclair/typebox';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { CrossListingPlatform } from '../../catalog/directory/cross-listing-platform.model.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { LOT_STATUSES } from '../../shared/statuses/lot-statuses.ts';

/** What a platform is sent of a lot. */
const ListedStateSchema = Type.Object({
  title: Type.String(),
  sku: orNull(Type.String()),
  starting_bid: Type.String(),
  start_time: Time,
  end_time: Time,
  status: oneOf(LOT_STATUSES.statuses),
});
export type ListedState = Static<typeof ListedStateSchema>;

export const ListingColumns = Type.Object({
  id: Type.Integer(),
  lot_id: Type.Integer(),
  platform_id: Type.Integer(),
  status: oneOf(['active', 'ended', 'removed'], {
    description: '`ended` when the lot closed, `removed` by the seller.',
  }),
  revision: Type.Integer({ description: 'Counts its changes.' }),
  /** As it was last sent. */
  told: ListedStateSchema,
  created_at: Time,
  ended_at: orNull(Time),
});

export class CrossListing extends shapedBy('cross_listings', ListingColumns) {
  declare platform?: CrossListingPlatform;

  static override relationMappings = () => ({
    platform: belongsTo(CrossListingPlatform, 'cross_listings.platform_id'),
  });
}
