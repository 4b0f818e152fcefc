/**
 * What a refusal is over HTTP: the one table of codes and statuses, from which answers and the API's description are
 * made. Faults of the engine become refusals here, so that no code below has to translate them.
 */
import {
  type ErrorTable,
  HTTP_ERRORS,
  isHttpErrorCode,
  Problem,
  type Refusals,
} from '../../../adapters/http/problem.ts';
import { conflictOf } from '../../../adapters/postgres/postgres-error.ts';
import { JournalUnavailable, Overloaded } from '../../../engine/actor/journal.ts';
import { namesIn } from '../../../engine/objects.ts';
import { REPLAYED } from '../../bidding/bids/bid-answer.ts';
import { notFound, type OwnCode, REFUSALS, Refusal, type RefusalCode } from '../../shared/refusal.ts';

/** Exhaustive by type: a code without a status does not compile. Those of the HTTP side have theirs there. */
const STATUSES: Readonly<Record<OwnCode, number>> = {
  not_found: 404,
  forbidden: 403,
  others_invoice: 403,
  invalid_signature: 401,
  two_factor_required: 403,
  not_a_team_member: 403,
  media_not_owned: 403,
  seller_not_approved: 403,
  platform_not_allowed: 403,
  plan_limit: 403,
  seller_cannot_bid: 403,
  registration_required: 403,
  registration_pending: 403,
  bidder_suspended: 403,
  deposit_required: 403,
  verification_required: 403,
  bid_limit_exceeded: 403,
  lot_still_open: 403,
  invalid_transition: 409,
  has_open_bids: 409,
  conditions_changed: 409,
  auction_locked: 409,
  lot_locked: 409,
  not_simulcast: 409,
  lot_already_sold: 409,
  choice_pending: 409,
  choice_over: 409,
  combinations_not_open: 409,
  not_enough_left: 409,
  withdrawal_not_allowed: 409,
  not_in_final_round: 403,
  sealing_unavailable: 409,
  buy_now_unavailable: 409,
  already_voided: 409,
  questions_closed: 409,
  slot_taken: 409,
  not_paid: 409,
  paddle_taken: 409,
  deposit_in_use: 409,
  refund_refused: 409,
  reserve_not_reached: 409,
  no_bidder_left: 409,
  lot_not_started: 409,
  lot_closed: 409,
  lot_withdrawn: 409,
  auction_paused: 409,
  max_not_increased: 409,
  bid_confirmation_required: 409,
  too_many_invitations: 422,
  ambiguous_lot: 422,
  bid_too_low: 422,
  bid_not_leading: 422,
  currency_mismatch: 422,
  idempotency_key_reused: 422,
  overloaded: 503,
  journal_unavailable: 503,
};

/** The status is enough: no code is sent. */
const UNCODED: ReadonlySet<RefusalCode> = new Set(['not_found', 'others_invoice']);

/** Of two requests at once one may come too late. */
const LATE = 'invalid_transition';

/** Every code that an answer can carry, with its status and default sentence. */
export const ERROR_TABLE: ErrorTable = {
  ...HTTP_ERRORS,
  ...Object.fromEntries(
    ownCodes()
      .filter((code) => !UNCODED.has(code))
      .map((code) => [code, { status: STATUSES[code], message: REFUSALS[code], isOfChanges: code === LATE }]),
  ),
};

/** Two requests at once, of which one came too late: what it wanted is no longer there, or is otherwise now. */
const CONFLICTS = {
  gone: () => notFound('What this belongs to has just been deleted.'),
  in_use: () => new Refusal(LATE, { message: 'Something else still needs this.' }),
  faster: () => new Refusal(LATE, { message: 'This has just been changed. Try again.' }),
} as const;

/** How the HTTP pipeline answers what the service refuses. */
export const REFUSAL_ANSWERS: Refusals = {
  table: ERROR_TABLE,
  problemOf(error) {
    if (error instanceof Problem) return error;
    if (error instanceof Refusal) return problemOf(error);
    if (error instanceof Overloaded) return problemOf(new Refusal('overloaded'));
    if (error instanceof JournalUnavailable) return problemOf(new Refusal('journal_unavailable'));
    const conflict = conflictOf(error);
    return conflict === null ? null : problemOf(CONFLICTS[conflict]());
  },
};

/** A refusal as the problem that answers it. */
export function problemOf(refusal: Refusal): Problem {
  const { code, message, data, errors, retryAfterS, replayed } = refusal;
  const headers = {
    ...(retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }),
    ...(replayed ? REPLAYED : {}),
  };
  const status = isHttpErrorCode(code) ? HTTP_ERRORS[code].status : STATUSES[code];
  return new Problem(status, UNCODED.has(code) ? null : code, message, { data, errors, headers });
}

function ownCodes(): OwnCode[] {
  return namesIn(STATUSES);
}
