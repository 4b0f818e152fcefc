/** A real OpenID Connect provider on this machine, with its own pages for signing in, and somebody who goes through them. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BrowserLike } from './browser-like.ts';

export interface OpenIdProvider {
  readonly issuer: string;
  /** Goes where a site has sent a browser, as this person, and gives the address that the site gets them back at. */
  signIn(to: string, login: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { client_id: 'auctions', client_secret: 'a-long-random-secret-for-tests' } as const;

export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const server: Server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await quietly(
    async () =>
      new (await import('oidc-provider')).default(issuer, {
        clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email'] },
        conformIdTokenClaims: false,
        ttl: {
          AccessToken: 600,
          AuthorizationCode: 60,
          Grant: 600,
          IdToken: 600,
          Interaction: 600,
          Session: 600,
        },
        cookies: { keys: ['only-for-tests'] },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, email: `${id}@house.example` }),
        }),
      }),
  );
  server.on('request', provider.callback());
  return {
    issuer,
    signIn: (to, login) => quietly(() => goThrough(issuer, to, login)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function goThrough(issuer: string, to: string, login: string): Promise<string> {
  const browser = new BrowserLike(issuer);
  let path = to.slice(issuer.length);
  for (let steps = 0; steps < 20; steps += 1) {
    const seen = await browser.get(path);
    const target = seen.location ?? (await answer(browser, seen.text, login)).location;
    if (target === null)
      throw new Error(`the provider leads nowhere: ${seen.status} ${seen.text.slice(0, 300)}`);
    const url = new URL(target, issuer);
    if (url.origin !== issuer) return url.href;
    path = `${url.pathname}${url.search}`;
  }
  throw new Error('the provider leads in circles');
}

/** Sends the form that the provider shows: who one is, or that one agrees. */
function answer(browser: BrowserLike, page: string, login: string) {
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const fields: Record<string, string> = { prompt };
  if (prompt === 'login') Object.assign(fields, { login, password: 'any' });
  return browser.post(new URL(action, 'http://127.0.0.1').pathname, fields);
}

/** It warns that its own pages are not for production, which this is not. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
