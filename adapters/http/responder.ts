/**
 * What hot endpoints and all others have in common: an endpoint with all that is worked out once, and the answer
 * to one request of it, from the pipeline to the list of headers. It counts and shows every answer; it never throws.
 */
import type { Context } from 'koa';
import type { Registry } from 'prom-client';
import { type Endpoint, endpoint, type Reply } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { newRoute, Pipeline, type PipelineOptions, type Route } from './pipeline.ts';
import { notFound, Problem } from './problem.ts';
import { counterElsewhere } from './request-limit.ts';
import { RequestMetrics, type RouteCounts } from './request-metrics.ts';
import { type Serialized, serialize } from './serialize.ts';
import { Streams } from './streams.ts';
import { type UploadReader, uploadReader } from './upload.ts';
import { isMultipart, isPageUpload, SchemaCompiler } from './validate.ts';

/** Sees every answer as it goes out; tests hold it against the document. */
export type AnswerObserver = (endpoint: Endpoint, serialized: Serialized) => void;

/** Something that is done around every answer, such as timing it. It gives what `answer` gives, and never throws. */
export type AnswerWrapper = (
  endpoint: Endpoint,
  exchange: Exchange,
  answer: () => Promise<Serialized>,
) => Promise<Serialized>;

export interface ResponderOptions extends PipelineOptions {
  readonly metrics: Registry;
  readonly wrap?: AnswerWrapper;
  readonly observe?: AnswerObserver;
  /** An answer in the language that an `Accept-Language` likes. */
  readonly inLanguage?: (acceptLanguage: string | undefined, reply: Reply) => Reply;
}

/** An endpoint as served. */
export interface Mounted extends Route {
  readonly counts: RouteCounts;
  readonly upload: UploadReader | null;
}

export class Responder {
  readonly streams = new Streams();
  /** Whether every answer closes its connection. */
  closesConnections = false;
  readonly #pipeline: Pipeline;
  readonly #compiler = new SchemaCompiler();
  readonly #metrics: RequestMetrics;
  readonly #observe: AnswerObserver | null;
  readonly #wrap: AnswerWrapper | null;
  readonly #inLanguage: NonNullable<ResponderOptions['inLanguage']>;
  readonly #elsewhere: Mounted;
  readonly #elsewhereOfPages: Mounted;

  constructor(options: ResponderOptions) {
    this.#pipeline = new Pipeline(options);
    this.#metrics = new RequestMetrics(options.metrics);
    this.#observe = options.observe ?? null;
    this.#wrap = options.wrap ?? null;
    this.#inLanguage = options.inLanguage ?? ((_, reply) => reply);
    this.#elsewhere = this.mount(ELSEWHERE);
    this.#elsewhereOfPages = this.mount({ ...ELSEWHERE, access: { kind: 'public', session: 'optional' } });
  }

  /** Throws where a schema does not compile. */
  mount(endpoint: Endpoint): Mounted {
    const { body, method, path } = endpoint;
    return {
      ...newRoute(endpoint, this.#compiler.inputsOf(endpoint)),
      counts: this.#metrics.route(method, path),
      upload: body !== undefined && isMultipart(body) ? uploadReader(body, isPageUpload(endpoint)) : null,
    };
  }

  /** The answer to a request of an endpoint; `context` is what uploads are read from. */
  answer(
    mounted: Mounted,
    exchange: Exchange,
    params: Record<string, string>,
    context: Context | null = null,
  ): Promise<Serialized> {
    if (this.#wrap === null) return this.#answer(mounted, exchange, params, context);
    return this.#wrap(mounted.endpoint, exchange, () => this.#answer(mounted, exchange, params, context));
  }

  async #answer(
    mounted: Mounted,
    exchange: Exchange,
    params: Record<string, string>,
    context: Context | null,
  ): Promise<Serialized> {
    const { upload } = mounted;
    const readUpload =
      upload === null || context === null
        ? null
        : (errors: Parameters<UploadReader>[1]) => upload(context, errors);
    const reply = await this.#pipeline.answer(mounted, exchange, params, readUpload);
    const serialized = this.#serialize(mounted, exchange, reply);
    if (this.#observe !== null) {
      this.#observe(mounted.endpoint, { ...serialized, payload: asText(serialized) });
    }
    return serialized;
  }

  /**
   * The answer where no endpoint takes the request: 404, 405, or what answers `OPTIONS`. `allowed`: the methods of its
   * path.
   */
  async answerElsewhere(exchange: Exchange, allowed: readonly string[]): Promise<Serialized> {
    return this.#serialize(this.#elsewhere, exchange, await this.#replyElsewhere(exchange, allowed));
  }

  /** The caller is refused first for a wrong token or their limit, then because there is nothing here. */
  async #replyElsewhere(exchange: Exchange, allowed: readonly string[]): Promise<Reply> {
    const counted = counterElsewhere(exchange.path);
    const route = counted === 'page' ? this.#elsewhereOfPages : this.#elsewhere;
    const refusal = await this.#pipeline.refusal({ ...route, counted }, exchange);
    if (refusal !== null) return refusal;
    if (allowed.length === 0) return this.#pipeline.failed(notFound(), exchange);
    const headers = { Allow: allowed.join(', ') };
    if (exchange.method === 'OPTIONS') return { status: 204, headers };
    const message = `This path does not support ${exchange.method}.`;
    return this.#pipeline.failed(new Problem(405, null, message, { headers }), exchange);
  }

  #serialize(mounted: Mounted, exchange: Exchange, reply: Reply): Serialized {
    let serialized: Serialized;
    try {
      serialized = serialize(exchange, this.#inLanguage(exchange.headers['accept-language'], reply));
    } catch (error) {
      serialized = serialize(exchange, this.#pipeline.replyTo(error, exchange));
    }
    mounted.counts.add(serialized.status, (performance.now() - exchange.startedAtMs) / 1000);
    if (this.closesConnections) serialized.headers.push('Connection', 'close');
    return serialized;
  }
}

/** JSON that was serialized to bytes is text to its readers. */
function asText({ headers, payload }: Serialized): Serialized['payload'] {
  const type = headers[headers.indexOf('Content-Type') + 1] ?? '';
  return Buffer.isBuffer(payload) && /json/.test(type) ? payload.toString() : payload;
}

/** The answer on every path that nobody serves. */
const ELSEWHERE = endpoint({
  method: 'GET',
  path: '(none)',
  operationId: 'elsewhere',
  summary: '',
  tags: [],
  access: { kind: 'public' },
  responses: {},
  handle: () => Promise.reject(notFound()),
});
