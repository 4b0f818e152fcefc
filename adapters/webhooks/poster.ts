/**
 * Posts one attempt of a delivery and returns its outcome; never throws. Redirects are not followed, an answer has to
 * begin within the time limit, and no connection is opened to an address that is not public, whatever the name resolved
 * to a moment ago.
 */
import { Agent, type Dispatcher } from 'undici';
import { errorOf, messageOf } from '../../engine/thrown.ts';
import { dnsResolve, type GuardOptions, type Resolve, urlFault } from './address-guard.ts';
import { guardedLookup } from './guarded-lookup.ts';

export interface PosterOptions extends GuardOptions {
  /** Default: the system's name servers. */
  readonly resolve?: Resolve;
  /** From dialling to the head of the answer; default 15 s. */
  readonly timeoutMs?: number;
}

/** The outcome of one attempt. `status` is null without an answer; `error` says why. */
export interface PostResult {
  readonly status: number | null;
  /** The first KiB of the answer's body. */
  readonly responseBody: string;
  readonly error: string | null;
  readonly durationMs: number;
}

const TIMEOUT_MS = 15_000;
const KEEP_BODY_BYTES = 1_024;
/** A body up to this is read to its end, so that the connection serves again. */
const READ_BODY_BYTES = 64 * 1_024;
const KEEP_ALIVE_MS = 4_000;
const AGENT_NAME = 'Rostrum-Webhooks/1';
const MAX_ORIGINS = 1_000;

type Origin = { readonly origin: string; readonly path: string } | { readonly fault: string };

export class WebhookPoster {
  readonly #agent: Agent;
  readonly #allowLoopback: boolean;
  readonly #timeoutMs: number;
  readonly #origins = new Map<string, Origin>();

  constructor(options: PosterOptions) {
    this.#allowLoopback = options.allowLoopback;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#agent = new Agent({
      connect: { lookup: guardedLookup(options.resolve ?? dnsResolve()), timeout: this.#timeoutMs },
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
  }

  /** One try. `headers`, in small letters, are sent with the agent's name; a body of no other type is JSON. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
  ): Promise<PostResult> {
    const origin = this.#originOf(url);
    if ('fault' in origin) return Promise.resolve(new Try(0).failed(`the URL ${origin.fault}`));
    return new Promise((done) => {
      const handler = new Try(this.#timeoutMs, done);
      try {
        this.#agent.dispatch(
          {
            ...origin,
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers, 'user-agent': AGENT_NAME },
            body,
          },
          handler,
        );
      } catch (error) {
        handler.onResponseError(null, errorOf(error));
      }
    });
  }

  /** A URL's target as the agent needs it, or what is wrong with it. Consecutive attempts often have the same one. */
  #originOf(url: string): Origin {
    const known = this.#origins.get(url);
    if (known !== undefined) return known;
    const fault = urlFault(url, { allowLoopback: this.#allowLoopback });
    const parsed = fault === null ? new URL(url) : null;
    const origin: Origin =
      parsed === null
        ? { fault: fault ?? '' }
        : { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` };
    if (this.#origins.size >= MAX_ORIGINS) this.#origins.clear();
    this.#origins.set(url, origin);
    return origin;
  }

  /** Aborts what is running. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * A running attempt, as the agent's handler. The status is what the receiver sent, even if the body breaks off or never
 * ends.
 */
class Try {
  readonly #started = performance.now();
  readonly #timeoutMs: number;
  readonly #done: (result: PostResult) => void;
  readonly #timer: NodeJS.Timeout | null;
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #kept: Buffer[] = [];
  #bytes = 0;
  #settled = false;

  constructor(timeoutMs: number, done: (result: PostResult) => void = () => {}) {
    this.#timeoutMs = timeoutMs;
    this.#done = done;
    this.#timer = timeoutMs === 0 ? null : setTimeout(() => this.#late(), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('too late'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < KEEP_BODY_BYTES) {
      // A copy: the agent uses its buffer again.
      this.#kept.push(Buffer.from(chunk.subarray(0, KEEP_BODY_BYTES - this.#bytes)));
    }
    this.#bytes += chunk.length;
    if (this.#bytes <= READ_BODY_BYTES) return;
    this.#settle(this.#answer());
    controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    this.#settle(this.#answer());
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#settle(this.#status === null ? this.failed(messageOf(error).slice(0, 500)) : this.#answer());
  }

  failed(error: string): PostResult {
    return { status: null, responseBody: '', error, durationMs: this.#since() };
  }

  #late(): void {
    const why = `no answer within ${this.#timeoutMs / 1_000} s`;
    this.#settle(this.#status === null ? this.failed(why) : this.#answer());
    this.#controller?.abort(new Error(why));
  }

  #answer(): PostResult {
    return { status: this.#status, responseBody: textOf(this.#kept), error: null, durationMs: this.#since() };
  }

  #settle(result: PostResult): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#done(result);
  }

  #since(): number {
    return Math.round(performance.now() - this.#started);
  }
}

/** A character that the cut went through is dropped; Postgres stores no NUL. */
function textOf(kept: readonly Buffer[]): string {
  if (kept.length === 0) return '';
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '');
}
