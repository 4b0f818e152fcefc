/** The shapes of lots: in lists, on the map, in full. */

import { Type } from '@sinclair/typebox';
import { AUCTION_TYPES } from '../../../engine/auction/record.ts';
import { BID_PER } from '../../../engine/lot/units.ts';
import { MOVED_BY_CLOCK, oneOf, orNull, Time, UNIT_TOTALS } from '../../shared/fields.schema.ts';
import { outputsOf } from '../../shared/lot-field-lists.ts';
import { OF_PARCELS } from '../../shared/parcels.schema.ts';
import { OriginalLanguage, TitleTranslations } from '../../shared/translations.ts';
import { CategoryBrief } from '../categories/category-presentation.ts';
import { MediaItem } from '../media-presentation.ts';

const text = orNull(Type.String());

const HIDDEN_NOW = 'Null where the format tells it to nobody now.';

const BID_PER_WORDS = 'What amounts of the lot are for: for it, or, with `unit`, for one of its `units`.';

const hammerPrice = orNull(Type.String(), {
  description: 'The price the lot was sold for; null until it is sold.',
});

const pricePerAcre = orNull(Type.String(), {
  description: 'Of the hammer price, else of the current or starting bid; null without acres.',
});

/** Only of lots that have a format of their own. */
const CLOCK_OF_ITEM = Object.fromEntries(
  Object.entries(outputsOf('format')).map(([name, schema]) => [name, Type.Optional(schema)]),
);

const ROUND = {
  round: Type.Optional(
    oneOf(['first', 'final'], {
      description: 'Of a tender: `final` from its first end on, where it has a final round.',
    }),
  ),
};

export const LotItem = Type.Object(
  {
    id: Type.Integer(),
    auction_id: Type.Integer(),
    auction_type: oneOf(AUCTION_TYPES, {
      description:
        'In `simulcast` auctions lots are closed from the saleroom floor, whatever `end_time` says.',
    }),
    format: Type.String({ description: 'How it is sold: that of its auction.' }),
    lot_number: Type.Integer(),
    catalog_number: orNull(Type.String(), { description: 'Shown instead of `lot_number`, such as `12A`.' }),
    title: Type.String(),
    language: OriginalLanguage,
    translations: TitleTranslations,
    slug: Type.String(),
    sku: Type.String({ description: 'Empty if the seller gave none.' }),
    starting_bid: Type.String(),
    current_bid: orNull(Type.String(), {
      description: '`0.00` until the first bid; null where the format tells it to nobody now.',
    }),
    minimum_next_bid: Type.String(),
    bid_count: orNull(Type.Integer(), { description: HIDDEN_NOW }),
    hammer_price: hammerPrice,
    ...UNIT_TOTALS,
    currency: Type.String(),
    quantity: Type.Integer(),
    units: orNull(Type.String()),
    unit_name: text,
    bid_per: oneOf(BID_PER, { description: BID_PER_WORDS }),
    close_group: orNull(Type.String(), {
      description: 'Lots of the auction with the same one close together.',
    }),
    choice_group: orNull(Type.String(), {
      description:
        'Lots of the auction with the same one are offered together in the saleroom: while they are open all have ' +
        'one price, and the buyer chooses among them.',
    }),
    status: Type.String(),
    end_time: Time,
    acres: orNull(Type.Number()),
    price_per_acre: pricePerAcre,
    distance_km: Type.Optional(Type.Number({ description: 'With `near`; one decimal.' })),
    city: text,
    county: text,
    state: text,
    country: text,
    category: orNull(CategoryBrief),
    media: Type.Array(MediaItem),
    ...CLOCK_OF_ITEM,
    ...MOVED_BY_CLOCK,
    ...OF_PARCELS,
    ...ROUND,
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
          translations: TitleTranslations,
          slug: Type.String(),
          current_bid: orNull(Type.String(), { description: HIDDEN_NOW }),
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

export const Amendment = Type.Object(
  {
    at: Type.String(),
    reason: Type.String(),
    before: Type.Object({}, { additionalProperties: true, description: 'The changed fields as they were.' }),
    after: Type.Object({}, { additionalProperties: true, description: 'The same fields since.' }),
  },
  { $id: 'Amendment' },
);

export const LotDetail = Type.Object(
  {
    id: Type.Integer(),
    auction_id: Type.Integer(),
    lot_number: Type.Integer(),
    title: Type.String(),
    language: OriginalLanguage,
    slug: Type.String(),
    ...outputsOf('about'),
    ...outputsOf('format'),
    ...MOVED_BY_CLOCK,
    ...OF_PARCELS,
    ...ROUND,
    starting_bid: Type.String(),
    current_bid: orNull(Type.String(), { description: HIDDEN_NOW }),
    minimum_next_bid: Type.String(),
    bid_increment: Type.String(),
    bid_count: orNull(Type.Integer(), { description: HIDDEN_NOW }),
    hammer_price: hammerPrice,
    ...UNIT_TOTALS,
    has_reserve: Type.Boolean(),
    reserve_met: orNull(Type.Boolean(), { description: HIDDEN_NOW }),
    buy_now_price: text,
    currency: Type.String(),
    format: Type.String({ description: 'How it is sold: that of its auction.' }),
    status: Type.String(),
    start_time: Type.String(),
    end_time: Type.String(),
    original_end_time: Type.String(),
    extension_count: Type.Integer(),
    price_per_acre: pricePerAcre,
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
    amendments: Type.Array(Amendment, {
      description:
        'What the seller changed once the lot had a bid, oldest first. The lot’s journal has the SHA-256 of each ' +
        '(the object’s RFC 8785 form) as `lot_amended`.',
    }),
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
      Type.Object({
        is_watching: Type.Boolean(),
        is_high_bidder: Type.Boolean(),
        max_amount: text,
        bid: Type.Optional(
          orNull(
            Type.Object({
              id: Type.String(),
              amount: text,
              total: text,
              placed_at: Time,
              receipt: Type.Object({ hash: Type.String() }),
            }),
            {
              description:
                'The caller’s own sealed bid, until all are opened; null: they have none that stands.',
            },
          ),
        ),
        in_final_round: Type.Optional(
          Type.Boolean({ description: 'Whether the caller may bid in the final round of a tender.' }),
        ),
      }),
    ),
  },
  { $id: 'LotDetail' },
);

export const LotDetailBody = Type.Object({
  success: Type.Literal(true),
  data: LotDetail,
  meta: Type.Optional(Type.Object({ stale: Type.Boolean() })),
});
