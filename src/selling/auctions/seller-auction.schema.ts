/** What sellers send and see of their auctions. */
import { type Static, Type } from '@sinclair/typebox';
import { Auctionable } from '../../catalog/auctions/auction-presentation.schema.ts';
import { CategoryBrief } from '../../catalog/categories/category-presentation.ts';
import { MediaItem } from '../../catalog/media-presentation.ts';
import { auctionFields } from '../../shared/auction.schema.ts';
import { auctionFormatOutputs } from '../../shared/auction-format-fields.ts';
import { Id, nullable, orNull } from '../../shared/fields.schema.ts';
import { shownSaleTermFields } from '../../shared/sale-terms.ts';
import { AuctionTranslations, OriginalLanguage } from '../../shared/translations.ts';

const { title, start_time: startTime, end_time: endTime, ...optional } = auctionFields;
const statusWanted = Type.String({
  minLength: 1,
  maxLength: 20,
  description:
    'A change of status: `scheduled` publishes a draft; `paused`, `active` and `cancelled` pause, resume and cancel.',
});
const categoryId = Type.Optional(nullable(Id));

export const NewAuctionBody = Type.Object(
  { ...auctionFields, category_id: categoryId, status: Type.Optional(statusWanted) },
  { $id: 'NewAuction', additionalProperties: false },
);
export type NewAuctionBody = Static<typeof NewAuctionBody>;

export const AuctionChangeBody = Type.Object(
  {
    title: Type.Optional(title),
    start_time: Type.Optional(startTime),
    end_time: Type.Optional(endTime),
    ...optional,
    category_id: categoryId,
    status: Type.Optional(statusWanted),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        pattern: '\\S',
        'x-message': 'must not be empty',
        description:
          'Why: required where an open lot has bids and its bidders are touched. They are told it.',
      }),
    ),
  },
  { $id: 'AuctionChange', additionalProperties: false },
);
export type AuctionChangeBody = Static<typeof AuctionChangeBody>;

const text = nullable(Type.String());

export const SellerAuction = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    slug: Type.String(),
    description: text,
    language: OriginalLanguage,
    translations: AuctionTranslations,
    type: Type.String(),
    format: Type.String(),
    status: Type.String(),
    privacy_setting: Type.String(),
    category_id: nullable(Type.Integer()),
    category: orNull(CategoryBrief),
    buyer_premium_percentage: Type.String(),
    sales_tax_percentage: Type.String({ description: 'On hammer and premium; two to four decimals.' }),
    start_time: Type.String(),
    end_time: Type.String(),
    closes_at: text,
    open_lots: Type.Integer(),
    formatted_start_time: Type.String(),
    formatted_end_time: Type.String(),
    timezone: Type.String(),
    currency: Type.String(),
    increments: Type.Union([
      Type.Array(Type.Object({ from: Type.String(), increment: Type.String() })),
      Type.Null(),
    ]),
    soft_close: Type.Union([
      Type.Object({
        window_seconds: Type.Integer(),
        extension_seconds: Type.Integer(),
        max_extensions: nullable(Type.Integer()),
      }),
      Type.Null(),
    ]),
    stagger_seconds: Type.Integer(),
    confirm_factor: Type.Number(),
    ...auctionFormatOutputs,
    simulcast_platforms: Type.Array(Type.String()),
    registration: Type.Object({
      mode: Type.String(),
      deposit_amount: text,
      bid_limit: text,
      require_verified: Type.Boolean(),
    }),
    conditions: text,
    conditions_version: nullable(Type.Integer()),
    ...shownSaleTermFields,
    auctionable: Auctionable,
    media: Type.Array(MediaItem),
    team_id: Type.Integer(),
    lots_count: Type.Integer(),
    created_at: Type.String(),
  },
  { $id: 'SellerAuction' },
);
