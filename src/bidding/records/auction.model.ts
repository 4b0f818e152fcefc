/**
 * An auction's row. Settings that bids are judged by are copied from the auction's record in the journal, up to
 * `record_version`. Times are ISO 8601 UTC with microseconds, money integer cents, the premium basis points.
 */

import { type Static, type TUnsafe, Type } from '@sinclair/typebox';
import { SQL_ARRAY, shapedBy } from '../../../adapters/postgres/model.ts';
import type { Pause } from '../../../engine/auction/record.ts';
import {
  AuctionTypeSchema,
  FormatSchema,
  PrivacySchema,
  RegistrationModeSchema,
} from '../../shared/auction.schema.ts';
import { auctionFormatOutputs } from '../../shared/auction-format-fields.ts';
import { oneOf, orNull } from '../../shared/fields.schema.ts';
import { saleTermColumns } from '../../shared/sale-terms.ts';
import { AUCTION_STATUSES } from '../../shared/statuses/auction-statuses.ts';
import { AuctionTranslations, OriginalLanguage } from '../../shared/translations.ts';

/** A band of the auction's own increment table, as stored. */
const Band = Type.Object({ from_cents: Type.Integer(), increment_cents: Type.Integer() });
export type IncrementBand = Static<typeof Band>;

const Pauses: TUnsafe<Pause[]> = Type.Unsafe<Pause[]>(Type.Array(Type.Object({})));
const integerOrNull = orNull(Type.Integer());

const Columns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  user_id: orNull(Type.Integer(), {
    description: 'Set when a person owns the auction (`team_id` is then the personal team).',
  }),
  category_id: integerOrNull,
  title: Type.String(),
  slug: Type.String(),
  description: orNull(Type.String()),
  language: OriginalLanguage,
  translations: AuctionTranslations,
  type: AuctionTypeSchema,
  format: FormatSchema,
  status: oneOf(AUCTION_STATUSES.statuses),
  privacy_setting: PrivacySchema,
  currency: Type.String(),
  timezone: Type.String(),
  start_time: Type.String(),
  end_time: Type.String(),
  buyer_premium_bps: Type.Integer(),
  sales_tax_ppm: Type.Integer({
    description: 'Ten-thousandths of a percent, on hammer and premium; a separate line on the invoice.',
  }),
  increments: orNull(Type.Array(Band), { description: 'Null: the house table.' }),
  soft_close_window_seconds: orNull(Type.Integer(), {
    description: 'Null: no soft close at all.',
  }),
  soft_close_extension_seconds: integerOrNull,
  soft_close_max_extensions: integerOrNull,
  stagger_seconds: Type.Integer(),
  confirm_factor: Type.Number({ description: '0: bids never need a confirmation.' }),
  ...auctionFormatOutputs,
  registration_mode: RegistrationModeSchema,
  registration_deposit_cents: integerOrNull,
  registration_bid_limit_cents: integerOrNull,
  registration_require_verified: Type.Boolean(),
  /** Slugs of the platforms that may speak here. */
  simulcast_platforms: Type.Array(Type.String(), SQL_ARRAY),
  ...saleTermColumns,
  record_version: Type.Integer(),
  shard: orNull(Type.Integer(), {
    description: 'Where it lies in the journal; null for one from before shards were given.',
  }),
  /** When it was first for others than its team; the database sees to it. */
  published_at: orNull(Type.String()),
  /** Every pause of the auction, as in its record. */
  pauses: Pauses,
  created_at: Type.String(),
});
/** An auction's columns alone, without what a model can do. */
export type StoredAuction = Static<typeof Columns>;

export class Auction extends shapedBy('auctions', Columns) {}
