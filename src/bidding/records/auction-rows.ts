/**
 * What the engine needs of an auction, as one plain row: the settings that its record is made from, and who owns it.
 * The wiring of the engine reads these when an auction's record is opened; nothing here writes.
 */
import type { Knex } from 'knex';
import { houseIncrements, type Increment } from '../../../engine/auction/increments.ts';
import { type AuctionRecord, DEFAULT_SOFT_CLOSE, type SoftClose } from '../../../engine/auction/record.ts';
import { FORMAT_NAMES } from '../../../engine/formats/formats.ts';
import { isoFromUs, usFromIso } from '../../../engine/time.ts';
import type { AuctionStatus } from '../../shared/statuses/auction-statuses.ts';
import type { IncrementBand, StoredAuction } from './auction.model.ts';

/** An auction's record as the rows know it, with what the marketplace adds to it. */
export interface AuctionRow extends AuctionRecord {
  readonly title: string;
  readonly slug: string;
  readonly status: AuctionStatus;
  readonly categoryId: number | null;
  readonly timezone: string;
  /** What a deposit costs where `registrationMode` is `deposit`. */
  readonly depositCents: number | null;
}

const OFF: SoftClose = { ...DEFAULT_SOFT_CLOSE, windowSeconds: 0, extensionSeconds: 0 };

/** One auction, or null when there is none. */
export async function readAuctionRow(knex: Knex, auctionId: number): Promise<AuctionRow | null> {
  const row = await knex<StoredAuction>('auctions').where('id', auctionId).first();
  return row ? auctionRowOf(row) : null;
}

/** Many auctions in the order of their ids; unknown ids are left out. */
export async function readAuctionRows(knex: Knex, auctionIds: readonly number[]): Promise<AuctionRow[]> {
  const rows = await knex<StoredAuction>('auctions')
    .whereRaw('id = any(?::bigint[])', [[...auctionIds]])
    .orderBy('id');
  return rows.map(auctionRowOf);
}

/** Translates a stored auction into the engine's terms. */
export function auctionRowOf(row: StoredAuction): AuctionRow {
  return {
    auctionId: row.id,
    version: row.record_version,
    type: row.type,
    ...(row.format === FORMAT_NAMES[0] ? {} : { format: row.format }),
    privacy: row.privacy_setting,
    currency: row.currency,
    startsAtUs: momentUs(row.start_time),
    endsAtUs: momentUs(row.end_time),
    staggerSeconds: row.stagger_seconds,
    pauses: row.pauses,
    cancelled: row.status === 'cancelled',
    ...(row.choice_seconds === null ? {} : { choiceSeconds: row.choice_seconds }),
    increments: row.increments?.map(incrementOf) ?? houseIncrements(row.currency),
    softClose: softCloseOf(row),
    confirmFactor: row.confirm_factor,
    ...premiumTermsOf(row),
    taxPpm: row.sales_tax_ppm,
    ...conditionsOf(row),
    registrationMode: row.registration_mode,
    requireVerified: row.registration_require_verified,
    bidLimitCents: row.registration_bid_limit_cents,
    ownerTeamId: row.team_id,
    ownerUserId: row.user_id,
    title: row.title,
    slug: row.slug,
    status: row.status,
    categoryId: row.category_id,
    timezone: row.timezone,
    depositCents: row.registration_deposit_cents,
  };
}

/** A record's settings as columns: what reaches Postgres a moment later. */
export function settingsOfRecord(record: AuctionRecord): Partial<StoredAuction> {
  return {
    ...plainColumns(record),
    start_time: isoFromUs(record.startsAtUs),
    end_time: isoFromUs(record.endsAtUs),
  };
}

/** The same without the times, which each statement handles in its own way. No bands mean the house table. */
export function plainColumns(record: AuctionRecord) {
  const { softClose, increments } = record;
  const off = softClose.windowSeconds === 0 && softClose.extensionSeconds === 0;
  const isOwn = JSON.stringify(increments) !== JSON.stringify(houseIncrements(record.currency));
  return {
    type: record.type,
    privacy_setting: record.privacy,
    currency: record.currency,
    stagger_seconds: record.staggerSeconds,
    increments: isOwn ? increments.map(bandOf) : null,
    soft_close_window_seconds: off ? null : softClose.windowSeconds,
    soft_close_extension_seconds: off ? null : softClose.extensionSeconds,
    soft_close_max_extensions: off ? null : softClose.maxExtensions,
    confirm_factor: record.confirmFactor,
    buyer_premium_bps: record.premiumBps,
    premium_bands: (record.premiumBands ?? []).map(({ fromCents, percentageBps }) => ({
      from_cents: fromCents,
      percentage_bps: percentageBps,
    })),
    online_surcharge_bps: record.onlineSurchargeBps ?? 0,
    sales_tax_ppm: record.taxPpm,
    registration_mode: record.registrationMode,
    registration_require_verified: record.requireVerified,
    registration_bid_limit_cents: record.bidLimitCents,
  };
}

/** What the engine is to know of an auction’s conditions. */
export function conditionsOf({
  conditions_version: version,
  conditions_sha256: sha256,
}: Pick<StoredAuction, 'conditions_version' | 'conditions_sha256'>): Pick<AuctionRecord, 'conditions'> {
  return version === null || sha256 === null ? {} : { conditions: { version, sha256 } };
}

type PremiumColumns = Pick<StoredAuction, 'buyer_premium_bps' | 'premium_bands' | 'online_surcharge_bps'>;

/** A stored auction's premium in the terms of its record. */
export function premiumTermsOf(
  row: PremiumColumns,
): Pick<AuctionRecord, 'premiumBps' | 'premiumBands' | 'onlineSurchargeBps'> {
  const premiumBands = row.premium_bands.map(({ from_cents, percentage_bps }) => ({
    fromCents: from_cents,
    percentageBps: percentage_bps,
  }));
  return {
    premiumBps: row.buyer_premium_bps,
    ...(premiumBands.length === 0 ? {} : { premiumBands }),
    ...(row.online_surcharge_bps === 0 ? {} : { onlineSurchargeBps: row.online_surcharge_bps }),
  };
}

function bandOf({ fromCents, incrementCents }: Increment): IncrementBand {
  return { from_cents: fromCents, increment_cents: incrementCents };
}

function incrementOf(band: { from_cents: number; increment_cents: number }): Increment {
  return { fromCents: band.from_cents, incrementCents: band.increment_cents };
}

function softCloseOf(row: StoredAuction): SoftClose {
  if (row.soft_close_window_seconds === null || row.soft_close_extension_seconds === null) return OFF;
  return {
    windowSeconds: row.soft_close_window_seconds,
    extensionSeconds: row.soft_close_extension_seconds,
    maxExtensions: row.soft_close_max_extensions,
  };
}

/** A stored moment; it came out of a `timestamptz`, so it always reads. */
function momentUs(iso: string): number {
  const us = usFromIso(iso);
  if (us === null) throw new Error(`not a moment: ${iso}`);
  return us;
}
