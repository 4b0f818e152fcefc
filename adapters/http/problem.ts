/**
 * Every refusal the API can give, in one table: code, HTTP status, default sentence. Handlers throw a `Problem` (or
 * return one through `problemReply`); `mount.ts` serializes it as the failure envelope, and `openapi.ts` documents it
 * from here. The table is exhaustive by type: a code that is not in it does not compile.
 */

interface CodeEntry {
  readonly status: number;
  readonly message: string;
}

export const ERROR_CODES = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  unauthenticated: { status: 401, message: 'A valid token is required.' },
  invalid_signature: { status: 401, message: 'The signature is missing, wrong or too old.' },
  missing_ability: { status: 403, message: 'The token lacks the ability that this needs.' },
  account_suspended: {
    status: 403,
    message: 'Your account is suspended: you can read, and do nothing else. Ask us why.',
  },
  email_unconfirmed: {
    status: 403,
    message: 'Confirm your e-mail address first: open the link that we sent you, or ask for another one.',
  },
  two_factor_required: {
    status: 403,
    message: 'This team asks for a second factor: set one up at /account/security.',
  },
  not_a_team_member: { status: 403, message: 'You are not a member of this team.' },
  csrf_failed: { status: 403, message: 'The CSRF token is missing or wrong.' },
  media_not_owned: { status: 403, message: 'You do not own what this media is attached to.' },
  seller_not_approved: { status: 403, message: 'The team is not approved for selling yet.' },
  platform_not_allowed: { status: 403, message: 'The auction has not let this platform in.' },
  plan_limit: { status: 403, message: 'The team’s plan allows no more of this.' },
  seller_cannot_bid: { status: 403, message: 'Sellers cannot bid on their own lots.' },
  registration_required: { status: 403, message: 'Register for this auction before bidding.' },
  registration_pending: { status: 403, message: 'Your registration has not been approved yet.' },
  bidder_suspended: { status: 403, message: 'You may not bid.' },
  deposit_required: { status: 403, message: 'Pay the deposit before bidding.' },
  verification_required: { status: 403, message: 'Verify your account before bidding.' },
  bid_limit_exceeded: { status: 403, message: 'This bid exceeds your limit for the auction.' },
  invalid_transition: { status: 409, message: 'This change of status is not allowed.' },
  has_open_bids: {
    status: 409,
    message: 'You have bid on open lots of this seller: wait until they have closed.',
  },
  auction_locked: { status: 409, message: 'The auction has bids: this can no longer be changed.' },
  lot_locked: { status: 409, message: 'The lot has bids: this can no longer be changed.' },
  not_simulcast: {
    status: 409,
    message: 'The auction is timed: its lots close by the clock, not by the floor.',
  },
  lot_already_sold: { status: 409, message: 'The lot is already sold.' },
  buy_now_unavailable: { status: 409, message: 'Buying now is not available any more.' },
  already_voided: { status: 409, message: 'The bid is already voided.' },
  deposit_in_use: { status: 409, message: 'The bidder leads an open lot on this deposit.' },
  reserve_not_reached: { status: 409, message: 'The best bid that is left is below the reserve.' },
  no_bidder_left: { status: 409, message: 'Nobody is left to offer the lot to.' },
  lot_not_started: { status: 409, message: 'Bidding on this lot has not started.' },
  lot_closed: { status: 409, message: 'Bidding on this lot is closed.' },
  lot_withdrawn: { status: 409, message: 'The lot was withdrawn.' },
  auction_paused: { status: 409, message: 'The auction is paused.' },
  max_not_increased: { status: 409, message: 'You lead already with a maximum at least this high.' },
  bid_confirmation_required: { status: 409, message: 'This bid is unusually high: confirm it.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  file_too_large: { status: 413, message: 'The file is too large.' },
  unsupported_media_type: { status: 415, message: 'This content type is not supported here.' },
  validation_failed: { status: 422, message: 'The given data is invalid.' },
  ambiguous_lot: { status: 422, message: 'Several live lots have this SKU: name the auction too.' },
  bid_too_low: { status: 422, message: 'The bid is below the minimum next bid.' },
  currency_mismatch: { status: 422, message: 'The lot is sold in another currency.' },
  idempotency_key_reused: { status: 422, message: 'This key was used for another request.' },
  rate_limited: { status: 429, message: 'Too many requests.' },
  overloaded: { status: 503, message: 'The service is overloaded; nothing was recorded. Try again.' },
  journal_unavailable: {
    status: 503,
    message: 'The journal did not answer. Send the request again with the same Idempotency-Key.',
  },
} as const satisfies Record<string, CodeEntry>;

/** The sentence of a 503 without a code: any request may get it. */
export const PART_UNAVAILABLE = 'A part of the service is unavailable. Try again.';

export type ErrorCode = keyof typeof ERROR_CODES;

/** Field (dotted path) → sentences. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface ProblemDetail {
  readonly message?: string;
  readonly data?: unknown;
  readonly errors?: FieldErrors;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal on its way to the caller. Not a bug: it is never logged as one. */
export class Problem extends Error {
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly data: unknown;
  readonly errors: FieldErrors | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ErrorCode | null, message: string, detail: ProblemDetail = {}) {
    // Refusals are everyday answers: nobody reads their stack, and capturing it costs more than the answer.
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = frames;
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.data = detail.data;
    this.errors = detail.errors;
    this.headers = detail.headers ?? {};
  }
}

/** A refusal by its code; the status and the default sentence come from the table. 503s carry `Retry-After: 1`. */
export function refuse(code: ErrorCode, detail: ProblemDetail = {}): Problem {
  const entry: CodeEntry = ERROR_CODES[code];
  const headers = entry.status === 503 ? { 'Retry-After': '1', ...detail.headers } : detail.headers;
  return new Problem(entry.status, code, detail.message ?? entry.message, { ...detail, headers });
}

/** 404 without a code: not there, or not visible to the caller. */
export function notFound(message = 'Not found.'): Problem {
  return new Problem(404, null, message);
}

/** 403 without a code. */
export function forbidden(message: string): Problem {
  return new Problem(403, null, message);
}

/** 422 `validation_failed` for rules that no schema can state. */
export function invalid(errors: FieldErrors, message?: string): Problem {
  return refuse('validation_failed', { errors, message });
}
