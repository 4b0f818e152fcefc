/**
 * Signing up, in and out with a browser. Wrong guesses are counted by account and by address, over all processes; an address
 * that has no account gets the same answer, after the same time, as a wrong password.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../adapters/http/endpoint.ts';
import { rateKey } from '../../adapters/http/rate-limit.ts';
import { createUser, findUser, normalizeEmail } from '../accounts/people/accounts.ts';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, verifyPassword } from '../accounts/people/password.ts';
import type { BrowserSessions } from '../accounts/sessions/browser-sessions.ts';
import { InputError } from '../shared/input-error.ts';
import { isSecure, localPath, PAGE, type Pages } from './page.ts';

/** Counts attempts; `take` gives the seconds to wait, or null. */
export interface AttemptCounter {
  take(key: string): Promise<number | null>;
  giveBack(key: string): Promise<void>;
}

export interface SignInParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly sessions: BrowserSessions;
  readonly attempts: {
    /** By account and address together: what one guesser may do to one account. */
    readonly guesser: AttemptCounter;
    /** By account, from wherever. */
    readonly account: AttemptCounter;
    /** By address, whatever the account. */
    readonly address: AttemptCounter;
    /** Accounts made from one address. */
    readonly signUp: AttemptCounter;
  };
}

const Next = Type.Optional(Type.String({ maxLength: 500 }));
const NextQuery = Type.Object({ next: Next });
const Credentials = { email: Type.String({ maxLength: 1_000 }), password: Type.String({ maxLength: 4_000 }) };
const SignInForm = Type.Object({ ...Credentials, next: Next });
const SignUpForm = Type.Object({
  ...Credentials,
  name: Type.Optional(Type.String({ maxLength: 1_000 })),
  next: Next,
});

export function signInPages(parts: SignInParts): Endpoint[] {
  return [...signUpPages(parts), ...signInOnlyPages(parts), ...signOutPages(parts)];
}

interface Filled {
  readonly email?: string;
  readonly name?: string;
  readonly next: string;
  readonly wrong?: string;
}

function signUpPages(parts: SignInParts): Endpoint[] {
  const { knex, pages, sessions, attempts } = parts;
  const form = (request: HttpRequest, data: Filled, status = 200, headers = {}) =>
    pages.html(request, { title: 'Create an account', template: 'sign-up', data, status, headers });
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sign-up',
      operationId: 'signUpPage',
      summary: 'The form for a new account',
      query: NextQuery,
      handle: async (request) => form(request, { next: localPath(request.query.next) }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sign-up',
      operationId: 'signUp',
      summary: 'Makes an account and signs in',
      body: { form: SignUpForm },
      suspendedToo: true,
      async handle(request) {
        const { email, password, name, next } = request.body;
        const filled = { email, name: name ?? '', next: localPath(next) };
        const wait = await attempts.signUp.take(rateKey(null, request.ip));
        if (wait !== null) {
          return form(request, { ...filled, wrong: tooMany(wait) }, 429, { 'Retry-After': String(wait) });
        }
        try {
          const given = name?.trim() ? { name: name.trim() } : {};
          const user = await createUser(knex, { email, password, ...given });
          return pages.go(filled.next, await sessions.signIn(user.id, request.session, isSecure(request)));
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return form(request, { ...filled, wrong: sentenceOf(error) }, 422);
        }
      },
    }),
  ];
}

function signInOnlyPages(parts: SignInParts): Endpoint[] {
  const { pages, sessions } = parts;
  const form = (request: HttpRequest, data: Filled, status = 200, headers = {}) =>
    pages.html(request, { title: 'Sign in', template: 'sign-in', data, status, headers });
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sign-in',
      operationId: 'signInPage',
      summary: 'The form for signing in',
      query: NextQuery,
      handle: async (request) => form(request, { next: localPath(request.query.next) }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sign-in',
      operationId: 'signIn',
      summary: 'Signs in',
      body: { form: SignInForm },
      suspendedToo: true,
      async handle(request): Promise<Reply> {
        const { email, password, next } = request.body;
        const filled = { email, next: localPath(next) };
        const found = await checkCredentials(parts, request.ip, email, password);
        if ('waitS' in found) {
          const headers = { 'Retry-After': String(found.waitS) };
          return form(request, { ...filled, wrong: tooMany(found.waitS) }, 429, headers);
        }
        if (found.userId === null) return form(request, { ...filled, wrong: WRONG }, 401);
        return pages.go(filled.next, await sessions.signIn(found.userId, request.session, isSecure(request)));
      },
    }),
  ];
}

const WRONG = 'The e-mail address or the password is not right.';

type Found = { readonly userId: number | null } | { readonly waitS: number };

/** Counts the guess before looking at it, so that guesses sent at once are all counted, and takes a right one back. */
async function checkCredentials(
  { knex, attempts }: SignInParts,
  ip: string,
  email: string,
  password: string,
): Promise<Found> {
  const account = normalizeEmail(email) ?? 'nobody';
  const address = rateKey(null, ip);
  const counted = [
    [attempts.guesser, `${account}|${address}`],
    [attempts.account, account],
    [attempts.address, address],
  ] as const;
  const waits = await Promise.all(counted.map(([counter, key]) => counter.take(key)));
  const waitS = Math.max(...waits.map((wait) => wait ?? 0));
  if (waitS > 0) return { waitS };
  const user = await findUser(knex, account);
  const isRight = await verifyPassword(password, user?.password_hash ?? null);
  if (!isRight || user === null) return { userId: null };
  await Promise.all(counted.map(([counter, key]) => counter.giveBack(key)));
  return { userId: user.id };
}

function signOutPages({ pages, sessions }: SignInParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sign-out',
      operationId: 'signOutPage',
      summary: 'Asks whether to sign out',
      handle: async (request) => pages.html(request, { title: 'Sign out', template: 'sign-out' }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sign-out',
      operationId: 'signOut',
      summary: 'Ends the session',
      body: { form: Type.Object({}) },
      suspendedToo: true,
      async handle(request) {
        if (request.session === null) return pages.go('/');
        return pages.go('/', await sessions.signOut(request.session, isSecure(request)));
      },
    }),
  ];
}

function tooMany(waitS: number): string {
  const minutes = Math.ceil(waitS / 60);
  return `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

/** `password: must have …` as a sentence for people. */
function sentenceOf({ message }: InputError): string {
  if (message.startsWith('password')) {
    return `The password must have ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters.`;
  }
  if (message.endsWith('has an account already'))
    return 'There is an account with this e-mail address already.';
  if (message.startsWith('name')) return 'The name must have 1 to 200 characters.';
  return 'This is not an e-mail address.';
}
