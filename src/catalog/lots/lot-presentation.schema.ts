/** The shapes of lots: in lists, on the map, in full. */

import { Type } from '@sinclair/typebox';
import { AUCTION_TYPES } from '../../../engine/auction/record.ts';
import { oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { outputsOf } from '../../shared/lot-field-lists.ts';
import { CategoryBrief } from '../categories/category-presentation.ts';
import { MediaItem } from '../media-presentation.ts';

const text = orNull(Type.String());

const hammerPrice = orNull(Type.String(), {
  description: 'The price the lot was sold for; null until it is sold.',
});

export const LotItem = Type.Object(
  {
    id: Type.Integer(),
    auction_id: Type.Integer(),
    auction_type: oneOf(AUCTION_TYPES, {
      description:
        'In `simulcast` auctions lots are closed from the saleroom floor, whatever `end_time` says.',
    }),
    lot_number: Type.Integer(),
    title: Type.String(),
    slug: Type.String(),
    sku: Type.String({ description: 'Empty if the seller gave none.' }),
    starting_bid: Type.String(),
    current_bid: Type.String({ description: '`0.00` until the first bid.' }),
    bid_count: Type.Integer(),
    hammer_price: hammerPrice,
    currency: Type.String(),
    quantity: Type.Integer(),
    status: Type.String(),
    end_time: Time,
    acres: orNull(Type.Number()),
    city: text,
    county: text,
    state: text,
    country: text,
    category: orNull(CategoryBrief),
    media: Type.Array(MediaItem),
  },
  { $id: 'LotItem' },
);

/** RFC 7946. */
export const LotMap = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(
      Type.Object({
        type: Type.Literal('Feature'),
        id: Type.Integer(),
        geometry: Type.Object({
          type: Type.Literal('Point'),
          coordinates: Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
        }),
        properties: Type.Object({
          lot_id: Type.Integer(),
          title: Type.String(),
          slug: Type.String(),
          current_bid: Type.String(),
          acres: orNull(Type.Number()),
          status: Type.String(),
          end_time: Time,
          thumbnail_url: text,
          currency: Type.String(),
          starting_bid: Type.String(),
        }),
      }),
    ),
    meta: Type.Optional(Type.Object({ stale: Type.Boolean() })),
  },
  { $id: 'LotMap' },
);

export const LotDetail = Type.Object(
  {
    id: Type.Integer(),
    auction_id: Type.Integer(),
    lot_number: Type.Integer(),
    title: Type.String(),
    slug: Type.String(),
    ...outputsOf('about'),
    starting_bid: Type.String(),
    current_bid: Type.String(),
    minimum_next_bid: Type.String(),
    bid_increment: Type.String(),
    bid_count: Type.Integer(),
    hammer_price: hammerPrice,
    has_reserve: Type.Boolean(),
    reserve_met: Type.Boolean(),
    buy_now_price: text,
    currency: Type.String(),
    status: Type.String(),
    start_time: Type.String(),
    end_time: Type.String(),
    original_end_time: Type.String(),
    extension_count: Type.Integer(),
    extended_by: orNull(
      oneOf(['bid', 'outage'], {
        description:
          'What moved the end most recently: a late bid, or an outage of the journal near the end (rule 16).',
      }),
    ),
    media: Type.Array(MediaItem),
    category: orNull(CategoryBrief),
    location: Type.Object(outputsOf('location')),
    land: Type.Object(outputsOf('land')),
    custom_fields: Type.Object({}, { additionalProperties: true }),
    buyer_premium_percentage: Type.String(),
    sales_tax_percentage: Type.String({ description: 'On hammer and premium; two to four decimals.' }),
    auction: Type.Object({
      id: Type.Integer(),
      title: Type.String(),
      slug: Type.String(),
      type: oneOf(AUCTION_TYPES, {
        description: 'Lots of a `simulcast` auction are closed from the saleroom floor.',
      }),
      status: Type.String(),
    }),
    viewer: Type.Optional(
      Type.Object({ is_watching: Type.Boolean(), is_high_bidder: Type.Boolean(), max_amount: text }),
    ),
  },
  { $id: 'LotDetail' },
);

export const LotDetailBody = Type.Object({
  success: Type.Literal(true),
  data: LotDetail,
  meta: Type.Optional(Type.Object({ stale: Type.Boolean() })),
});
