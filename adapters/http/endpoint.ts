/**
 * An endpoint as a value: method, path, who may call it, the schemas of what goes in and out, and the function that
 * answers. The resources under `src` build lists of these; `mount.ts` serves them through Koa, `openapi.ts` documents
 * them as the API's description, so a route, its checks, its types and its documentation cannot drift apart.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from '@sinclair/typebox';

export type Ability = 'read' | 'write' | 'seller' | 'admin';

/** The signed-in caller, as the token or session store knows it at this moment. */
export interface Principal {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly abilities: ReadonlySet<Ability>;
  readonly isAdmin: boolean;
  readonly suspended: boolean;
  readonly verified: boolean;
  /** Their email address is proved to be theirs. */
  readonly confirmed: boolean;
  readonly teamIds: readonly number[];
  /** Teams that the caller left within 30 days: they still cannot bid against others on what those sell. */
  readonly leftTeamIds: readonly number[];
  /** Of those that the caller is in, the teams that require a second factor, which the caller has not set up. */
  readonly lockedTeamIds: readonly number[];
  readonly via: 'token' | 'session';
  readonly tokenId: number | null;
  readonly currentTeamId: number | null;
  /** What the person has chosen; null: what their browser likes. */
  readonly language: string | null;
}

/**
 * Who may call. `public`: anybody, but a wrong token is 401 and a right one gives the principal; `secret`: anyone who
 * sends this very secret as a bearer token, which is nobody's; `token`: any valid token; `ability`: a token that has
 * it (or `admin`). With `session: true` a cookie session does too, without an ability check, and its unsafe requests
 * must carry the CSRF token; `optional` is for public reads, which continue without one while sessions cannot be looked
 * up.
 */
export type Access =
  /** `identified: false`: answered from memory; nobody is looked up, so that no store can be in the way. */
  | { readonly kind: 'public'; readonly session?: boolean | 'optional'; readonly identified?: false }
  | { readonly kind: 'secret'; readonly secret: string; readonly session?: false }
  | { readonly kind: 'token'; readonly session?: boolean }
  | { readonly kind: 'ability'; readonly ability: Ability; readonly session?: boolean };

/** The browser session behind a request; what else it keeps is the session store's matter. */
export interface Session {
  readonly id: string;
  readonly csrfToken: string;
  readonly principal: Principal | null;
}

/** Who a handler may rely on: where nobody comes in without signing in, there always is a principal. */
export type PrincipalOf<A extends Access> = A extends { readonly kind: 'public' | 'secret' }
  ? Principal | null
  : Principal;

/** What a handler sees: plain, checked values. Nothing of Koa crosses this line. */
export interface HttpRequest<
  P = unknown,
  Q = unknown,
  B = unknown,
  W extends Principal | null = Principal | null,
> {
  /** Path parameters after their schema: integers are numbers already. */
  readonly params: P;
  /** Query parameters after their schema, defaults filled in. */
  readonly query: Q;
  /** The body after its schema; `undefined` where the endpoint takes none or an optional one is absent. */
  readonly body: B;
  readonly principal: W;
  /** Only on endpoints whose access has `session: true`, and only when the caller has one. */
  readonly session: Session | null;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  /** The caller's address, behind trusted proxies the one they name. */
  readonly ip: string;
  /** Whether the caller reached us over TLS: our own, or a trusted proxy's. */
  readonly secure: boolean;
  /** The body's exact bytes; only on endpoints with `rawBody`. */
  readonly rawBody?: Buffer;
  /** Aborts when the client goes away before the answer is complete, and for streams when the server stops. */
  readonly signal: AbortSignal;
  /** `http://host:port` as the caller addressed us, without a slash at its end. */
  readonly baseUrl: string;
  /** This process' own address, as this connection reached it; nothing that the caller says changes it. */
  readonly ownUrl: string;
  readonly method: string;
  /** The path as sent, without the query string. */
  readonly path: string;
  /** The query string as sent, without `?`; empty when there is none. */
  readonly rawQuery: string;
}

/**
 * What a handler returns. `body` is the whole JSON value, serialized once; `raw` is text, bytes or a stream that is
 * already in its final form (give `contentType`, JSON otherwise). Neither: an empty answer.
 */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly raw?: string | Buffer | Readable;
  /** `raw` is text without a character beyond ASCII: its bytes need not be counted, which would join it first. */
  readonly rawIsAscii?: boolean;
  readonly contentType?: string;
  /** Added to the answer; an own `ETag` or `Cache-Control` wins over the automatic one. Names in any case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** A file of a multipart form, lying in a temporary folder until the handler has answered. */
