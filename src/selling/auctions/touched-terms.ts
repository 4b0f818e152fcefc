/**
 * Changes of a sale's terms that touch its bidders while an open lot has bids: only owners and admins of the team make
 * them, with a reason, which the sale's history and a notification to every bidder say. `seller-auctions.ts` asks here
 * within the step that saves the change, and notes it when it is saved.
 */
import { type AuctionRecord, pausedSinceUs } from '../../../engine/auction/record.ts';
import { isOpen } from '../../../engine/lot/state.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { namesIn } from '../../../engine/objects.ts';
import { isoFromUs, usFromIso } from '../../../engine/time.ts';
import type { StoredAuction } from '../../bidding/records/auction.model.ts';
import type { NewRecord } from '../../bidding/records/auction-changes.ts';
import { type LiveParts, liveStatesOf } from '../../bidding/records/auction-lots.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { judge, requireAllowed } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { invalid } from '../../shared/refusal.ts';
import { USUAL_DUE_DAYS } from '../../shared/sale-terms.ts';
import { type BidderTerms, lengthText, sentenceOf } from './terms-in-sentences.ts';

/** A change as the sale's history has it. */
export interface TouchedTerms {
  readonly sentence: string;
  readonly before: Partial<BidderTerms>;
  readonly after: Partial<BidderTerms>;
  /** Null: it is small enough to need none, and nobody is told. */
  readonly reason: string | null;
}

export interface TermsOrder {
  readonly who: readonly Who[];
  readonly reason: string | null;
  readonly before: TermsBesideRecord;
  readonly after: TermsBesideRecord;
}

/** What bidders rely on and the journal's record has no part of, as stored. */
export type TermsBesideRecord = Pick<
  StoredAuction,
  'registration_deposit_cents' | 'payment_due_days' | 'payment_methods' | 'collect_by'
>;

/** The terms beside the record after a change of these columns; null: it changes none of them. */
export function changedBeside(
  row: TermsBesideRecord,
  columns: Readonly<Record<string, unknown>>,
): TermsBesideRecord | null {
  const names = ['registration_deposit_cents', 'payment_due_days', 'payment_methods', 'collect_by'] as const;
  const changed = names.filter((name) => {
    const to = columns[name];
    return to !== undefined && JSON.stringify(to) !== JSON.stringify(row[name]);
  });
  return changed.length === 0
    ? null
    : { ...row, ...Object.fromEntries(changed.map((name) => [name, columns[name]])) };
}

const DAY_US = 86_400_000_000;
const HOUR_US = 3_600_000_000;

/** A change to save, with what of it the sale's history has to say. */
export interface Guarded extends NewRecord {
  readonly touched: TouchedTerms | null;
}

/**
 * Lets a new record through where it touches no bidder of an open lot, or may. Throws 403 for a mere member, 422 in
 * `errors.reason`, and what the table of auctions refuses.
 */
export async function guardTerms(
  parts: LiveParts,
  record: AuctionRecord,
  change: NewRecord,
  order: TermsOrder,
): Promise<Guarded> {
  const { record: next } = change;
  const pausedUs = pauseOver(record, next);
  const before = termsOf(record, order.before);
  const after = termsOf(next, order.after);
  // A lot's end moves by a pause's length, of which more is said below.
  const isLater = next.endsAtUs - pausedUs > record.endsAtUs;
  const changed = namesIn(before).filter((name) =>
    name === 'end_time' ? isLater : isTouching(name, before, after),
  );
  const untouched = { ...change, touched: null };
  if (changed.length === 0 && pausedUs === 0) return untouched;
  const lots = (await liveStatesOf(parts, record.auctionId)).filter(isOpen);
  if (!lots.some(({ frozen }) => frozen)) {
    // Unless a first bid comes in between.
    return { ...untouched, unmoved: change.unmoved ?? new Map(lots.map((lot) => [lot.lotId, lot.sequence])) };
  }
  const isNotified = await notifies(parts, { record, next, changed, pausedUs, order });
  if (isNotified) requireMay(order);
  if (!isNotified && !isLater) return untouched;
  const pick = (terms: BidderTerms) => Object.fromEntries(changed.map((name) => [name, terms[name]]));
  const touched: TouchedTerms = {
    sentence: [
      ...changed.map((name) => sentenceOf(name, before, after, record.currency)),
      ...(pausedUs > 0
        ? [`The sale was paused for ${lengthText(pausedUs)}; its lots end that much later.`]
        : []),
    ].join(' '),
    before: { ...pick(before), ...(pausedUs > 0 ? { paused: true } : {}) },
    after: { ...pick(after), ...(pausedUs > 0 ? { paused: false } : {}) },
    reason: isNotified ? order.reason : null,
  };
  return { ...change, touched };
}

function mayTouch(who: readonly Who[]): boolean {
  return judge(AUCTION_POLICY, 'touch_bidders', 'contested', who) === 'allowed';
}

function requireMay({ who, reason }: TermsOrder): void {
  requireAllowed(AUCTION_POLICY, 'touch_bidders', 'contested', who, {
    message: 'A lot has bids: only owners and admins of the team may change what touches its bidders.',
  });
  if (reason === null) throw invalid({ reason: ['A lot has bids. Say why: its bidders are told.'] });
}

interface Weighed {
  readonly record: AuctionRecord;
  readonly next: AuctionRecord;
  readonly changed: readonly (keyof BidderTerms)[];
  readonly pausedUs: number;
  readonly order: TermsOrder;
}

