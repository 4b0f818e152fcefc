/**
 * Making an account and confirming its address. The answer to signing up is the same for a free and for a taken
 * address; nobody is signed in by it.
 */
import { randomBytes } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import { LINK_TOKEN } from '../../accounts/credentials/account-links.ts';
import {
  confirmAddress,
  type SignUpParts,
  signUp,
  signUpMessage,
} from '../../accounts/credentials/sign-up.ts';
import { hasTwoFactor } from '../../accounts/credentials/two-factor.ts';
import { cookieName, readCookie, setCookie } from '../../accounts/sessions/session-cookie.ts';
import type { AttemptCounter } from '../../accounts/sessions/sign-in-guard.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound } from '../../shared/refusal.ts';
import { localPath, onwardOf, onwardSuffix } from '../onward.ts';
import { languageOf, PAGE, signedIn } from '../page.ts';
import {
  formPage,
  OnwardQuery,
  redrawForm,
  SENT_FORM,
  type SignInParts,
  signedInTo,
} from './sign-in.pages.ts';

export interface SignUpPageParts extends SignUpParts, Pick<SignInParts, 'pages' | 'sessions' | 'count'> {
  readonly pubSub: PubSub;
  /** Accounts requested from one address. */
  readonly attempts: AttemptCounter;
  /** Passwords tried with one link. */
  readonly confirmations: AttemptCounter;
}

const SignUpForm = Type.Object({
  email: Type.String({ maxLength: 1_000 }),
  password: Type.String({ maxLength: 4_000 }),
  name: Type.Optional(Type.String({ maxLength: 1_000 })),
  next: Type.Optional(Type.String({ maxLength: 500 })),
});

export function signUpPages(parts: SignUpPageParts): Endpoint[] {
  const { pages } = parts;
  const form = { title: 'Create an account', template: 'access/sign-up' };
  return [
    formPage(pages, form, {
      path: '/sign-up',
      operationId: 'signUpPage',
      summary: 'The form for a new account',
    }),
    endpoint({
      ...SENT_FORM,
      path: '/sign-up',
      operationId: 'signUp',
      summary: 'Creates an account',
      body: { form: SignUpForm },
      async handle(request) {
        const { email, name, next } = request.body;
        const browser = signUpBrowser(request) ?? randomBytes(32).toString('base64url');
        const page = { ...form, data: { email, name: name ?? '', next: localPath(next) } };
        const waitS = await parts.attempts.take(rateKey(null, request.ip));
        if (waitS !== null) return redrawForm(pages, request, page, { waitS });
        try {
          await makeAccount(parts, request, { ...request.body, next: page.data.next }, browser);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return redrawForm(pages, request, page, { message: signUpMessage(error), status: 422 });
        }
        const data = { email: email.trim(), mailed: parts.mail.enabled, next: page.data.next };
        return pages.html(request, {
          title: 'Almost there',
          template: 'access/sign-up-sent',
          data,
          secret: true,
          headers: {
            'Set-Cookie': setCookie(browser, { secure: request.secure, maxAgeS: DAY_S, name: COOKIE }),
          },
        });
      },
    }),
    ...confirmPages(parts),
  ];
}

interface Typed {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
  readonly next: string;
}

async function makeAccount(
  parts: SignUpPageParts,
  request: HttpRequest,
  typed: Typed,
  browser: string,
): Promise<void> {
  const { ip, baseUrl } = request;
  const name = typed.name?.trim();
  const input = { email: typed.email, password: typed.password, ...(name ? { name } : {}) };
  const client = { known: false, group: 'sign-up', ip } as const;
  const onward = onwardSuffix(typed.next);
  await signUp(parts, { input, baseUrl, client, ip, browser, onward, language: languageOf(request) });
}

const COOKIE = 'rostrum.signup';
const DAY_S = 86_400;

/** What this browser keeps of a sign-up of its own. */
function signUpBrowser({ headers, secure }: HttpRequest): string | null {
  return readCookie(headers.cookie ?? '', cookieName(COOKIE, secure));
}

/**
 * Where the mailed link leads. Opened in another browser it asks for the password that was chosen, so that nobody
 * confirms for a stranger who has signed up with their address. A link that is prefetched (HEAD) is not used up by it.
 */
function confirmPages(parts: SignUpPageParts): Endpoint[] {
  const { pages } = parts;
  const path = '/confirm/{token}';
  const params = Type.Object({ token: Type.String({ pattern: LINK_TOKEN }) });
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path,
      operationId: 'confirmAddress',
      summary: 'Confirms an email address',
      params,
      query: OnwardQuery,
      async handle(request) {
        if (request.method === 'HEAD')
          return pages.html(request, { ...CONFIRM_PAGE, data: { state: 'seen' } });
        return confirm(parts, request, { token: request.params.token, password: null });
      },
    }),
    endpoint({
      ...SENT_FORM,
      path,
      operationId: 'confirmAddressByPassword',
      summary: 'Confirms an email address, in another browser than that of the sign-up',
      params,
      query: OnwardQuery,
      body: { form: Type.Object({ password: Type.String({ maxLength: 4_000 }) }) },
      async handle(request) {
        const { token } = request.params;
        const waitS = await parts.confirmations.take(token);
        if (waitS !== null)
          return redrawForm(pages, request, { ...CONFIRM_PAGE, data: { state: 'asked' } }, { waitS });
        return confirm(parts, request, { token, password: request.body.password });
      },
    }),
  ];
}

const CONFIRM_PAGE = {
  title: 'Your email address',
  template: 'access/confirmed',
  secret: true,
  headers: { 'Referrer-Policy': 'no-referrer' },
} as const;

const WRONG = 'This is not the password that was chosen when the account was requested.';

async function confirm(
  parts: SignUpPageParts,
  request: HttpRequest & { readonly query: Static<typeof OnwardQuery> },
  { token, password }: { readonly token: string; readonly password: string | null },
): Promise<Reply> {
  const { knex, pages, pubSub } = parts;
  const { ip } = request;
  const next = onwardOf(request.query);
  const found = await confirmAddress(knex, token, {
    browser: signUpBrowser(request),
    userId: signedIn(request)?.userId ?? null,
    password,
    client: { known: false, group: 'confirm', ip },
  });
  if (found.kind === 'over') throw notFound(OVER);
  if (found.kind === 'wrong_password')
    return redrawForm(
      pages,
      request,
      { ...CONFIRM_PAGE, data: { state: 'asked' } },
      { message: WRONG, status: 401 },
    );
  if (found.kind !== 'confirmed') return pages.html(request, { ...CONFIRM_PAGE, data: { state: 'asked' } });
  const { userId, ids } = found;
  await announceAccountChange(pubSub, { userIds: ids });
  await recordActivity(knex, { action: 'confirm_address', via: 'link', userId, ip });
  const here = signedIn(request)?.userId === userId;
  // Whoever has just given the password need not give it again where they go on to.
  if (password !== null && !here && next !== '/' && !(await hasTwoFactor(knex, userId)))
    return signedInTo(parts, request, userId, next, 'password');
  return pages.html(request, { ...CONFIRM_PAGE, data: { state: 'confirmed', here, next } });
}

const OVER =
  'This link has been used, or is older than 24 hours. If your address is confirmed you can sign ' +
  'in; otherwise sign in and ask for a new link under Security.';
