/**
 * What the service says no to: every context throws a `Refusal`, and nothing has changed where it does. Here is what it
 * is called and the sentence for people; what it is over HTTP is in `app/web/refusal-answers.ts`, and the command line
 * prints the sentence and the code.
 */
import {
  type FieldErrors,
  HTTP_ERRORS,
  type HttpErrorCode,
  isHttpErrorCode,
} from '../../adapters/http/problem.ts';

/** Code → its default message. The codes of the HTTP layer are separate. */
export const REFUSALS = {
  not_found: 'Not found.',
  forbidden: 'This is not allowed.',
  others_invoice: 'This invoice belongs to another user.',
  invalid_signature: 'The signature is missing, wrong or too old.',
  two_factor_required: 'This team requires a second factor: set one up at /account/security.',
  not_a_team_member: 'You are not a member of this team.',
  media_not_owned: 'You do not own what this media is attached to.',
  seller_not_approved: 'The team is not approved for selling yet.',
  platform_not_allowed: 'The auction does not accept this platform.',
  plan_limit: 'The team’s plan has no room for more of this.',
  seller_cannot_bid: 'Sellers cannot bid on their own lots.',
  registration_required: 'Register for this auction before bidding.',
  conditions_changed: 'Read the conditions of sale as they are now, and accept them.',
  registration_pending: 'Your registration has not been approved yet.',
  bidder_suspended: 'You are not allowed to bid.',
  deposit_required: 'Pay the deposit before bidding.',
  verification_required: 'Verify your account before bidding.',
  bid_limit_exceeded: 'This bid exceeds your limit for the auction.',
  lot_still_open: 'Other bidders’ bids are explained after the lot has closed.',
  invalid_transition: 'This change of status is not allowed.',
  has_open_bids: 'You have bid on this seller’s open lots: wait until they have closed.',
  auction_locked: 'The auction has bids: this can no longer be changed.',
  lot_locked: 'The lot has bids: this can no longer be changed.',
  not_simulcast: 'The auction is timed: its lots close by the clock, not from the saleroom floor.',
  lot_already_sold: 'The lot is already sold.',
  choice_pending: 'The hammer has fallen, and the winner is choosing: bid again on what is left.',
  choice_over: 'There is nothing to choose any more.',
  bid_not_leading: 'This bid would not lead.',
  combinations_not_open: 'Bids on several lots together are not taken yet.',
  not_enough_left: 'There are not so many left.',
  withdrawal_not_allowed: 'The bid can no longer be taken back.',
  not_in_final_round: 'You cannot bid in the final round.',
  sealing_unavailable: 'Sealed bids cannot be taken now.',
  buy_now_unavailable: 'Buy now is no longer available.',
  already_voided: 'The bid is already voided.',
  questions_closed: 'The lot ends soon: questions are no longer taken.',
  slot_taken: 'Somebody else has booked this time.',
  not_paid: 'There is no lot of this sale that is paid and still to be collected.',
  paddle_taken: 'Somebody else has this paddle.',
  deposit_in_use: 'The bidder leads on an open lot that this deposit covers.',
  refund_refused: 'The payment provider refuses this refund.',
  reserve_not_reached: 'The best remaining bid is below the reserve.',
  no_bidder_left: 'There is no bidder left to offer the lot to.',
  lot_not_started: 'Bidding on this lot has not started.',
  lot_closed: 'Bidding on this lot is closed.',
  lot_withdrawn: 'The lot was withdrawn.',
  auction_paused: 'The auction is paused.',
  max_not_increased: 'You already lead with a maximum bid at least this high.',
  bid_confirmation_required: 'This bid is unusually high: confirm it.',
  too_many_invitations: 'The team has invited as many people today as it may.',
  ambiguous_lot: 'Several live lots have this SKU: name the auction as well.',
  bid_too_low: 'The bid is below the minimum next bid.',
  currency_mismatch: 'Bids on this lot are in another currency.',
  idempotency_key_reused: 'This key was already used for a different request.',
  overloaded: 'The service is overloaded; nothing was recorded. Try again.',
  journal_unavailable: 'The journal did not answer. Send the request again with the same Idempotency-Key.',
} as const satisfies Record<string, string>;

export type OwnCode = keyof typeof REFUSALS;
export type RefusalCode = OwnCode | HttpErrorCode;

export type { FieldErrors };

export interface RefusalDetail {
  /** Default: the code's. */
  readonly message?: string;
  /** What helps to do better, such as the moves that are allowed. */
  readonly data?: unknown;
  readonly errors?: FieldErrors;
  /** When it is worth trying again. */
  readonly retryAfterS?: number;
  /** This was refused before: the answer is that of the first time. */
  readonly replayed?: boolean;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly data: unknown;
  readonly errors: FieldErrors | undefined;
  readonly retryAfterS: number | undefined;
  readonly replayed: boolean;

  constructor(code: RefusalCode, detail: RefusalDetail = {}) {
    // Refusals are everyday answers: nobody reads their stack, and capturing it costs more than the answer.
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(detail.message ?? (isHttpErrorCode(code) ? HTTP_ERRORS[code].message : REFUSALS[code]));
    Error.stackTraceLimit = frames;
    this.code = code;
    this.data = detail.data;
    this.errors = detail.errors;
    this.retryAfterS = detail.retryAfterS;
    this.replayed = detail.replayed === true;
  }
}

/** The state of something does not allow what is asked for, and no move leads on. */
export function invalidTransition(message: string): Refusal {
  return new Refusal('invalid_transition', { message, data: { allowed: [] } });
}

/** A refusal as one text: what is wrong with its fields, and its message where nothing is said of them. */
export function sentencesOf(refusal: {
  readonly errors?: FieldErrors | undefined;
  readonly message?: string;
}): string {
  return (
    Object.values(refusal.errors ?? {})
      .flat()
      .join(' ') ||
    (refusal.message ?? '')
  );
}

/** Not there, or not visible to the caller. */
export function notFound(message?: string): Refusal {
  return new Refusal('not_found', message === undefined ? {} : { message });
}

/** The caller may not do this, and nobody needs a code for why. */
export function forbidden(message: string): Refusal {
  return new Refusal('forbidden', { message });
}

/** Input that breaks a rule which no schema can state. */
export function invalid(errors: FieldErrors): Refusal {
  return new Refusal('validation_failed', { errors });
}
