/**
 * A new password by mail, for people who have forgotten theirs. The answer is the same for every address; the link
 * works once, for 30 minutes, and signs nobody in, so that it never goes around a second factor. Guesses at the account
 * no longer delay the browser in which the link was used.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import { findLink, LINK_TOKEN } from '../../accounts/credentials/account-links.ts';
import { inEvenTime } from '../../accounts/credentials/even-time.ts';
import {
  type PasswordParts,
  requestReset,
  resetPassword,
} from '../../accounts/credentials/password-changes.ts';
import { signUpMessage } from '../../accounts/credentials/sign-up.ts';
import type { KnownBrowsers } from '../../accounts/sessions/known-browser.ts';
import type { AttemptCounter } from '../../accounts/sessions/sign-in-guard.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';
import { redrawForm } from './sign-in.pages.ts';

export interface PasswordPageParts extends PasswordParts {
  readonly pages: Pages;
  readonly pubSub: PubSub;
  /** Links requested from one address. */
  readonly attempts: AttemptCounter;
  readonly known: Pick<KnownBrowsers, 'cookieFor'>;
}

/** Longer than a link takes to be recorded. */
const EVEN_MS = 300;
const RESET_PATH = '/password/reset/{token}';
const ResetParams = Type.Object({ token: Type.String({ pattern: LINK_TOKEN }) });
const RESET_FORM = { title: 'Set a new password', template: 'access/password-reset' };

export function passwordPages(parts: PasswordPageParts): Endpoint[] {
  return [...forgotPages(parts), ...resetPages(parts)];
}

function forgotPages(parts: PasswordPageParts): Endpoint[] {
  const { knex, pages, attempts } = parts;
  const form = { title: 'Forgotten password', template: 'access/password-forgot' };
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/password/forgot',
      operationId: 'forgotPasswordPage',
      summary: 'The form to request a link',
      handle: async (request) => pages.html(request, { ...form, data: { enabled: parts.mail.enabled } }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/password/forgot',
      operationId: 'forgotPassword',
      summary: 'Emails a link for a new password',
      body: { form: Type.Object({ email: Type.String({ maxLength: 1_000 }) }) },
      unconfirmedToo: true,
      async handle(request) {
        const { email } = request.body;
        const page = { ...form, data: { email, enabled: parts.mail.enabled } };
        const waitS = await attempts.take(rateKey(null, request.ip));
        if (waitS !== null) return redrawForm(pages, request, page, { waitS });
        await inEvenTime(EVEN_MS, async () => {
          const userId = await requestReset(parts, email, request.baseUrl);
          if (userId === null) return;
          const who = { userId: null, aboutUserId: userId, ip: request.ip };
          await recordActivity(knex, { action: 'ask_for_password_reset', via: 'page', ...who });
        });
        return pages.html(request, { ...form, data: { ...page.data, sent: true }, secret: true });
      },
    }),
  ];
}

function resetPages(parts: PasswordPageParts): Endpoint[] {
  const { knex, pages } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: RESET_PATH,
      operationId: 'resetPasswordPage',
      summary: 'The form for a new password',
      params: ResetParams,
      async handle(request) {
        if ((await findLink(knex, request.params.token, 'reset')) === null) throw linkIsOver();
        return pages.html(request, {
          ...RESET_FORM,
          data: {},
          secret: true,
          headers: { 'Referrer-Policy': 'no-referrer' },
        });
      },
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: RESET_PATH,
      operationId: 'resetPassword',
      summary: 'Sets a new password; ends all sessions and tokens',
      params: ResetParams,
      body: { form: Type.Object({ password: Type.String({ maxLength: 4_000 }) }) },
      unconfirmedToo: true,
      handle: (request) => setPassword(parts, request, request.params.token, request.body.password),
    }),
  ];
}

async function setPassword(
  parts: PasswordPageParts,
  request: HttpRequest,
  token: string,
  password: string,
): Promise<Reply> {
  const { knex, pages, pubSub, known } = parts;
  const { ip, baseUrl, secure } = request;
  try {
    const userId = await resetPassword(parts, token, { password, baseUrl });
    if (userId === null) throw linkIsOver();
    await announceAccountChange(pubSub, { userIds: [userId] });
    await recordActivity(knex, { action: 'reset_password', via: 'link', userId, ip });
    // The mailbox said who they are: from here on, they do not wait behind a flood of guesses at the account.
    const headers = { 'Set-Cookie': known.cookieFor(userId, request.headers.cookie, secure, 'mailed link') };
    return pages.html(request, { ...RESET_FORM, data: { done: true }, secret: true, headers });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return redrawForm(
      pages,
      request,
      { ...RESET_FORM, data: {} },
      { message: signUpMessage(error), status: 422 },
    );
  }
}

function linkIsOver() {
  return notFound('This link has been used, or is older than 30 minutes. Ask for a new one.');
}
