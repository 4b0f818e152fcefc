/**
 * Browser sessions: who is behind a cookie, and what signing in and out does to it. The HTTP side asks `load` on pages and
 * media endpoints; the pages call the rest. A store and signed cookies of our own and not koa-session, because that
 * hangs on Koa's context, which no handler sees, and would keep an entry for every visitor who only looks at a form.
 */
import type { IncomingMessage } from 'node:http';
import type { SessionPort } from '../../../adapters/http/authenticate.ts';
import type { Principal, Session } from '../../../adapters/http/endpoint.ts';
import { CookieSigner, type SignedSession, setCookie } from './session-cookie.ts';

/** Where signed-in sessions are kept. */
export interface SessionStore {
  save(id: string, userId: number): Promise<void>;
  find(id: string): Promise<number | null>;
  end(id: string): Promise<void>;
}

export const SESSION_LIFETIME = { idleMs: 7 * 86_400_000, absoluteMs: 30 * 86_400_000 } as const;

/** A session and the cookie that hands it to the browser. */
export interface NewSession {
  readonly session: Session;
  readonly cookie: string;
}

export interface SessionParts {
  readonly store: SessionStore;
  readonly secrets: readonly [string, ...string[]];
  /** The user as they are now; null when they are gone. */
  readonly readPrincipal: (userId: number) => Promise<Principal | null>;
}

/** What is known of a user is believed this long: a suspension holds on every process within a second. */
const BELIEVED_MS = 500;
const MOST_REMEMBERED = 10_000;

export class BrowserSessions implements SessionPort {
  readonly #store: SessionStore;
  readonly #signer: CookieSigner;
  readonly #readPrincipal: SessionParts['readPrincipal'];
  readonly #remembered = new Map<number, { principal: Promise<Principal | null>; readAtMs: number }>();

  constructor({ store, secrets, readPrincipal }: SessionParts) {
    this.#store = store;
    this.#signer = new CookieSigner(secrets);
    this.#readPrincipal = readPrincipal;
  }

  /** The session of a request; one that has ended goes on as a visitor's. Rejects when the store is away. */
  async load(request: IncomingMessage): Promise<Session | null> {
    const signed = this.#signer.read(request.headers.cookie ?? '');
    if (signed === null) return null;
    const userId = signed.kind === 'user' ? await this.#store.find(signed.id) : null;
    return asSession(signed, userId === null ? null : await this.#principal(userId));
  }

  /** A visitor's session: it proves that a form came from our own page, and nothing else. */
  visit(secure: boolean): NewSession {
    const { value, ...signed } = this.#signer.issue('visitor');
    return { session: asSession(signed, null), cookie: setCookie(value, { secure }) };
  }

  /** Signs a user in, under a new id whatever the browser came with; the session before ends. */
  async signIn(userId: number, before: Session | null, secure: boolean): Promise<NewSession> {
    const { value, ...signed } = this.#signer.issue('user');
    await this.#store.save(signed.id, userId);
    if (before !== null) await this.#store.end(before.id);
    const principal = await this.#readPrincipal(userId);
    const maxAgeS = SESSION_LIFETIME.absoluteMs / 1000;
    return { session: asSession(signed, principal), cookie: setCookie(value, { secure, maxAgeS }) };
  }

  /** Ends a session on every process and hands out a visitor's. */
  async signOut(session: Session, secure: boolean): Promise<NewSession> {
    await this.#store.end(session.id);
    return this.visit(secure);
  }

  #principal(userId: number): Promise<Principal | null> {
    const now = performance.now();
    const known = this.#remembered.get(userId);
    if (known !== undefined && now - known.readAtMs < BELIEVED_MS) return known.principal;
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    const principal = this.#readPrincipal(userId);
    this.#remembered.set(userId, { principal, readAtMs: now });
    principal.catch(() => this.#remembered.delete(userId));
    return principal;
  }
}

function asSession({ id, csrfToken }: SignedSession, principal: Principal | null): Session {
  return { id, csrfToken, principal };
}
