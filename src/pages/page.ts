/**
 * What all pages have in common: HTML in the frame with the caller's session, a visitor's session for others (forms
 * need its CSRF token), redirects, and who counts as signed in. Every `*.pages.ts` builds on it.
 */
import type { HttpRequest, Reply, Session } from '../../adapters/http/endpoint.ts';
import { HTTP_REFUSALS, type Refusals } from '../../adapters/http/problem.ts';
import type { BrowserSessions, NewSession } from '../accounts/sessions/browser-sessions.ts';
import { cookieName, readCookie, SESSION_COOKIE } from '../accounts/sessions/session-cookie.ts';
import { bellLabel } from '../notifications/live/account-streams.ts';
import { AboutMoney } from '../shared/exchange-rates.ts';
import { type Language, readersLanguage } from '../shared/language.ts';
import { type Operator, UNNAMED } from '../shared/operator.ts';
import { localPath, MAX_NEXT } from './onward.ts';
import { type PageMeta, shownMeta } from './page-meta.ts';
import { type PageTitle, titleIn } from './page-title.ts';
import { zoneOf } from './shown-text.ts';
import { renderPage } from './view.ts';

/** The head that every page's endpoint shares. */
export const PAGE = {
  tags: ['Pages'],
  access: { kind: 'public', session: true },
  page: true,
  undocumented: true,
  responses: { 200: { description: 'The page.', contentType: 'text/html' } },
} as const;

/** Somebody who signed in with a browser. A token signs nobody in: its abilities would not bind what a page can do. */
export type SignedIn = NonNullable<Session['principal']>;

export interface PageOptions {
  readonly title: PageTitle;
  readonly template: string;
  /** A function where it depends on the session, which a visitor gets with the page. */
  readonly data?: object | ((session: Session | null) => object);
  /** For search engines and shared addresses; without it a page is nobody's find. */
  readonly meta?: PageMeta;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Nothing of it may be kept by anybody. */
  readonly secret?: boolean;
  /** Leaves a session's cookie alone: whose it is may not have been read. */
  readonly keepsSession?: boolean;
}

/** How many notifications somebody has not read; it answers at once from what was counted a moment ago. */
export type UnreadCount = (userId: number) => number;

export type PageSessions = Pick<BrowserSessions, 'visit' | 'hasProof' | 'renew'>;

export class Pages {
  readonly #sessions: PageSessions;
  readonly #unread: UnreadCount;
  readonly #operator: () => Operator;
  /** How a refusal is answered: pages that show one themselves call it. */
  readonly problemOf: Refusals['problemOf'];

  constructor(
    sessions: PageSessions,
    refusals: Refusals = HTTP_REFUSALS,
    unread: UnreadCount = () => 0,
    operator: () => Operator = () => UNNAMED,
  ) {
    this.#operator = operator;
    this.#sessions = sessions;
    this.#unread = unread;
    this.problemOf = refusals.problemOf;
  }

  /** Who runs the site. */
  get operator(): Operator {
    return this.#operator();
  }

  /** A whole page. */
  html(request: HttpRequest, page: PageOptions): Reply {
    const isKept = page.keepsSession === true && hasSessionCookie(request);
    const fresh = request.session === null && !isKept ? this.#sessions.visit(request.secure) : null;
    const session = request.session ?? fresh?.session ?? null;
    const language = languageOf(request);
    const headers: Record<string, string | readonly string[]> = {
      ...page.headers,
      'Cache-Control': page.secret ? 'no-store' : 'private, no-cache',
      Vary: 'Cookie, Accept-Language',
      'Content-Language': language,
    };
    if (fresh !== null) headers['Set-Cookie'] = fresh.cookies;
    const who = session?.principal ?? null;
    const unread = who === null ? 0 : this.#unread(who.userId);
    const frame = {
      title: titleIn(language, page.title),
      operator: this.operator,
      csrfToken: session?.csrfToken ?? '',
      user:
        who === null ? null : { name: who.name, email: who.email, isAdmin: who.isAdmin && !who.suspended },
      path: request.path,
      ownAddress: hereOf(request, request.path),
      zone: zoneOf(request.headers.cookie),
      unread,
      bellLabel: bellLabel(unread),
      now: new Date().toISOString(),
      language,
      about: this.#about(request, language),
      meta: page.meta === undefined ? null : shownMeta(page.meta, request.baseUrl, language),
    };
    return {
      status: page.status ?? 200,
      raw: renderPage(page.template, frame, dataOf(page, session)),
      contentType: 'text/html; charset=utf-8',
      headers,
    };
  }

