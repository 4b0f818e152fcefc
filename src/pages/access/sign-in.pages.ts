/**
 * Signing in and out with a browser: the password, and where the account has one the second factor. Wrong guesses are
 * bounded by `accounts/sessions/sign-in-guard.ts`.
 */
import { type TObject, Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import type { PasskeyParts } from '../../accounts/credentials/passkeys.ts';
import { checkCode, checkPassword, type SignInChecks } from '../../accounts/credentials/sign-in.ts';
import { hasTwoFactor, readTwoFactor } from '../../accounts/credentials/two-factor.ts';
import type { BrowserSessions } from '../../accounts/sessions/browser-sessions.ts';
import { localPath, MAX_NEXT, onwardOf, onwardQuery } from '../onward.ts';
import { PAGE, type PageOptions, type Pages, tooMany } from '../page.ts';
import { anyPasskey, ownPasskey, PasskeyQuery, passkeyTrouble } from './passkey-view.ts';

export interface SignInParts extends SignInChecks, PasskeyParts {
  readonly pages: Pages;
  readonly sessions: BrowserSessions;
}

const Next = Type.Optional(Type.String({ maxLength: MAX_NEXT }));
/** As addresses have it: where to go on to, and the amount that was typed there. */
export const OnwardQuery = Type.Object({ next: Next, amount: Type.Optional(Type.String({ maxLength: 40 })) });
export const CodeForm = Type.Object({ code: Type.String({ maxLength: 100 }), next: Next });
const SignInForm = Type.Object({
  email: Type.String({ maxLength: 1_000 }),
  password: Type.String({ maxLength: 4_000 }),
  next: Next,
});

export function signInPages(parts: SignInParts): Endpoint[] {
  return [...passwordPages(parts), ...codePages(parts), ...signOutPages(parts)];
}

/** The page of a form that leads to `next` once it is sent. */
export function formPage(
  pages: Pages,
  form: Pick<PageOptions, 'title' | 'template'>,
  named: { readonly path: string; readonly operationId: string; readonly summary: string },
): Endpoint {
  return endpoint({
    ...PAGE,
    ...named,
    method: 'GET',
    query: OnwardQuery,
    handle: async (request) => pages.html(request, { ...form, data: { next: onwardOf(request.query) } }),
  });
}

/** What sending such a form is: open to every account, whatever it may do otherwise. */
export const SENT_FORM = { ...PAGE, method: 'POST', suspendedToo: true, unconfirmedToo: true } as const;

/** A form that is shown again with what is wrong: 429 with the wait where somebody guesses too much. */
export function redrawForm(
  pages: Pages,
  request: HttpRequest,
  page: Pick<PageOptions, 'title' | 'template'> & { readonly data: object },
  wrong: { readonly message: string; readonly status: number } | { readonly waitS: number },
): Reply {
  const limited = 'waitS' in wrong;
  return pages.html(request, {
    ...page,
    data: { ...page.data, wrong: limited ? tooMany(wrong.waitS) : wrong.message },
    status: limited ? 429 : wrong.status,
    headers: limited ? { 'Retry-After': String(wrong.waitS) } : {},
  });
}

const BY_PASSKEY = { modules: ['passkeys.js'] };
const WRONG = 'The email address or the password is wrong.';
const WRONG_CODE = 'This code is wrong or has already been used.';

function passwordPages(parts: SignInParts): Endpoint[] {
  const { pages, sessions } = parts;
  const form = { title: 'Sign in', template: 'access/sign-in' };
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sign-in',
      operationId: 'signInPage',
      summary: 'The form for signing in',
      query: PasskeyQuery,
      handle: async (request) =>
        pages.html(request, {
          ...form,
          data: (session) => ({
            ...BY_PASSKEY,
            next: onwardOf(request.query),
            wrong: passkeyTrouble(request.query.passkey),
            passkey: anyPasskey(parts, request.baseUrl, session),
          }),
        }),
    }),
    endpoint({
      ...SENT_FORM,
      path: '/sign-in',
      operationId: 'signIn',
      summary: 'Signs in',
      body: { form: SignInForm },
      async handle(request): Promise<Reply> {
        const { email, next } = request.body;
        const passkey = anyPasskey(parts, request.baseUrl, request.session);
        const page = { ...form, data: { ...BY_PASSKEY, email, passkey, next: localPath(next) } };
        const checked = await checkPassword(parts, request, request.body);
        if (checked.refused !== null) return redrawForm(pages, request, page, { waitS: checked.refused });
        const { userId } = checked;
        if (userId === null) return redrawForm(pages, request, page, { message: WRONG, status: 401 });
        if (await hasTwoFactor(parts.knex, userId)) {
          parts.count('second_factor_asked');
          const way = `/sign-in/code?${onwardQuery(page.data.next)}`;
          return pages.go(way, await sessions.signInHalf(userId, request));
        }
        return signedInTo(parts, request, userId, page.data.next, 'password');
      },
    }),
  ];
}

