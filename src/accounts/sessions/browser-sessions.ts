/**
 * Browser sessions: who is behind a cookie, and what signing in and out does to it. The HTTP side calls `load` on pages
 * and media endpoints; the pages call the rest. A store and signed cookies of our own and not koa-session, because that
 * hangs on Koa's context, which no handler sees, and would keep an entry for every visitor who only opens a form.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CallerOrigin, SessionPort } from '../../../adapters/http/authenticate.ts';
import type { HttpRequest, Session } from '../../../adapters/http/endpoint.ts';
import type { ListedSession, StoredSession } from '../../../adapters/redis/sessions.ts';
import type { SessionUser } from '../tokens/principal-rows.ts';
import { KnownBrowsers } from './known-browser.ts';
import { CookieSigner, type SignedSession, setCookie } from './session-cookie.ts';

/** Where signed-in sessions are kept; `adapters/redis/sessions.ts` says what each does. */
export interface SessionStore {
  save(id: string, session: StoredSession, livesMs?: number): Promise<void>;
  find(id: string): Promise<StoredSession | null>;
  replace(id: string, session: StoredSession): Promise<void>;
  end(id: string): Promise<void>;
  list(userId: number): Promise<ListedSession[]>;
  endByRef(userId: number, ref: string): Promise<void>;
  /** What the session with this id is called in the list. */
  refOf(id: string): string;
}

export const SESSION_LIFETIME = { idleMs: 7 * 86_400_000, absoluteMs: 30 * 86_400_000 } as const;
/** How long the second factor may take. */
const PENDING_MS = 600_000;
/** How long somebody counts as having just proved who they are. */
const PROOF_MS = 900_000;
/** In place of the moment of a proof: the second factor is owed. */
const PENDING = 0;
/** In place of it: signed in, and nothing was proved. */
const LONG_AGO = 1;

/**
 * What a sign-in says of who somebody is. `given`: they have just proved it here. `kept`: as much as the session before
 * it did. `elsewhere`: others vouch for them, and what needs a proof asks for one.
 */
export type SignInProof = 'given' | 'kept' | 'elsewhere';

/** A session and the cookies that hand it to the browser. */
export interface NewSession {
  readonly session: Session;
  readonly cookies: readonly string[];
}

export interface SessionParts {
  readonly store: SessionStore;
  readonly secrets: readonly [string, ...string[]];
  /** The present row of the user; null if it was deleted. */
  readonly readUser: (userId: number) => Promise<SessionUser | null>;
}

/** The parts of a request that a session is made from. */
export type Visit = Pick<HttpRequest, 'session' | 'secure' | 'ip' | 'headers'>;

/** What is known of a user is believed this long: a suspension holds on every process within a second. */
const BELIEVED_MS = 500;
const MAX_CACHED = 10_000;
const MAX_AGENT = 300;
/** Of one user's sessions. */
const MAX_MARKS = 50;

interface CachedUser {
  readonly user: Promise<SessionUser | null>;
  readonly readAtMs: number;
  /** Of the sessions that were renewed before it was read. */
  readonly marks: Set<string>;
}

export class BrowserSessions implements SessionPort {
  readonly known: KnownBrowsers;
  readonly #store: SessionStore;
  readonly #signer: CookieSigner;
  readonly #readUser: SessionParts['readUser'];
  readonly #users = new Map<number, CachedUser>();
  /** What the store returned about the sessions of running requests. */
  readonly #stored = new WeakMap<Session, StoredSession>();

  constructor({ store, secrets, readUser }: SessionParts) {
    this.#store = store;
    this.#signer = new CookieSigner(secrets);
    this.known = new KnownBrowsers(secrets);
    this.#readUser = readUser;
  }

  /** The session of a request; one that has ended continues as a visitor's. Rejects when the store is unavailable. */
  async load(request: IncomingMessage, { secure }: CallerOrigin): Promise<Session | null> {
    const signed = this.#signer.read(request.headers.cookie ?? '', secure);
    if (signed === null) return null;
    const stored = signed.kind === 'user' ? await this.#store.find(signed.id) : null;
    const user = stored === null ? null : await this.#userOf(stored);
    if (stored === null || user === null) return asSession(signed, null);
    const session = asSession(signed, isPending(stored) ? null : user);
    this.#stored.set(session, stored);
    return session;
  }

  /** A visitor's session: it proves that a form came from our own page, and nothing else. */
  visit(secure: boolean): NewSession {
    const { value, ...signed } = this.#signer.issue('visitor');
    return { session: asSession(signed, null), cookies: [setCookie(value, { secure })] };
  }

  /** Signs a user in, under a new id whatever the browser came with; the session before ends. */
  async signIn(userId: number, visit: Visit, proof: SignInProof = 'given'): Promise<NewSession> {
    const made = await this.#begin(userId, visit, proof);
    const known = this.known.cookieFor(userId, visit.headers.cookie, visit.secure);
    return { ...made, cookies: [...made.cookies, known] };
  }

  /** After the password, before the second factor: nobody is signed in yet. `pendingUser` says whose sign-in it is. */
  signInHalf(userId: number, visit: Visit): Promise<NewSession> {
    return this.#begin(userId, visit, 'half');
  }