/**
 * Whether bidders are told of a change, so that it needs a reason. They are not told of a later end by up to a day, nor
 * of a pause of up to an hour, each counted together with those before it of which they were not told either.
 */
async function notifies(parts: LiveParts, weighed: Weighed): Promise<boolean> {
  const { record, next, changed, pausedUs, order } = weighed;
  if (changed.some((name) => name !== 'end_time' && name !== 'paused')) return true;
  // A long pause that is announced when it begins needs no reason when it is over.
  if (changed.includes('paused') && order.reason !== null && mayTouch(order.who)) return true;
  if (changed.includes('end_time')) {
    const fromUs = (await silentEndUs(parts, record.auctionId)) ?? record.endsAtUs;
    if (next.endsAtUs - pausedUs - fromUs > DAY_US) return true;
  }
  return pausedUs > 0 && (await silentPausesUs(parts, next)) > HOUR_US;
}

/** The end before the first of the changes of it that bidders were not told of; null: there were none. */
async function silentEndUs({ knex }: LiveParts, auctionId: number): Promise<number | null> {
  // SQL: looks into what the changes were.
  const { rows } = await knex.raw<{ rows: { end_time: string }[] }>(
    `SELECT changes->'before'->>'end_time' AS end_time FROM sale_changes c
     WHERE auction_id = :auctionId AND reason IS NULL AND changes->'before'->>'end_time' IS NOT NULL AND id > coalesce((
       SELECT max(id) FROM sale_changes t WHERE t.auction_id = :auctionId AND t.reason IS NOT NULL
         AND t.changes->'before'->>'end_time' IS NOT NULL), 0)
     ORDER BY id LIMIT 1`,
    { auctionId },
  );
  const [row] = rows;
  return row === undefined ? null : usFromIso(row.end_time);
}

/** How long the auction was paused in the last day without its bidders being told, this pause included. */
async function silentPausesUs({ knex }: LiveParts, { auctionId, pauses }: AuctionRecord): Promise<number> {
  // SQL: as above.
  const { rows } = await knex.raw<{ rows: { at: string | null }[] }>(
    `SELECT max(changed_at) AS at FROM sale_changes
     WHERE auction_id = ? AND reason IS NOT NULL AND changes->'after'->>'paused' IS NOT NULL`,
    [auctionId],
  );
  const at = rows[0]?.at ?? null;
  const lastUs = pauses.at(-1)?.toUs ?? 0;
  const sinceUs = Math.max(lastUs - DAY_US, (at === null ? null : usFromIso(at)) ?? 0);
  // One that was told when it began is over by then.
  const silent = pauses.filter(({ fromUs }) => fromUs > sinceUs);
  return silent.reduce((sum, { fromUs, toUs }) => sum + (toUs ?? fromUs) - fromUs, 0);
}

/** Puts a change into the sale's history, from which its bidders are told. */
export async function noteTouchedTerms(
  { knex }: Pick<LiveParts, 'knex'>,
  auctionId: number,
  userId: number | null,
  { sentence, before, after, reason }: TouchedTerms,
): Promise<void> {
  // SQL: a row that is only ever added, and read by other contexts in their own statements.
  await knex('sale_changes').insert({
    ...{ auction_id: auctionId, user_id: userId, reason, sentence },
    changes: JSON.stringify({ before, after }),
  });
}

function termsOf(record: AuctionRecord, beside: TermsBesideRecord): BidderTerms {
  const amount = (cents: number | null) =>
    cents === null ? null : formatCents(cents, decimalsOf(record.currency));
  return {
    end_time: isoFromUs(record.endsAtUs),
    privacy_setting: record.privacy,
    registration_mode: record.registrationMode,
    require_verified: record.requireVerified,
    bid_limit: amount(record.bidLimitCents),
    deposit_amount: record.registrationMode === 'deposit' ? amount(beside.registration_deposit_cents) : null,
    payment_due_days: beside.payment_due_days ?? USUAL_DUE_DAYS,
    payment_methods: beside.payment_methods,
    collect_by: beside.collect_by,
    paused: pausedSinceUs(record) !== null,
  };
}

const STRICTNESS = { open: 0, approval: 1, deposit: 2 } as const;

/** Whether there is less time than before, which is without end where no last moment is said. */
const isEarlier = (after: string | null, before: string | null) =>
  after !== null && (before === null || after < before);

function isTouching(name: keyof BidderTerms, before: BidderTerms, after: BidderTerms): boolean {
  if (name === 'registration_mode') return STRICTNESS[after[name]] > STRICTNESS[before[name]];
  if (name === 'require_verified' || name === 'paused') return after[name] && !before[name];
  if (name === 'payment_methods') return before[name].some((one) => !after[name].includes(one));
  if (name === 'payment_due_days') return after[name] < before[name];
  if (name === 'collect_by') return isEarlier(after[name], before[name]);
  if (name === 'deposit_amount') return after[name] !== null && after[name] !== before[name];
  return after[name] !== before[name];
}

/** How long the pause lasted that this change ends; 0: it ends none. */
function pauseOver(record: AuctionRecord, next: AuctionRecord): number {
  const sinceUs = pausedSinceUs(record);
  const toUs = next.pauses.at(-1)?.toUs ?? null;
  return sinceUs === null || toUs === null ? 0 : toUs - sinceUs;
}