/** The second step: who has given the password owes the code. */
function codePages(parts: SignInParts): Endpoint[] {
  const { pages, sessions } = parts;
  const form = { title: 'Second factor', template: 'access/sign-in-code' };
  const passwordFirst = (next: string) => pages.go(`/sign-in?${onwardQuery(next)}`);
  const whose = (request: HttpRequest) => sessions.pendingUser(request.session);
  const dataOf = async ({ session, baseUrl }: HttpRequest, userId: number, next: string) => ({
    ...BY_PASSKEY,
    next,
    needsPasskey: !(await readTwoFactor(parts.knex, userId)).authenticator,
    passkey: await ownPasskey(parts, { purpose: 'second_factor', userId }, baseUrl, session),
  });
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sign-in/code',
      operationId: 'signInCodePage',
      summary: 'The form for the second factor',
      query: PasskeyQuery,
      async handle(request) {
        const next = onwardOf(request.query);
        const userId = whose(request);
        if (userId === null) return passwordFirst(next);
        const data = await dataOf(request, userId, next);
        return pages.html(request, {
          ...form,
          data: { ...data, wrong: passkeyTrouble(request.query.passkey) },
        });
      },
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sign-in/code',
      operationId: 'signInCode',
      summary: 'Signs in with the second factor',
      body: { form: CodeForm },
      async handle(request) {
        const userId = whose(request);
        const next = localPath(request.body.next);
        if (userId === null) return passwordFirst(next);
        const { code } = request.body;
        const page = { ...form, data: await dataOf(request, userId, next) };
        const checked = await checkCode(parts, request, { userId, code });
        if (checked.refused !== null) return redrawForm(pages, request, page, { waitS: checked.refused });
        if (checked.userId === null)
          return redrawForm(pages, request, page, { message: WRONG_CODE, status: 401 });
        return signedInTo(parts, request, userId, page.data.next, 'second_factor');
      },
    }),
  ];
}

/** Signs a user in who has proved who they are, or for whom their team's provider vouches, and leads them on. */
export async function signedInTo(
  { knex, pages, sessions, count }: Pick<SignInParts, 'knex' | 'pages' | 'sessions' | 'count'>,
  request: HttpRequest,
  userId: number,
  next: string,
  by: 'password' | 'second_factor' | 'provider',
): Promise<Reply> {
  const session = await sessions.signIn(userId, request, by === 'provider' ? 'elsewhere' : 'given');
  const detail = { second_factor: by === 'second_factor' };
  await recordActivity(knex, { action: 'sign_in', via: 'page', userId, ip: request.ip, detail });
  count('signed_in');
  return pages.go(next, session);
}

function signOutPages({ knex, pages, sessions }: SignInParts): Endpoint[] {
  const NoFields: TObject = Type.Object({});
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sign-out',
      operationId: 'signOutPage',
      summary: 'Asks whether to sign out',
      handle: async (request) => pages.html(request, { title: 'Sign out', template: 'access/sign-out' }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sign-out',
      operationId: 'signOut',
      summary: 'Ends the session',
      body: { form: NoFields },
      suspendedToo: true,
      unconfirmedToo: true,
      async handle(request) {
        const { session, ip } = request;
        if (session === null) return pages.go('/');
        const gone = await sessions.signOut(session, request.secure);
        const userId = session.principal?.userId ?? null;
        if (userId !== null) await recordActivity(knex, { action: 'sign_out', via: 'page', userId, ip });
        return pages.go('/', gone);
      },
    }),
  ];
}
