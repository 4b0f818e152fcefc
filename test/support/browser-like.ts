/**
 * A browser as far as pages can tell: keeps cookies, follows no redirect by itself, asks for HTML, and takes the CSRF
 * token from the last page. For tests of pages over real HTTP.
 */
import { scryptSync } from 'node:crypto';

/** A password's hash at a cost that tests can afford; it is checked like every other. */
export function quickHash(password: string): string {
  const salt = Buffer.from('test');
  const key = scryptSync(password.normalize('NFKC'), salt, 32, {
    cost: 16,
    blockSize: 8,
    parallelization: 1,
  });
  return `scrypt$4$8$1$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: string | null;
}

export class BrowserLike {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** Of the page that was seen last. */
  csrfToken = '';

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.send('GET', path, headers);
  }

  /** Sends a form with the CSRF token of the last page, unless the fields have one of their own. */
  post(
    path: string,
    fields: Record<string, string>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Seen> {
    const body = new URLSearchParams({ _csrf: this.csrfToken, ...fields });
    return this.send('POST', path, headers, body);
  }

  async send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body: URLSearchParams | FormData | null = null,
  ): Promise<Seen> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      body,
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...this.#headers, ...headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const text = await response.text();
    this.csrfToken = /<meta name="csrf-token" content="([^"]+)">/.exec(text)?.[1] ?? this.csrfToken;
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get('location'),
    };
  }
}

/** Asks for an account over the pages; nobody is signed in by it. */
export async function signUp(browser: BrowserLike, email: string, password: string): Promise<Seen> {
  await browser.get('/sign-up');
  return browser.post('/sign-up', { email, password });
}

export async function signIn(browser: BrowserLike, email: string, password: string): Promise<Seen> {
  await browser.get('/sign-in');
  return browser.post('/sign-in', { email, password });
}
