/**
 * A seller's change of a live auction's settings. What bids have been judged by is frozen from the first bid on, and
 * the first bid is read from the journal itself, in the same step that saves the change.
 */

import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { namesIn } from '../../../engine/objects.ts';
import type { StoredAuction } from '../../bidding/records/auction.model.ts';
import {
  type NewRecord,
  type RecordChange,
  unmovedWithoutBids,
} from '../../bidding/records/auction-changes.ts';
import type { AuctionColumns } from '../../bidding/records/auction-columns.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { auctionRowOf } from '../../bidding/records/auction-rows.ts';
import { noMoreLots } from '../../bidding/records/lot-changes.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import type { AuctionStatus } from '../../shared/statuses/auction-statuses.ts';

export type AuctionSettings = Partial<
  Pick<
    AuctionRecord,
    | 'type'
    | 'format'
    | 'privacy'
    | 'currency'
    | 'startsAtUs'
    | 'endsAtUs'
    | 'staggerSeconds'
    | 'increments'
    | 'softClose'
    | 'confirmFactor'
    | 'premiumBps'
    | 'premiumBands'
    | 'onlineSurchargeBps'
    | 'taxPpm'
    | 'registrationMode'
    | 'requireVerified'
    | 'bidLimitCents'
  >
>;

/** Which setting each column of a seller's change belongs to; the other columns are none of the engine's. */
const SETTING_OF: Partial<Record<keyof AuctionColumns, keyof AuctionSettings>> = {
  type: 'type',
  format: 'format',
  privacy_setting: 'privacy',
  currency: 'currency',
  start_time: 'startsAtUs',
  end_time: 'endsAtUs',
  stagger_seconds: 'staggerSeconds',
  increments: 'increments',
  soft_close_window_seconds: 'softClose',
  confirm_factor: 'confirmFactor',
  buyer_premium_bps: 'premiumBps',
  premium_bands: 'premiumBands',
  online_surcharge_bps: 'onlineSurchargeBps',
  sales_tax_ppm: 'taxPpm',
  registration_mode: 'registrationMode',
  registration_require_verified: 'requireVerified',
  registration_bid_limit_cents: 'bidLimitCents',
};

/** The settings in a seller's change (`auctionColumns`) of an auction's row; empty where it holds none of them. */
export function settingsIn(row: StoredAuction, columns: AuctionColumns): AuctionSettings {
  const changed = auctionRowOf({ ...row, ...columns });
  const settings: Record<string, unknown> = {};
  for (const column of namesIn(columns)) {
    const setting = SETTING_OF[column];
    if (setting !== undefined) settings[setting] = changed[setting];
  }
  return settings;
}

/**
 * The change of a live auction's record that these settings make. It throws 409 `auction_locked` where one of them is
 * frozen, 422 for an end that is not in the future or not after the start, 409 `invalid_transition` for an auction that
 * is over.
 */
export function withSettings(parts: LiveParts, settings: AuctionSettings, who: readonly Who[]): RecordChange {
  return async (record, status, nowUs) => {
    const next = { ...record, ...settings };
    const action = isWorse(record, next) ? 'worsen_terms' : 'ease_terms';
    requireAllowed(AUCTION_POLICY, action, status, who, noMoreLots(status));
    requirePublished(record, next, status);
    requireTimes(record, next, nowUs);
    const frozen = frozenIn(record, next);
    return frozen.length === 0 ? { record: next } : withoutBids(parts, next, frozen);
  };
}

const STRICTNESS = { public: 0, unlisted: 1, private: 2, open: 0, approval: 1, deposit: 2 } as const;

/** Whether the terms are worse for bidders, or other than they were told; all else makes them better. */
function isWorse(record: AuctionRecord, next: AuctionRecord): boolean {
  const limit = (of: AuctionRecord) => of.bidLimitCents ?? Number.POSITIVE_INFINITY;
  const differs = (of: 'increments' | 'softClose' | 'premiumBands') =>
    JSON.stringify(next[of]) !== JSON.stringify(record[of]);
  return (
    next.premiumBps > record.premiumBps ||
    differs('premiumBands') ||
    (next.onlineSurchargeBps ?? 0) > (record.onlineSurchargeBps ?? 0) ||
    next.taxPpm > record.taxPpm ||
    next.currency !== record.currency ||
    next.startsAtUs !== record.startsAtUs ||
    next.endsAtUs !== record.endsAtUs ||
    next.staggerSeconds !== record.staggerSeconds ||
    differs('increments') ||
    differs('softClose') ||
    STRICTNESS[next.privacy] > STRICTNESS[record.privacy] ||
    STRICTNESS[next.registrationMode] > STRICTNESS[record.registrationMode] ||
    (next.requireVerified && !record.requireVerified) ||
    limit(next) < limit(record)
  );
}

/**
 * The record to save where no lot of the auction has had a bid, nor gets one meanwhile. Throws 409 `auction_locked`.
 */
async function withoutBids(
  parts: LiveParts,
  next: AuctionRecord,
  frozen: readonly string[],
): Promise<NewRecord> {
  const unmoved = await unmovedWithoutBids(parts, next.auctionId);
  if (unmoved === null) throw locked(frozen, 'the auction has bids');
  return { record: next, unmoved };
}

/** Names, as the seller knows them, of the changed settings that the first bid freezes. */
function frozenIn(record: AuctionRecord, next: AuctionRecord): string[] {
  const frozen: string[] = [];
  if (next.premiumBps !== record.premiumBps) frozen.push('buyer_premium_percentage');
  if (JSON.stringify(next.premiumBands) !== JSON.stringify(record.premiumBands)) frozen.push('premium_bands');
  if (next.onlineSurchargeBps !== record.onlineSurchargeBps) frozen.push('online_surcharge_percentage');
  if (next.taxPpm !== record.taxPpm) frozen.push('sales_tax_percentage');
  if (next.currency !== record.currency) frozen.push('currency');
  if (JSON.stringify(next.increments) !== JSON.stringify(record.increments)) frozen.push('increments');
  if (next.endsAtUs < record.endsAtUs) frozen.push('end_time');
  if (next.startsAtUs !== record.startsAtUs) frozen.push('start_time');
  if (next.staggerSeconds !== record.staggerSeconds) frozen.push('stagger_seconds');
  return frozen;
}

/** The clock has passed these already: publishing and starting decided what depends on them. */
function requirePublished(record: AuctionRecord, next: AuctionRecord, status: AuctionStatus): void {
  if (next.type !== record.type) throw locked(['type'], 'the auction is published');
  if (next.format !== record.format) throw locked(['format'], 'the auction is published');
  if (status !== 'scheduled' && next.startsAtUs !== record.startsAtUs)
    throw locked(['start_time'], 'the auction has started');
}

function requireTimes(record: AuctionRecord, next: AuctionRecord, nowUs: number): void {
  const errors: Record<string, string[]> = {};
  if (next.endsAtUs <= next.startsAtUs) errors['end_time'] = ['The end_time must be after the start_time.'];
  else if (next.endsAtUs !== record.endsAtUs && next.endsAtUs <= nowUs)
    errors['end_time'] = ['The end_time must be in the future.'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

function locked(fields: readonly string[], why: string): Error {
  const message = `This can no longer be changed, because ${why}: ${fields.join(', ')}.`;
  return new Refusal('auction_locked', { message, data: { fields } });
}
