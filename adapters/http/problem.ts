/**
 * What the HTTP side itself refuses, in one table: code, status, message. The pipeline throws a `Problem`, and
 * `envelope.ts` serializes it. What a service above refuses is its own matter: it hands a `Refusals` to the
 * pipeline, whose table the OpenAPI document is made from.
 */

export interface ErrorDefinition {
  readonly status: number;
  readonly message: string;
  /** Whatever changes something may be answered so: another request may have changed it meanwhile. */
  readonly isOfChanges?: boolean;
}

/** Code → status and default message. */
export type ErrorTable = Readonly<Record<string, ErrorDefinition>>;

export const HTTP_ERRORS = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  malformed_form: { status: 400, message: 'The form cannot be read.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  incomplete_request: { status: 400, message: 'The request is incomplete.' },
  unauthenticated: { status: 401, message: 'A valid token is required.' },
  missing_ability: { status: 403, message: 'The token lacks the required ability.' },
  account_suspended: {
    status: 403,
    message: 'Your account is suspended: you can read, but change nothing. Please contact us.',
  },
  email_unconfirmed: {
    status: 403,
    message: 'Confirm your email address first: open the link that we sent you, or request a new one.',
  },
  csrf_failed: { status: 403, message: 'The CSRF token is missing or wrong.' },
  request_timeout: { status: 408, message: 'The request took too long.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  file_too_large: { status: 413, message: 'The file is too large.' },
  unsupported_media_type: { status: 415, message: 'This content type is not supported here.' },
  validation_failed: { status: 422, message: 'The given data is invalid.' },
  headers_too_large: { status: 431, message: 'The headers are too large.' },
  rate_limited: { status: 429, message: 'Too many requests.' },
} as const satisfies ErrorTable;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

export function isHttpErrorCode(code: string): code is HttpErrorCode {
  return Object.hasOwn(HTTP_ERRORS, code);
}

/** The message of a 503 without a code: any request may get it. */
export const UNAVAILABLE_MESSAGE = 'A part of the service is unavailable. Try again.';

/** Field (dotted path) → messages. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface ProblemDetail {
  readonly message?: string;
  readonly data?: unknown;
  readonly errors?: FieldErrors;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal on its way to the caller. Not a bug: it is never logged as one. 503s carry `Retry-After: 1`. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly data: unknown;
  readonly errors: FieldErrors | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string | null, message: string, detail: ProblemDetail = {}) {
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
    this.headers = status === 503 ? { 'Retry-After': '1', ...detail.headers } : (detail.headers ?? {});
  }
}

/** What the service refuses besides, and how an error that it threw is answered. */
export interface Refusals {
  /** Every code that an answer can carry. */
  readonly table: ErrorTable;
  /** The answer to a refusal of the service; null for an error that is none. */
  problemOf(error: unknown): Problem | null;
}

/** Those of a service that refuses nothing of its own. */
export const HTTP_REFUSALS: Refusals = {
  table: HTTP_ERRORS,
  problemOf: (error) => (error instanceof Problem ? error : null),
};

/** A refusal of the HTTP side by its code. */
export function refuse(code: HttpErrorCode, detail: ProblemDetail = {}): Problem {
  const { status, message } = HTTP_ERRORS[code];
  return new Problem(status, code, detail.message ?? message, detail);
}

/** 404 without a code: nothing is there. */
export function notFound(): Problem {
  return new Problem(404, null, 'Not found.');
}

/** 503 without a code: a store is unavailable. */
export function dependencyUnavailable(): Problem {
  return new Problem(503, null, UNAVAILABLE_MESSAGE);
}
