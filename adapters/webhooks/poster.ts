/**
 * Posts one try of a delivery and says what came of it; it never throws. Redirects are not followed, an answer has to begin within
 * the time limit, and no connection is opened to an address that is not public, whatever the name stood for a moment ago.
 */
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import {
  dnsResolve,
  type GuardOptions,
  isPublicAddress,
  NOT_PUBLIC,
  type Resolve,
  urlFault,
} from './address-guard.ts';

export interface PosterOptions extends GuardOptions {
  /** Default: the system's name servers. */
  readonly resolve?: Resolve;
  /** From dialling to the head of the answer; default 15 s. */
  readonly timeoutMs?: number;
}

/** What came of one try. `status` is null where no answer came; `error` says why. */
export interface PostResult {
  readonly status: number | null;
  /** The first KiB of the answer's body. */
  readonly responseBody: string;
  readonly error: string | null;
  readonly durationMs: number;
}

/** The address that was dialled is not a public one. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const TIMEOUT_MS = 15_000;
const KEEP_BODY_BYTES = 1_024;
/** A body up to this is read to its end, so that the connection serves again. */
const READ_BODY_BYTES = 64 * 1_024;
const KEEP_ALIVE_MS = 4_000;

export class WebhookPoster {
  readonly #agent: Agent;
  readonly #allowLoopback: boolean;
  readonly #timeoutMs: number;

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

  /** One try. `headers` are sent as they are, with the content type and the agent's name. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostResult> {
    const started = performance.now();
    const fault = urlFault(url, { allowLoopback: this.#allowLoopback });
    if (fault !== null) return failed(`the URL ${fault}`, started);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#timeoutMs);
    try {
      const { origin, pathname, search } = new URL(url);
      const answer = await this.#agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Rostrum-Webhooks/1' },
        body,
        signal: deadline.signal,
      });
      const responseBody = await readStart(answer.body);
      return { status: answer.statusCode, responseBody, error: null, durationMs: since(started) };
    } catch (error) {
      const why = deadline.signal.aborted ? `no answer within ${this.#timeoutMs / 1_000} s` : reasonOf(error);
      return failed(why, started);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** The status is the receiver's word: a body that breaks off or never ends does not take it back. */
async function readStart(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < KEEP_BODY_BYTES) kept.push(chunk.subarray(0, KEEP_BODY_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > READ_BODY_BYTES) break;
    }
  } catch {
    body.destroy();
  }
  // A character that the cut went through is dropped; Postgres stores no NUL.
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '');
}

function guardedLookup(resolve: Resolve): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (found) => {
        const wanted = found.filter(({ family }) => !options.family || family === options.family);
        const open = wanted.filter(({ address }) => isPublicAddress(address));
        if (open.length > 0) {
          if (options.all) done(null, [...open]);
          else done(null, open[0]!.address, open[0]!.family);
        } else done(wanted.length === 0 ? new Error(`${name} has no address`) : refused(name), '', 4);
      },
      (error: Error) => done(error, '', 4),
    );
  };
}

function refused(name: string): AddressRefused {
  return new AddressRefused(`the URL ${NOT_PUBLIC}, and ${name} does not`);
}

function failed(error: string, started: number): PostResult {
  return { status: null, responseBody: '', error, durationMs: since(started) };
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return reasonOf(error.errors[0]);
  return (error.message || (error as NodeJS.ErrnoException).code || error.name).slice(0, 500);
}
