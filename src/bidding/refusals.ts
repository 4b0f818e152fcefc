/**
 * What the rules refuse, and what fails while they decide, as HTTP problems. One exhaustive table says which refusal
 * becomes what; faults of the journal are 503.
 */
import { type ErrorCode, notFound, type Problem, refuse } from '../../adapters/http/problem.ts';
import { JournalUnavailable, Overloaded } from '../../engine/actor/journal.ts';
import type { RefusalCode, Refused } from '../../engine/lot/answers.ts';
import { formatCents } from '../../engine/money.ts';
import { isoFromUs } from '../../engine/time.ts';

/**
 * The code on the wire for each refusal that a bidder can meet; null is 404, `unexpected` ones belong to other
 * commands.
 */
const CODES: Readonly<Record<RefusalCode, ErrorCode | null>> = {
  not_visible: null,
  bid_unknown: null,
  lot_withdrawn: 'lot_withdrawn',
  auction_paused: 'auction_paused',
  lot_closed: 'lot_closed',
  lot_not_started: 'lot_not_started',
  seller_cannot_bid: 'seller_cannot_bid',
  bidder_suspended: 'bidder_suspended',
  verification_required: 'verification_required',
  registration_required: 'registration_required',
  registration_pending: 'registration_pending',
  deposit_required: 'deposit_required',
  currency_mismatch: 'currency_mismatch',
  max_not_increased: 'max_not_increased',
  bid_too_low: 'bid_too_low',
  bid_limit_exceeded: 'bid_limit_exceeded',
  bid_confirmation_required: 'bid_confirmation_required',
  buy_now_unavailable: 'buy_now_unavailable',
  already_voided: 'already_voided',
  lot_locked: 'lot_locked',
  lot_already_sold: 'lot_already_sold',
  invalid_transition: 'invalid_transition',
  admin_required: 'invalid_transition',
  floor_duplicate: 'lot_already_sold',
  floor_stale: 'invalid_transition',
};

/** A refusal by the rules as a problem; with how the lot stands, unless the caller may not see it. */
export function problemOf(refused: Refused): Problem {
  const code = CODES[refused.code];
  if (code === null) return notFound('There is no such lot.');
  const data = {
    current_bid: formatCents(refused.currentCents),
    minimum_next_bid: formatCents(refused.minimumNextCents),
    end_time: isoFromUs(refused.endsAtUs),
  };
  if (code !== 'bid_too_low') return refuse(code, { data });
  const message = `The bid must be at least ${data.minimum_next_bid}.`;
  return refuse(code, { message, data, errors: { amount: [message] } });
}

/** A fault of the engine as the 503 that tells the caller what to do; anything else is passed on as it is. */
export function faultOf(error: unknown): unknown {
  if (error instanceof Overloaded) return refuse('overloaded');
  if (error instanceof JournalUnavailable) return refuse('journal_unavailable');
  return error;
}

/** The journal's faults as the 503 that tells what to do. */
export async function orFault<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw faultOf(error);
  }
}
