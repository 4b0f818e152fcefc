/**
 * What every method of the client stands on: one request with its retries, errors as a class, the lists' further pages,
 * and a lot's stream. It knows no operation; `client.ts`, which is made from the API's description, names them all.
 * It needs `fetch` and Web Crypto: Node 20.19 or later, a browser, Deno or Bun.
 */
import { isPassing, type Refusal, RostrumError } from './error.ts';
import { EventReader } from './event-reader.ts';

/** How an operation is called, as the description has it. */
export interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly query: readonly string[];
  /** Null without one. */
  readonly body: 'json' | 'form' | null;
  /** `raw`: no JSON; the caller gets the `Response`. */
  readonly answer: 'json' | 'raw';
  /** Takes an `Idempotency-Key`. */
  readonly keyed: boolean;
  /** Takes an `X-Team-Id`. */
  readonly ofTeam: boolean;
}

export interface ClientOptions {
  /** Such as `https://auctions.example.com`. */
  readonly url: string;
  /** Without one, only what everybody may read is there. */
  readonly token?: string | undefined;
  /** The team that a seller acts for; without it, the current one of the token's person. */
  readonly teamId?: number | undefined;
  /** How often a request is repeated where that is safe: 4 without it. */
  readonly retries?: number | undefined;
  /** For each try: 30,000 without it. */
  readonly timeoutMs?: number | undefined;
  /** In place of the platform's own. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Of a bid: one is made for each call without it. Keep your own where a program may be started again. */
  readonly idempotencyKey?: string | undefined;
  readonly teamId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Such as `application/pdf`. */
  readonly accept?: string | undefined;
}

export interface StreamOptions {
  /** Continue after this event of an earlier stream of the lot. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An event of a lot's stream. `id` is null where there is nothing to continue from. */
export interface LotEvent {
  readonly id: string | null;
  readonly event: 'lot.snapshot' | 'bid.placed' | 'lot.extended' | 'lot.closed' | 'lot.fair_warning';
  // biome-ignore lint/suspicious/noExplicitAny: the description has no schema for the events of a stream.
  readonly data: any;
}

/** Path and query parameters by their names, and `body`. */
type Args = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 30_000;
const RETRIES = 4;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
/** Whoever asks to wait longer than this gets the decision back. */
const LONGEST_REQUESTED_MS = 60_000;
/** The server sends something every 15 seconds. */
const SILENCE_MS = 45_000;
/** Tries to open a stream one after the other, before it is given up. */
const STREAM_TRIES = 10;

export class Core {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
  }

  /** One operation; what `client.ts` calls. Throws a `RostrumError`. */
  protected async call<Answer>(operation: Operation, args: Args, options: CallOptions = {}): Promise<Answer> {
    const key = operation.keyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
    const body = bodyOf(operation, args['body']);
    const headers = this.#headers({
      accept: options.accept ?? (operation.answer === 'json' ? 'application/json' : undefined),
      'content-type': typeof body === 'string' ? 'application/json' : undefined,
      'idempotency-key': key,
      'x-team-id': operation.ofTeam ? String(options.teamId ?? this.#options.teamId ?? '') : undefined,
    });
    const repeatable = operation.method !== 'POST' && operation.method !== 'PATCH';
    const url = this.#urlOf(operation, args);
    const send = () => this.#send(url, { method: operation.method, headers, body }, options.signal);
    const mayRepeat = repeatable || key !== undefined;
    // Casts: the description says what this operation answers.
    if (operation.answer === 'raw')
      return (await this.#try(send, unread, mayRepeat, options.signal)) as Answer;
    const text = await this.#try(send, (response) => response.text(), mayRepeat, options.signal);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** Every row of a list, over all its pages, in whichever of the two forms the list has. */
  protected async *rows<Row>(
    operation: Operation,
    args: Args,
    options: CallOptions = {},
  ): AsyncGenerator<Row> {
    for (let page = 1, last = 1; page <= last; page += 1) {
      const answer = await this.call<ListAnswer<Row>>(operation, { ...args, page }, options);
      const { data, meta } = answer;
      yield* Array.isArray(data) ? data : data.data;
      last = (Array.isArray(data) ? meta?.last_page : data.last_page) ?? 1;
    }
  }

  /**
   * A lot's events as they happen. A lost connection is opened again and continues after the last event, without a gap
   * or a repeat; the loop ends with the lot, with `signal`, or where it is left.
   */
  protected async *events(
    operation: Operation,
    args: Args,
    { lastEventId, signal }: StreamOptions = {},
  ): AsyncGenerator<LotEvent> {
    const url = this.#urlOf(operation, args);
    let position = lastEventId;
    for (let tries = 1; !signal?.aborted; tries += 1) {
      const cut = new AbortController();
      const both = signal === undefined ? cut.signal : AbortSignal.any([signal, cut.signal]);
      try {
        const response = await this.#open(url, position, both);
        if (response === null) return;
        for await (const event of new EventReader(response, SILENCE_MS)) {
          tries = 0;
          position = event.id ?? position;
          // Cast: the server sends these and ticks.
          if (event.event !== 'tick') yield event as LotEvent;
          if (event.event === 'lot.closed') return;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!isPassing(error) || tries >= STREAM_TRIES) throw error;
      } finally {
        cut.abort();
      }
      await sleep(waitOf(tries), signal).catch(() => undefined);
    }
  }

  /** The stream's response; null when the lot is over and every event of it was received. */
  async #open(url: string, position: string | undefined, signal: AbortSignal): Promise<Response | null> {
    const headers = this.#headers({ accept: 'text/event-stream', 'last-event-id': position });
    const response = await this.#try(() => this.#fetch(url, { headers, signal }), unread, true, signal);
    return response.status === 204 ? null : response;
  }

