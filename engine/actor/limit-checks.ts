/**
 * What a batch assumes of its bidders' limits. Where bids are sealed, what the journal counts of a bidder is how often
 * their bids have changed; what they come to is added up where the key is.
 */
import { type AuctionRecord, limitOf } from '../auction/record.ts';
import type { LimitUse } from '../lot/decision.ts';
import type { Format } from '../lot/format.ts';
import type { LotState } from '../lot/state.ts';
import type { AuctionCache } from './auction-cache.ts';
import type { LimitCheck } from './journal.ts';

export type MutableLimit = { -readonly [Field in keyof LimitCheck]: LimitCheck[Field] };

/** A batch that is being decided, as far as limits go. */
export interface LimitedBatch {
  readonly format: Format;
  readonly state: LotState;
  readonly limits: MutableLimit[];
  readonly limitOf: Map<string, MutableLimit> | null;
}

/**
 * The bidder's exposure as the batch has left it so far; where bids are sealed, that on other lots. Undefined: it has
 * to be added up first.
 */
export function exposureBefore(
  { format, state }: LimitedBatch,
  start: LotState,
  key: string,
  auction: AuctionCache,
  record: AuctionRecord,
): number | undefined {
  if (format.sealed === undefined)
    return auction.exposureCents(key) - format.exposureOf(start, key) + format.exposureOf(state, key);
  const bidder = auction.bidder(key) ?? null;
  const isLimited = bidder !== null && limitOf(record, bidder) !== null;
  return isLimited ? auction.elsewhereCents(key, start.lotId) : 0;
}

/** Notes what a decision has assumed: the exposure before the batch, and before the command. */
export function noteLimit(
  { format, limits, limitOf }: LimitedBatch,
  key: string,
  { assumedCents, exposureCents }: { readonly assumedCents: number; readonly exposureCents: number },
  decided: LimitUse,
): void {
  const isSealed = format.sealed !== undefined;
  // Of sealed bids none may have changed since they were added up, neither for a bid nor for a refusal.
  const use = isSealed ? { ...decided, limitCents: assumedCents + 1, increaseCents: 1 } : decided;
  const runningCents = isSealed ? 0 : exposureCents - assumedCents;
  const known = limitOf?.get(key);
  const risesTo = use.refused && !isSealed ? 0 : runningCents + use.increaseCents;
  if (known === undefined) {
    const { limitCents, refused } = use;
    const noted = { key, limitCents, assumedCents, increaseCents: Math.max(0, risesTo), refused };
    limits.push(noted);
    limitOf?.set(key, noted);
    return;
  }
  known.limitCents = use.limitCents;
  known.increaseCents = Math.max(known.increaseCents, risesTo);
  known.refused ||= use.refused;
}