  /** Who has given their password in this session and still owes the second factor, or null. */
  pendingUser(session: Session | null): number | null {
    const stored = session === null ? undefined : this.#stored.get(session);
    return stored !== undefined && isPending(stored) ? stored.userId : null;
  }

  /** Whether the user of this session has proved in the last quarter of an hour who they are. */
  hasProof(session: Session): boolean {
    const { provedAtMs = 0 } = this.#stored.get(session) ?? {};
    return Date.now() - provedAtMs < PROOF_MS;
  }

  /** The generation that a session of a request belongs to; null for a visitor's. */
  generationOf(session: Session): number | null {
    return this.#stored.get(session)?.generation ?? null;
  }

  /** Notes that the user of this session has just proved who they are. */
  async prove(session: Session): Promise<void> {
    const stored = this.#stored.get(session);
    if (stored === undefined) return;
    const proved = { ...stored, provedAtMs: Date.now() };
    await this.#store.replace(session.id, proved);
    this.#stored.set(session, proved);
  }

  /** The next request of this session, on any process, knows what its user is now. */
  async renew(session: Session): Promise<void> {
    const stored = this.#stored.get(session);
    if (stored === undefined) return;
    const renewed = { ...stored, mark: randomUUID() };
    await this.#store.replace(session.id, renewed);
    this.#stored.set(session, renewed);
  }

  /** Ends a session on every process and issues a visitor's. */
  async signOut(session: Session, secure: boolean): Promise<NewSession> {
    await this.#store.end(session.id);
    return this.visit(secure);
  }

  /** The sessions of a user that are signed in, newest first; `current` marks the session of the request. */
  async list(
    userId: number,
    ownSession: Session,
  ): Promise<(ListedSession & { readonly current: boolean })[]> {
    const [user, sessions] = await Promise.all([this.#readUser(userId), this.#store.list(userId)]);
    const own = this.#store.refOf(ownSession.id);
    return sessions
      .filter((session) => !isPending(session) && session.generation === user?.generation)
      .map((session) => ({ ...session, current: session.ref === own }));
  }

  /** Ends one of a user's own sessions. */
  endByRef(userId: number, ref: string): Promise<void> {
    return this.#store.endByRef(userId, ref);
  }

  async #begin(userId: number, { session: before, secure, ip, headers }: Visit, proof: SignInProof | 'half') {
    const half = proof === 'half';
    const { value, ...signed } = this.#signer.issue('user');
    // Not from memory: a password that was changed a moment ago has begun a new generation.
    const user = await this.#readUser(userId);
    const now = Date.now();
    const stored: StoredSession = {
      userId,
      generation: user?.generation ?? 0,
      createdAtMs: now,
      provedAtMs: this.#provedAtMs(proof, before, now),
      ip,
      agent: String(headers['user-agent'] ?? '').slice(0, MAX_AGENT),
    };
    await this.#store.save(signed.id, stored, half ? PENDING_MS : SESSION_LIFETIME.absoluteMs);
    if (before !== null) await this.#store.end(before.id);
    const session = asSession(signed, half ? null : user);
    this.#stored.set(session, stored);
    const maxAgeS = (half ? PENDING_MS : SESSION_LIFETIME.absoluteMs) / 1000;
    return { session, cookies: [setCookie(value, { secure, maxAgeS })] };
  }

  #provedAtMs(proof: SignInProof | 'half', before: Session | null, now: number): number {
    if (proof === 'given') return now;
    if (proof === 'half') return PENDING;
    const kept = proof === 'kept' && before !== null ? this.#stored.get(before)?.provedAtMs : undefined;
    return kept ?? LONG_AGO;
  }

  /** The session's user; null if they were deleted, or have ended all sessions since. */
  async #userOf({ userId, generation, mark }: StoredSession): Promise<SessionUser | null> {
    const believed = await this.#cachedUser(userId, mark, false);
    if (believed?.generation === generation) return believed;
    // What is cached may be older than the session.
    const user = await this.#cachedUser(userId, mark, (believed?.generation ?? 0) < generation);
    return user?.generation === generation ? user : null;
  }

  /** Not from before the session was renewed, of which its mark tells. */
  #cachedUser(userId: number, mark: string | undefined, anew: boolean): Promise<SessionUser | null> {
    const now = performance.now();
    const known = this.#users.get(userId);
    const marks = known?.marks ?? new Set<string>();
    const isOlder = mark !== undefined && !marks.has(mark);
    if (!anew && !isOlder && known !== undefined && now - known.readAtMs < BELIEVED_MS) return known.user;
    if (this.#users.size >= MAX_CACHED) this.#users.clear();
    if (marks.size >= MAX_MARKS) marks.clear();
    if (mark !== undefined) marks.add(mark);
    const user = this.#readUser(userId);
    this.#users.set(userId, { user, readAtMs: now, marks });
    user.catch(() => this.#users.delete(userId));
    return user;
  }
}

function isPending({ provedAtMs }: StoredSession): boolean {
  return provedAtMs === PENDING;
}

function asSession({ id, csrfToken }: SignedSession, user: SessionUser | null): Session {
  return { id, csrfToken, principal: user?.principal ?? null };
}
