/** An auction's record as the columns of its row: the way back from `auctionRowOf`. */
import { type AuctionRecord, pausedSinceUs } from '../../../engine/auction/record.ts';
import { plainColumns } from '../records/auction-rows.ts';

/** Flat values for `json_to_recordset`; the status is only what the record says of it. */
export function recordColumns(record: AuctionRecord) {
  const pausedSince = pausedSinceUs(record);
  return {
    ...plainColumns(record),
    id: record.auctionId,
    record_version: record.version,
    start_us: record.startsAtUs,
    end_us: record.endsAtUs,
    pauses: record.pauses,
    state: record.cancelled ? 'cancelled' : pausedSince === null ? 'running' : 'paused',
  };
}

export const RECORD_COLUMNS = `id bigint, record_version bigint, type text, privacy_setting text, currency text,
  start_us bigint, end_us bigint, stagger_seconds integer, pauses jsonb, increments jsonb,
  soft_close_window_seconds integer, soft_close_extension_seconds integer, soft_close_max_extensions integer,
  confirm_factor double precision, buyer_premium_bps integer, premium_bands jsonb, online_surcharge_bps integer,
  sales_tax_ppm integer, registration_mode text,
  registration_require_verified boolean, registration_bid_limit_cents bigint, state text`;
