/**
 * Browsers that have signed in before: a cookie with an id of the browser and, for each account it has signed in to,
 * a signature under APP_SECRET. Nobody can make one for an account without having signed in to it, so a stranger's
 * guesses never count against such a browser. It lets nobody in. A browser in which a mailed link for a new password
 * was used is known too, but only at the password: someone who reads the mails must give the second factor like any
 * stranger.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { cookieName, readCookie, setCookie } from './session-cookie.ts';

const COOKIE = 'rostrum.known';
const VALUE = /^([A-Za-z0-9_-]{22})((?:~[A-Za-z0-9_-]{22}){0,5})$/;
const MAX_ACCOUNTS = 5;
const YEAR_S = 365 * 86_400;

/** How a browser came to be known. */
type Acquaintance = 'signed in' | 'mailed link';

export class KnownBrowsers {
  readonly #secrets: readonly [string, ...string[]];

  constructor(secrets: readonly [string, ...string[]]) {
    this.#secrets = secrets;
  }

  /** Whether the browser has signed in to any account before, as far as its cookie says. */
  isCandidate(cookies: string | undefined, secure: boolean): boolean {
    return read(cookies, secure).id !== null;
  }

  /** The browser's id, where it has signed in to this account before; otherwise null. */
  idFor(userId: number, cookies: string | undefined, secure: boolean): string | null {
    return this.#idFor(userId, read(cookies, secure), ['signed in']);
  }

  /** The same at the password: a browser in which a mailed link for a new one was used is no stranger there. */
  idAtPassword(userId: number, cookies: string | undefined, secure: boolean): string | null {
    return this.#idFor(userId, read(cookies, secure), ['signed in', 'mailed link']);
  }

  #idFor(userId: number, { id, signatures }: Read, ways: readonly Acquaintance[]): string | null {
    if (id === null) return null;
    const known = this.#secrets.some((secret) =>
      ways.some((how) => {
        const expected = Buffer.from(sign(secret, id, userId, how));
        return signatures.some((signature) => timingSafeEqual(Buffer.from(signature), expected));
      }),
    );
    return known ? id : null;
  }

  /** The cookie of a browser that has just signed in to this account, or used a link that was mailed for it. */
  cookieFor(
    userId: number,
    cookies: string | undefined,
    secure: boolean,
    how: Acquaintance = 'signed in',
  ): string {
    const there = read(cookies, secure);
    const id = there.id ?? randomBytes(16).toString('base64url');
    const own = sign(this.#secrets[0], id, userId, how);
    const others = there.signatures.filter((signature) => signature !== own);
    const value = [id, own, ...others.slice(0, MAX_ACCOUNTS - 1)].join('~');
    return setCookie(value, { secure, maxAgeS: YEAR_S, name: COOKIE });
  }
}

interface Read {
  readonly id: string | null;
  readonly signatures: readonly string[];
}

function read(cookies: string | undefined, secure: boolean): Read {
  const value = readCookie(cookies ?? '', cookieName(COOKIE, secure)) ?? '';
  const [id, ...signatures] = VALUE.test(value) ? value.split('~') : [];
  return { id: id ?? null, signatures };
}

function sign(secret: string, id: string, userId: number, how: Acquaintance): string {
  const name = how === 'signed in' ? 'known browser' : how;
  return createHmac('sha256', secret).update(`${name}:${id}:${userId}`).digest('base64url').slice(0, 22);
}