  /** Amounts in the currency that this browser has chosen, where it has one that has a rate. */
  #about({ headers }: HttpRequest, language: Language): AboutMoney | null {
    const { rates } = this.operator;
    const currency = rates.size === 0 ? null : readCookie(headers.cookie ?? '', CURRENCY_COOKIE);
    return currency !== null && rates.has(currency) ? new AboutMoney(currency, rates, language) : null;
  }

  /** 303 to another page of ours, with a new session where there is one. */
  go(to: string, session: NewSession | null = null): Reply {
    const headers: Record<string, string | readonly string[]> = { Location: to, 'Cache-Control': 'no-store' };
    if (session !== null) headers['Set-Cookie'] = session.cookies;
    return { status: 303, headers };
  }

  /** Does `work` for the signed-in user; sends others to sign in, after which they return to where they were. */
  async forSignedIn(request: HttpRequest, work: (who: SignedIn) => Reply | Promise<Reply>): Promise<Reply> {
    const who = signedIn(request);
    return who === null ? this.go(`/sign-in?next=${encodeURIComponent(hereOf(request, '/'))}`) : work(who);
  }

  /**
   * After a change to the signed-in user that the page which follows shows, or is judged by: on whatever process that
   * is, it knows of the change.
   */
  async renew({ session }: HttpRequest): Promise<void> {
    if (session !== null) await this.#sessions.renew(session);
  }

  /**
   * Before a token, a secret or a pay-out account is shown or changed: null if the signed-in user has confirmed in
   * the last quarter of an hour who they are, otherwise the way to the page that requests it. From there they return
   * to the page that they opened, or to `back` where they sent a form.
   */
  proveFirst(request: HttpRequest, back: string): Reply | null {
    const { session } = request;
    if (session !== null && this.#sessions.hasProof(session)) return null;
    return this.go(`/account/prove?next=${encodeURIComponent(hereOf(request, back))}`);
  }

  /** Does `work` for a signed-in user who has recently confirmed who they are; sends everybody else there first. */
  async proved(
    request: HttpRequest,
    back: string,
    work: (who: SignedIn) => Reply | Promise<Reply>,
  ): Promise<Reply> {
    return this.forSignedIn(request, (who) => this.proveFirst(request, back) ?? work(who));
  }
}

function dataOf({ data = {} }: PageOptions, session: Session | null): object {
  return typeof data === 'function' ? data(session) : data;
}

function hasSessionCookie({ headers, secure }: HttpRequest): boolean {
  return readCookie(headers.cookie ?? '', cookieName(SESSION_COOKIE, secure)) !== null;
}

/**
 * The page that was opened, with its query where both fit into `next`; `otherwise` where a form was sent, which cannot
 * be returned to.
 */
function hereOf({ method, path, rawQuery }: HttpRequest, otherwise: string): string {
  if (method !== 'GET') return otherwise;
  const whole = rawQuery === '' ? path : `${path}?${rawQuery}`;
  return whole.length <= MAX_NEXT && localPath(whole) === whole ? whole : path;
}

/** The message after too many attempts. */
export function tooMany(waitS: number): string {
  const minutes = Math.ceil(waitS / 60);
  return `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

/** The cookie of a visitor who has chosen a language. */
export const LANGUAGE_COOKIE = 'language';

/** The cookie of somebody who has chosen a currency to see amounts in, beside a sale's own. */
export const CURRENCY_COOKIE = 'currency';

const YEAR_S = 31_536_000;

/** Keeps what somebody has chosen in this browser for a year; '' forgets it. */
export function choiceCookie(name: string, value: string, isSecure: boolean): string {
  const maxAge = value === '' ? 0 : YEAR_S;
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

/** The language of who asks: what they have chosen, for their account or in this browser, or what the browser likes. */
export function languageOf({ headers, session }: Pick<HttpRequest, 'headers' | 'session'>): Language {
  const own = session?.principal?.language ?? readCookie(headers.cookie ?? '', LANGUAGE_COOKIE);
  return readersLanguage(own, headers['accept-language']);
}

/** Who is signed in with this browser, or null. */
export function signedIn(request: HttpRequest): SignedIn | null {
  return request.session?.principal ?? null;
}

/** Whether the caller would rather have a page than the envelope. */
export function wantsPage(request: Pick<HttpRequest, 'headers'>): boolean {
  return /\btext\/html\b/.test(request.headers.accept ?? '');
}