export interface UploadedFile {
  readonly path: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

/** A multipart form: text fields checked like a query string, and the named files (one each). */
export interface MultipartBody<F extends TObject = TObject> {
  readonly multipart: {
    readonly fields: F;
    readonly files: Readonly<Record<string, { readonly maxBytes: number; readonly description?: string }>>;
  };
}

/** A browser form (`application/x-www-form-urlencoded`), checked like a query string. */
export interface FormBody<F extends TObject = TObject> {
  readonly form: F;
}

export interface MultipartForm<F> {
  readonly fields: F;
  /** A file that was not sent is absent. */
  readonly files: Readonly<Record<string, UploadedFile | undefined>>;
  /** Of a page's form: what was sent of a file that is too large is gone; its field, and how much it may have. */
  readonly tooLarge: Readonly<Record<string, number>>;
}

export type BodySchema = TSchema | MultipartBody | FormBody;

export type BodyOf<B> =
  B extends MultipartBody<infer F>
    ? MultipartForm<Static<F>>
    : B extends FormBody<infer F>
      ? Static<F>
      : B extends TSchema
        ? Static<B>
        : undefined;

export interface ResponseDescription {
  readonly description: string;
  /** Of the whole body. Without it the document shows the plain envelope or the content type alone. */
  readonly schema?: TSchema;
  /** JSON unless said otherwise; several: as the request's `Accept` likes best. */
  readonly contentType?: string | readonly string[];
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a handler sees where nobody comes in without signing in. */
export type SignedRequest<P = unknown, Q = unknown, B = unknown> = HttpRequest<P, Q, B, Principal>;

interface EndpointHead {
  readonly method: Method;
  /** With parameters in braces: `/api/v1/lots/{lot}/bids`. */
  readonly path: string;
  /** Unique, lower camel case; names the operation in generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly access: Access;
  /** Checked headers, by lower-case name; a bad one is 422 under the name with underscores. */
  readonly headers?: TObject;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** Refusals to document besides those that follow from access, body and rate limit. */
  readonly codes?: readonly string[];
  /** Whether 404 is among the answers; default: when the path has parameters. */
  readonly notFound?: boolean;
  /** Served before the router, without the middleware of the ordinary routes. */
  readonly hot?: true;
  /**
   * A page for people: it counts to the limit of pages, and query parameters that are empty or that `query` does not
   * name are passed over: links to pages carry tracking parameters.
   */
  readonly page?: true;
  /**
   * Not counted against the caller's limit; default: everything under `/api/` counts, and pages to a limit of their
   * own.
   */
  readonly rateLimit?: false;
  /** An absent body is fine. */
  readonly bodyOptional?: true;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * The field of the body, '' for the body itself, that is a list whose items the handler judges one by one: text that
   * must not come in refuses its item alone, which is handed over as a `HostileItem`.
   */
  readonly judgedList?: string;
  /** Hands the exact bytes over besides the parsed body (signatures are over bytes). */
  readonly rawBody?: true;
  /**
   * With `rawBody`: reads the exact bytes before they are parsed, and throws a `Problem` where they are not to be
   * believed.
   */
  verify?(request: HttpRequest): void | Promise<void>;
  /** Takes a form from programs that have seen none of our pages (RFC 8058), so without the CSRF token. */
  readonly csrf?: false;
  /** Left out of the document (pages for people). */
  readonly undocumented?: true;
  /** A suspended account passes: for signing in and out, and where the handler has its own refusal (bids). */
  readonly suspendedToo?: true;
  /** An account whose address is not confirmed passes; without it such an account only reads. */
  readonly unconfirmedToo?: true;
}

/** The erased form that lists hold; made by `endpoint()`. */
export interface Endpoint<P = unknown, Q = unknown, B = unknown> extends EndpointHead {
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: BodySchema;
  handle(request: HttpRequest<P, Q, B>): Promise<Reply>;
}

export interface EndpointDefinition<
  P extends TObject,
  Q extends TObject,
  B extends BodySchema | undefined,
  A extends Access,
> extends EndpointHead {
  readonly access: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  handle(request: HttpRequest<Static<P>, Static<Q>, BodyOf<B>, PrincipalOf<A>>): Promise<Reply>;
}

/** Whether the caller is identified, which takes a store; a token that is not valid is refused then. */
export function isIdentified({ access }: Pick<Endpoint, 'access'>): boolean {
  return access.kind !== 'public' || access.identified !== false;
}

/**
 * Whether a suspended account is refused: it reads, and does nothing else, so every write requires an active account,
 * and so does whatever a token needs more than the ability `read` for. What carries a signature instead of an account
 * does not.
 */
export function needsActiveAccount({ method, access, suspendedToo }: Endpoint): boolean {
  if (suspendedToo === true || (access.kind === 'public' && access.session !== true)) return false;
  return method !== 'GET' || (access.kind === 'ability' && access.ability !== 'read');
}

/**
 * Whether an account is refused whose email address is not confirmed: it reads and watches, and writes nothing else.
 */
export function needsConfirmedAccount({ method, access, unconfirmedToo }: Endpoint): boolean {
  if (unconfirmedToo === true || (access.kind === 'public' && access.session !== true)) return false;
  return method !== 'GET';
}

type None = TObject<Record<never, never>>;

/** Identity; infers the handler's types from the schemas. */
export function endpoint<
  P extends TObject = None,
  Q extends TObject = None,
  B extends BodySchema | undefined = undefined,
  const A extends Access = Access,
>(definition: EndpointDefinition<P, Q, B, A>): Endpoint {
  return definition;
}
