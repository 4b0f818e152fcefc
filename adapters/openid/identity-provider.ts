/**
 * Signing in at an OpenID Connect provider of somebody else: the way there, and who came back. Code flow with PKCE,
 * state and nonce; the ID token is verified by `openid-client`, loaded when it is first needed. What is fetched goes
 * through the given `fetch`, because the provider's addresses are others' words.
 */
import { LRUCache } from 'lru-cache';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the browser keeps between the way there and the way back. */
export interface Pass {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who came back: `subject` is theirs at this provider for good, the rest is what it says of them. */
export interface Identity {
  readonly subject: string;
  readonly email: string | null;
}

export interface IdentityProviderOptions {
  readonly fetch: typeof fetch;
  /** Plain HTTP too, as far as `fetch` takes it: for tests and development. */
  readonly allowInsecure: boolean;
  /** What is wrong with an address that browsers are sent to, or null. */
  readonly faultOf: (url: string) => string | null;
}

/** The provider did not answer, or not as it must. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
}

const KEPT_MS = 600_000;
const MAX_KEPT = 100;
const MAX_TEXT = 255;
const library = () => import('openid-client');

export class IdentityProviders {
  readonly #options: IdentityProviderOptions;
  readonly #known = new LRUCache<string, Promise<Configuration>>({ max: MAX_KEPT, ttl: KEPT_MS });

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
  }

  /** Rejects with `ProviderFailed` where the provider cannot be read. */
  async check(settings: ProviderSettings): Promise<void> {
    this.#known.delete(JSON.stringify(settings));
    await this.#configurationOf(settings);
  }

  /** Where to send the browser, and what it has to bring back. */
  async begin(settings: ProviderSettings, redirectUri: string): Promise<{ to: string; pass: Pass }> {
    const client = await library();
    const configuration = await this.#configurationOf(settings);
    const pass = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const to = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: pass.state,
      nonce: pass.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pass.verifier),
      code_challenge_method: 'S256',
    });
    const fault = this.#options.faultOf(`${to.origin}${to.pathname}`);
    if (fault !== null) throw new ProviderFailed(`its authorization endpoint ${fault}`);
    return { to: to.href, pass };
  }

  /** Who came back at this address, with the query that the provider gave it. Rejects with `ProviderFailed`. */
  async finish(settings: ProviderSettings, address: string, pass: Pass): Promise<Identity> {
    const client = await library();
    const configuration = await this.#configurationOf(settings);
    const tokens = await client
      .authorizationCodeGrant(configuration, new URL(address), {
        expectedState: pass.state,
        expectedNonce: pass.nonce,
        pkceCodeVerifier: pass.verifier,
        idTokenExpected: true,
      })
      .catch(failed);
    const claims = tokens.claims();
    if (claims === undefined || claims.sub.length > MAX_TEXT) throw new ProviderFailed('it named nobody');
    const { email } = claims;
    return {
      subject: claims.sub,
      email: typeof email === 'string' && email.length < MAX_TEXT ? email : null,
    };
  }

  #configurationOf(settings: ProviderSettings): Promise<Configuration> {
    const key = JSON.stringify(settings);
    const known = this.#known.get(key) ?? this.#discover(settings);
    this.#known.set(key, known, { noUpdateTTL: true });
    known.catch(() => this.#known.delete(key));
    return known;
  }

  async #discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
    const client = await library();
    const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
    // As a header where the provider takes that, which is the standard's default.
    const authentication: ClientAuth = (server, ...rest) => {
      const { token_endpoint_auth_methods_supported: taken = ['client_secret_basic'] } = server;
      return (taken.includes('client_secret_basic') ? basic : post)(server, ...rest);
    };
    return client
      .discovery(new URL(issuer), clientId, undefined, authentication, {
        // Cast: it takes fewer kinds of requests than `fetch` does.
        [client.customFetch]: this.#options.fetch as CustomFetch,
        execute: this.#options.allowInsecure ? [client.allowInsecureRequests] : [],
      })
      .catch(failed);
  }
}

function failed(error: unknown): never {
  const why = error instanceof Error ? error.message : 'for no known reason';
  throw new ProviderFailed(why, { cause: error });
}