  /** Repeats what did not come to anything, an answer cut short too, as long as repeating cannot do it twice. */
  async #try<Read>(
    send: () => Promise<Response>,
    read: (response: Response) => Promise<Read>,
    repeatable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Read> {
    const most = this.#options.retries ?? RETRIES;
    for (let tries = 0; ; tries += 1) {
      const result = await send()
        .then(async (response) => (response.ok ? { read: await read(response) } : refusedBy(response)))
        .catch(unanswered);
      if ('read' in result) return result.read;
      signal?.throwIfAborted();
      const { error, requestedMs } = result;
      const wait = requestedMs ?? waitOf(tries);
      const allowed = error.status === 429 || error.code === 'overloaded' || (repeatable && isPassing(error));
      if (!allowed || tries >= most || wait > LONGEST_REQUESTED_MS) throw error;
      await sleep(wait, signal);
    }
  }

  async #send(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    return this.#fetch(url, {
      ...init,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    return (this.#options.fetch ?? fetch)(url, init);
  }

  #headers(wanted: Readonly<Record<string, string | undefined>>): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(wanted)) if (value) headers.set(name, value);
    const { token } = this.#options;
    if (token) headers.set('authorization', `Bearer ${token}`);
    return headers;
  }

  #urlOf({ path, query }: Operation, args: Args): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = args[name];
      if (value === undefined || value === '') throw new TypeError(`${name} is missing`);
      return encodeURIComponent(String(value));
    });
    const search = new URLSearchParams();
    for (const name of query) {
      const value = args[name];
      if (value !== undefined && value !== null) search.set(name, String(value));
    }
    return `${this.#options.url}${filled}${search.size === 0 ? '' : `?${search}`}`;
  }
}

interface ListAnswer<Row> {
  readonly data: Row[] | { readonly data: Row[]; readonly last_page: number };
  readonly meta?: { readonly last_page?: number };
}

function bodyOf({ body }: Operation, value: unknown): string | FormData | null {
  if (body === null || value === undefined) return null;
  if (body === 'json') return JSON.stringify(value);
  if (value instanceof FormData) return value;
  const form = new FormData();
  for (const [name, one] of Object.entries(Object(value)))
    if (one !== undefined) form.append(name, one instanceof Blob ? one : String(one));
  return form;
}

/** A failed try. `requestedMs` is what `Retry-After` asks for. */
interface Failed {
  readonly error: RostrumError;
  readonly requestedMs: number | null;
}

/** For whoever reads the body as it comes. */
const unread = async (response: Response) => response;

async function refusedBy(response: Response): Promise<Failed> {
  const refusal = await response.json().then(
    (body) => Object(body) as Refusal,
    () => ({}) as Refusal,
  );
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const error = new RostrumError(
    refusal.message ?? `${response.status} ${response.statusText}`,
    refusal,
    response,
  );
  return { error, requestedMs: Number.isFinite(seconds) ? seconds * 1_000 : null };
}

function unanswered(cause: unknown): Failed {
  return { error: new RostrumError('The server did not answer.', {}, undefined, cause), requestedMs: null };
}

/** Twice as long each time, and never the same for all who wait. */
function waitOf(tries: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries) * (0.5 + Math.random() / 2);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
