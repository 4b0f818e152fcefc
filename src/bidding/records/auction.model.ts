/**
 * An auction's row. Settings that bids are judged by are copied from the auction's record in the journal, up to
 * `record_version`. Times are ISO 8601 UTC with microseconds, money integer cents, the premium basis points.
 */

import { Row } from '../../../adapters/postgres/model.ts';
import type { Pause } from '../../../engine/auction/record.ts';
import type { AuctionStatus } from '../../shared/states/auction-states.ts';

export type AuctionType = 'timed' | 'simulcast';
export type PrivacySetting = 'public' | 'unlisted' | 'private';
export type RegistrationMode = 'open' | 'approval' | 'deposit';

/** A band of the auction's own increment table, as stored. */
export interface IncrementBand {
  readonly from_cents: number;
  readonly increment_cents: number;
}

export class Auction extends Row {
  static override tableName = 'auctions';

  static override get jsonAttributes(): string[] {
    return ['increments', 'pauses'];
  }

  declare team_id: number;
  /** Set when a person owns the auction (`team_id` is then the personal team). */
  declare user_id: number | null;
  declare category_id: number | null;
  declare title: string;
  declare slug: string;
  declare description: string | null;
  declare type: AuctionType;
  declare status: AuctionStatus;
  declare privacy_setting: PrivacySetting;
  declare currency: string;
  declare timezone: string;
  declare start_time: string;
  declare end_time: string;
  declare buyer_premium_bps: number;
  /** In ten-thousandths of a percent, on hammer and premium; a line of its own on the winner's invoice. */
  declare sales_tax_ppm: number;
  /** Null: the house table. */
  declare increments: IncrementBand[] | null;
  /** Null: no soft close at all. */
  declare soft_close_window_seconds: number | null;
  declare soft_close_extension_seconds: number | null;
  declare soft_close_max_extensions: number | null;
  declare stagger_seconds: number;
  /** 0: bids never need a confirmation. */
  declare confirm_factor: number;
  declare registration_mode: RegistrationMode;
  declare registration_deposit_cents: number | null;
  declare registration_bid_limit_cents: number | null;
  declare registration_require_verified: boolean;
  /** Slugs of the platforms that may speak here. */
  declare simulcast_platforms: string[];
  declare record_version: number;
  /** Where it lies in the journal; null for one from before shards were given. */
  declare shard: number | null;
  /** Every time that the auction stood still, as in its record. */
  declare pauses: Pause[];
  declare created_at: string;
}
