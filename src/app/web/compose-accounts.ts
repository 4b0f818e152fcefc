/**
 * The pages about people's own accounts, put together, with the endpoints that check passwords as they do: signing up,
 * in and out, addresses, passwords, second factors, activity.
 */

import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { IdentityProviders } from '../../../adapters/openid/identity-provider.ts';
import { Attempts } from '../../../adapters/redis/attempts.ts';
import type { RedisLink } from '../../../adapters/redis/link.ts';
import { urlFault } from '../../../adapters/webhooks/address-guard.ts';
import { guardedFetch } from '../../../adapters/webhooks/guarded-lookup.ts';
import { emailChangeEndpoints } from '../../accounts/credentials/email-changes.endpoints.ts';
import { CHALLENGE_LIVES_S, PasskeyChallenges } from '../../accounts/credentials/passkey-challenges.ts';
import { passkeyEndpoints } from '../../accounts/credentials/passkeys.endpoints.ts';
import type { SignInResult } from '../../accounts/credentials/sign-in.ts';
import { SignInLocations } from '../../accounts/credentials/sign-in-locations.ts';
import type { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import type { BrowserSessions } from '../../accounts/sessions/browser-sessions.ts';
import { SignInGuard } from '../../accounts/sessions/sign-in-guard.ts';
import { teamSignInEndpoints } from '../../accounts/teams/team-sign-in.endpoints.ts';
import { passkeySignInPages } from '../../pages/access/passkey-sign-in.pages.ts';
import { passwordPages } from '../../pages/access/password.pages.ts';
import { provePages } from '../../pages/access/prove.pages.ts';
import { signInPages } from '../../pages/access/sign-in.pages.ts';
import { signUpPages } from '../../pages/access/sign-up.pages.ts';
import { teamSignInPages } from '../../pages/access/team-sign-in.pages.ts';
import { activityPages } from '../../pages/account/activity.pages.ts';
import { emailChangePages } from '../../pages/account/email-change.pages.ts';
import { passkeyPages } from '../../pages/account/passkeys.pages.ts';
import { sandboxPages } from '../../pages/account/sandbox.pages.ts';
import { securityPages } from '../../pages/account/security.pages.ts';
import { teamLinkPages } from '../../pages/account/team-link.pages.ts';
import { twoFactorPages } from '../../pages/account/two-factor.pages.ts';
import type { Pages } from '../../pages/page.ts';
import type { Log } from '../../shared/log.ts';
import { requireUrl } from '../../webhooks/subscription-url.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';

/** Each challenge is taken once. */
const PASSKEYS_TAKEN = { name: 'passkey-challenges', attempts: 1, perSeconds: CHALLENGE_LIVES_S };

/** Where a team's provider may be: by the rules of webhooks. */
function issuerRules({ webhookAllowLoopback }: Pick<Config, 'webhookAllowLoopback'>) {
  return (url: string) => requireUrl(url, { allowLoopback: webhookAllowLoopback }, 'issuer');
}

export interface AccountPageParts {
  readonly config: Pick<
    Config,
    'appSecrets' | 'paymentSandbox' | 'paymentWebhookSecret' | 'webhookAllowLoopback'
  >;
  readonly log: Log;
  readonly backends: Pick<Backends, 'knex' | 'redis' | 'pubSub'>;
  readonly pages: Pages;
  readonly sessions: BrowserSessions;
  readonly mail: MailOutbox;
  readonly countSignIn: (result: SignInResult) => void;
}

const TEN_MINUTES_S = 600;
const HOUR_S = 3_600;
/** Of a million, three are right at any moment. */
export const CODES_PER_DAY = { name: 'codes-per-day', attempts: 100, perSeconds: 86_400 };

export function composeAccountPages(parts: AccountPageParts): Endpoint[] {
  const { config, backends, pages, sessions, mail, countSignIn } = parts;
  const { knex, redis, pubSub } = backends;
  const checks = {
    knex,
    pages,
    sessions,
    secrets: config.appSecrets,
    locations: new SignInLocations(knex),
    passwords: guardOf(redis.timely, 'password', { address: 30, account: 100 }),
    codes: guardOf(redis.timely, 'code', { address: 10, account: 30 }),
    codesPerDay: new Attempts(redis.timely, CODES_PER_DAY),
    count: countSignIn,
    challenges: new PasskeyChallenges(config.appSecrets, new Attempts(redis.timely, PASSKEYS_TAKEN)),
  };
  const hourly = (name: string) => new Attempts(redis.timely, { name, attempts: 200, perSeconds: HOUR_S });
  const { webhookAllowLoopback: allowLoopback } = config;
  const providers = new IdentityProviders({
    fetch: guardedFetch({ allowLoopback }),
    allowInsecure: allowLoopback,
    faultOf: (url) => urlFault(url, { allowLoopback }),
  });
  const security = { ...checks, mail, pubSub };
  const tried = (name: string) => new Attempts(redis.timely, { name, attempts: 20, perSeconds: HOUR_S });
  return [
    ...emailChangeEndpoints({ ...checks, mail }),
    ...passkeyEndpoints(knex),
    ...emailChangePages({ ...security, confirmations: tried('email-change') }),
    ...signInPages(checks),
    ...passkeySignInPages(checks),
    ...provePages(checks),
    ...signUpPages({ ...security, attempts: hourly('sign-up'), confirmations: tried('confirm') }),
    ...passwordPages({ ...security, known: sessions.known, attempts: hourly('password-reset') }),
    ...securityPages(security),
    ...twoFactorPages(security),
    ...teamSignInEndpoints({ ...checks, providers, requireIssuer: issuerRules(config) }),
    ...teamSignInPages({ ...checks, providers, log: parts.log, ways: hourly('team-sign-in') }),
    ...teamLinkPages(security),
    ...passkeyPages(security),
    ...activityPages({ knex, pages }),
    ...(config.paymentSandbox ? sandboxPages({ knex, pages, secret: config.paymentWebhookSecret }) : []),
  ];
}

/**
 * What is left to an address of an account whose own counter is spent: no stranger can lock it, and nobody guesses
 * much.
 */
const TRIES_LEFT = 3;

/** How many wrong guesses in ten minutes: of an address or a known browser, and of an account over all addresses. */
function guardOf(
  link: RedisLink,
  what: string,
  max: { readonly address: number; readonly account: number },
): SignInGuard {
  const counter = (name: string, attempts: number) =>
    new Attempts(link, { name: `${what}-${name}`, attempts, perSeconds: TEN_MINUTES_S });
  return new SignInGuard({
    address: counter('address', max.address),
    browser: counter('browser', max.address),
    account: counter('account', max.account),
    spent: counter('spent', TRIES_LEFT),
  });
}
