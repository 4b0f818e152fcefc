/**
 * The session cookie: a random id and its signature under APP_SECRET. The CSRF token of a session follows from the id
 * and the secret, so that a visitor who only opens a form costs no memory anywhere. Older secrets are accepted until
 * they are removed from the list.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The name that the API's description gives. Over TLS it has the prefix that binds it to this host alone. */
export const SESSION_COOKIE = 'rostrum.sid';
const HOST_PREFIX = '__Host-';

/** What a cookie of ours is called. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `${HOST_PREFIX}${name}` : name;
}

/** The value of a cookie in a `Cookie` header, or null. */
export function readCookie(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return null;
}

/** `visitor`: known to nobody but their browser. `user`: kept by the store. */
export type SessionKind = 'visitor' | 'user';

export interface SignedSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly csrfToken: string;
}

const VALUE = /^([vu][A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

export class CookieSigner {
  readonly #secrets: readonly [string, ...string[]];

  /** The first secret signs. */
  constructor(secrets: readonly [string, ...string[]]) {
    this.#secrets = secrets;
  }

  /** A session with a fresh id, and the value of its cookie. */
  issue(kind: SessionKind): SignedSession & { readonly value: string } {
    const id = (kind === 'user' ? 'u' : 'v') + randomBytes(32).toString('base64url');
    const [secret] = this.#secrets;
    return { ...sessionOf(id, secret), value: `${id}.${mac(secret, 'session', id)}` };
  }

  /**
   * The session that a `Cookie` header carries, or null where none of ours is in it. Over TLS only the bound cookie
   * counts: the plain one may have been planted over an open line.
   */
  read(header: string, secure: boolean): SignedSession | null {
    const [, id, signature] = VALUE.exec(readCookie(header, cookieName(SESSION_COOKIE, secure)) ?? '') ?? [];
    if (id === undefined || signature === undefined) return null;
    const secret = this.#signedWith(id, signature);
    return secret === undefined ? null : sessionOf(id, secret);
  }

  #signedWith(id: string, signature: string): string | undefined {
    const signatureBytes = Buffer.from(signature);
    return this.#secrets.find((secret) =>
      timingSafeEqual(Buffer.from(mac(secret, 'session', id)), signatureBytes),
    );
  }
}

/** A `Set-Cookie` value; without a lifetime it goes when the browser is closed. */
export function setCookie(
  value: string,
  options: { secure: boolean; maxAgeS?: number; name?: string },
): string {
  const name = cookieName(options.name ?? SESSION_COOKIE, options.secure);
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  if (options.maxAgeS !== undefined) parts.push(`Max-Age=${options.maxAgeS}`);
  if (options.secure) parts.push('Secure');
  return parts.join('; ');
}

function sessionOf(id: string, secret: string): SignedSession {
  return { id, kind: id.startsWith('u') ? 'user' : 'visitor', csrfToken: mac(secret, 'csrf', id) };
}

function mac(secret: string, purpose: string, id: string): string {
  return createHmac('sha256', secret).update(`${purpose}:${id}`).digest('base64url');
}
