/** An auction's record as the columns of its row: the way back from `auctionRowOf`. */

import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { type AuctionRecord, pausedSinceUs } from '../../../engine/auction/record.ts';
import { itemAt } from '../../../engine/first-of.ts';

/** Flat values for `json_to_recordset`; the status is only what the record says of it. */
export function recordColumns(record: AuctionRecord) {
  const { softClose } = record;
  const off = softClose.windowSeconds === 0 && softClose.extensionSeconds === 0;
  const pausedSince = pausedSinceUs(record);
  return {
    id: record.auctionId,
    record_version: record.version,
    type: record.type,
    privacy_setting: record.privacy,
    currency: record.currency,
    start_us: record.startsAtUs,
    end_us: record.endsAtUs,
    stagger_seconds: record.staggerSeconds,
    pauses: record.pauses,
    increments: bandsOf(record),
    soft_close_window_seconds: off ? null : softClose.windowSeconds,
    soft_close_extension_seconds: off ? null : softClose.extensionSeconds,
    soft_close_max_extensions: softClose.maxExtensions,
    confirm_factor: record.confirmFactor,
    buyer_premium_bps: record.premiumBps,
    sales_tax_ppm: record.taxPpm,
    registration_mode: record.registrationMode,
    registration_require_verified: record.requireVerified,
    registration_bid_limit_cents: record.bidLimitCents,
    state: record.cancelled ? 'cancelled' : pausedSince === null ? 'running' : 'paused',
  };
}

/** Null for the house table, so that a row without bands stays without. */
function bandsOf(record: AuctionRecord) {
  const { increments } = record;
  const isDefault =
    increments.length === DEFAULT_INCREMENTS.length &&
    increments.every(({ fromCents, incrementCents }, index) => {
      const band = itemAt(DEFAULT_INCREMENTS, index);
      return band.fromCents === fromCents && band.incrementCents === incrementCents;
    });
  if (isDefault) return null;
  return increments.map(({ fromCents, incrementCents }) => ({
    from_cents: fromCents,
    increment_cents: incrementCents,
  }));
}

export const RECORD_COLUMNS = `id bigint, record_version bigint, type text, privacy_setting text, currency text,
  start_us bigint, end_us bigint, stagger_seconds integer, pauses jsonb, increments jsonb,
  soft_close_window_seconds integer, soft_close_extension_seconds integer, soft_close_max_extensions integer,
  confirm_factor double precision, buyer_premium_bps integer, sales_tax_ppm integer, registration_mode text,
  registration_require_verified boolean, registration_bid_limit_cents bigint, state text`;
