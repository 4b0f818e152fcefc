/**
 * Finds out who is calling and whether they may: bearer tokens through the port that looks them up, cookie sessions
 * where an endpoint accepts them, abilities, and the CSRF token. The pipeline calls it first; it answers 401 and 403.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Ability, type Access, isIdentified, type Principal, type Session } from './endpoint.ts';
import { type Problem, refuse } from './problem.ts';

/** From where somebody calls; worked out only when it is read. */
export interface CallerOrigin {
  readonly ip: string;
  readonly secure: boolean;
}

/**
 * Looks a token up; null when it is unknown, revoked or expired. May answer at once from a cache. Rejects with a 429
 * `Problem` for a caller who has sent too many that were wrong.
 */
export type Authenticate = (
  bearer: string,
  from: CallerOrigin,
) => Principal | null | Promise<Principal | null>;

/** Finds the cookie session of a request. */
export interface SessionPort {
  load(request: IncomingMessage, from: CallerOrigin): Promise<Session | null>;
}

export interface Caller {
  readonly principal: Principal | null;
  readonly session: Session | null;
}

const NOBODY: Caller = { principal: null, session: null };
const BEARER = /^bearer +([\x21-\x7e]+) *$/i;

/** Who is calling; null when an `Authorization` header is there and is not a valid token. */
export function callerOf(
  request: IncomingMessage,
  from: CallerOrigin,
  access: Access,
  authenticate: Authenticate,
  sessions: SessionPort | null,
): Caller | null | Promise<Caller | null> {
  if (!isIdentified({ access })) return NOBODY;
  const header = request.headers.authorization;
  if (header !== undefined) {
    const bearer = BEARER.exec(header)?.[1];
    if (bearer === undefined) return null;
    if (access.kind === 'secret') return isSame(bearer, access.secret) ? NOBODY : null;
    const found = authenticate(bearer, from);
    return found instanceof Promise ? found.then(tokenCaller) : tokenCaller(found);
  }
  if (access.kind === 'secret') return null;
  if (!access.session || sessions === null || request.headers.cookie === undefined) return NOBODY;
  const loaded = sessions.load(request, from).then(sessionCaller);
  // Where a session only says whom a request counts to, a store that is unavailable leaves a visitor.
  return access.session === 'optional' ? loaded.catch(() => NOBODY) : loaded;
}

function tokenCaller(principal: Principal | null): Caller | null {
  return principal === null ? null : { principal, session: null };
}

function sessionCaller(session: Session | null): Caller {
  return session === null ? NOBODY : { principal: session.principal, session };
}

/** The refusal that the endpoint's access has for this caller, or null. */
export function unauthenticated(access: Access, caller: Caller | null): Problem | null {
  const isNamed = access.kind === 'token' || access.kind === 'ability';
  if (caller !== null && (!isNamed || caller.principal !== null)) return null;
  return refuse('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** 403 when the token lacks the ability; sessions and the `admin` ability pass. */
export function lacksAbility(access: Access, principal: Principal | null): Problem | null {
  if (access.kind !== 'ability' || principal === null || principal.via === 'session') return null;
  if (principal.abilities.has(access.ability) || principal.abilities.has('admin')) return null;
  return missingAbility(access.ability);
}

/** The refusal of a token without an ability; the API's description shows it too. */
export function missingAbility(ability: Ability): Problem {
  return refuse('missing_ability', {
    message: `The token lacks the ability "${ability}".`,
    data: { required: ability },
  });
}

/** Whether a request that a cookie carries proves that it comes from our own pages. */
export function csrfMatches(session: Session, sent: unknown): boolean {
  return typeof sent === 'string' && isSame(sent, session.csrfToken);
}

/** Compared in constant time; nothing is the same as an empty secret. */
function isSame(sent: string, secret: string): boolean {
  const expected = Buffer.from(secret);
  const sentBytes = Buffer.from(sent);
  return expected.length > 0 && expected.length === sentBytes.length && timingSafeEqual(expected, sentBytes);
}
