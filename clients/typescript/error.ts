/** What a call throws. */

/** What went wrong: a refusal with its code, or no answer at all, which has `status` 0. */
export class RostrumError extends Error {
  override readonly name = 'RostrumError';
  readonly status: number;
  /** For programs, such as `bid_too_low`; null where the status says everything. */
  readonly code: string | null;
  /** What helps to correct the request. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Messages by field, of a request that is not valid. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** To name to the operator. */
  readonly requestId: string | null;

  constructor(message: string, refusal: Refusal = {}, response?: Response, cause?: unknown) {
    super(message, { cause });
    this.status = response?.status ?? 0;
    this.code = refusal.code ?? null;
    this.data = refusal.data ?? {};
    this.errors = refusal.errors ?? {};
    this.requestId = response?.headers.get('x-request-id') ?? null;
  }
}

/** The body of a refusal. */
export interface Refusal {
  readonly message?: string;
  readonly code?: string;
  readonly data?: Record<string, unknown>;
  readonly errors?: Record<string, string[]>;
}

/** Whether a moment later the answer may be another. */
export function isPassing(error: unknown): boolean {
  return error instanceof RostrumError ? [0, 429, 502, 503, 504].includes(error.status) : true;
}
