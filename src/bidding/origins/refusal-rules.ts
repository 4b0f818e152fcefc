/** Which of the bidding rules refuses a bid with a code, for staff who are asked why. */
import { ruleOf } from '../../../engine/formats/formats.ts';
import type { RefusalCode } from '../../shared/refusal.ts';

/** Code → the rule, as `docs/rules.md` numbers and names them. */
const RULES: Readonly<Partial<Record<RefusalCode, string>>> = {
  bid_too_low: 'Rule 1: minimum next bid',
  max_not_increased: 'Rule 5: the leader bids again',
  lot_closed: 'Rule 7: one clock',
  lot_not_started: 'Rule 7: one clock',
  auction_paused: 'Rule 7: one clock',
  bid_confirmation_required: 'Rule 12: confirmation',
  registration_required: 'Rule 12: registration',
  registration_pending: 'Rule 12: registration by approval',
  deposit_required: 'Rule 12: registration by deposit',
  verification_required: 'Rule 12: verified people only',
  bid_limit_exceeded: 'Rule 12: limits',
  buy_now_unavailable: 'Rule 13: buy now',
  not_enough_left: 'Rule 21: the falling clock',
  bid_not_leading: 'Rule 23: tracts in any combination',
  combinations_not_open: 'Rule 23: tracts in any combination',
  choice_pending: 'Rule 25: choice',
  not_in_final_round: 'Rule 22: the tender',
  sealing_unavailable: 'Rule 22: the tender',
  seller_cannot_bid: 'No seller bids on their own lots',
  bidder_suspended: 'Nobody bids who is suspended or blocked',
  currency_mismatch: 'A bid is in the currency of its auction',
  lot_withdrawn: 'Nobody bids on a withdrawn lot',
  validation_failed: 'A bid has only the fields of its format',
};

/** The rules of single formats, by their numbers. */
const OF_FORMATS: Readonly<Record<number, string>> = {
  21: 'Rule 21: the falling clock',
  22: 'Rule 22: the tender',
  23: 'Rule 23: tracts in any combination',
};

/** Null: a code that no rule is known for. */
export function refusalRule(code: string, format: string): string | null {
  const own = code === 'bid_too_low' ? ruleOf(format) : undefined;
  if (own !== undefined) return OF_FORMATS[own] ?? null;
  // Cast: a code that is none of ours is not in the table.
  return RULES[code as RefusalCode] ?? null;
}
