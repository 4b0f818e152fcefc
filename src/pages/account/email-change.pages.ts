/**
 * Another address for an account: the form at `/account/security`, the link that the new address gets and the one that
 * the old one gets. Opening a link changes nothing: a button does, so that programs which read mails do no harm.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import { LINK_TOKEN } from '../../accounts/credentials/account-links.ts';
import { NO_MAIL } from '../../accounts/credentials/email-changes.endpoints.ts';
import {
  confirmEmailChange,
  findToConfirm,
  requestEmailChange,
  withdrawChange,
} from '../../accounts/credentials/email-changes.ts';
import { findToStop, stopEmailChange } from '../../accounts/credentials/email-undo.ts';
import { checkPassword } from '../../accounts/credentials/sign-in.ts';
import type { AttemptCounter } from '../../accounts/sessions/sign-in-guard.ts';
import { announceAccountChange } from '../../accounts/tokens/account-changes.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { redrawForm, SENT_FORM } from '../access/sign-in.pages.ts';
import { PAGE, type SignedIn, signedIn, tooMany } from '../page.ts';
import { type SecurityParts, securityPage } from './security.pages.ts';

export interface EmailChangePageParts extends SecurityParts {
  /** Passwords tried with one link. */
  readonly confirmations: AttemptCounter;
}

const SECURITY = '/account/security';
const PATH = `${SECURITY}/email`;
const params = Type.Object({ token: Type.String({ pattern: LINK_TOKEN }) });
const LinkForm = Type.Object({ password: Type.Optional(Type.String({ maxLength: 4_000 })) });
const LINK_PAGE = { secret: true, headers: { 'Referrer-Policy': 'no-referrer' } } as const;

export function emailChangePages(parts: EmailChangePageParts): Endpoint[] {
  return [requestForm(parts), withdrawForm(parts), ...confirmPages(parts), ...stopPages(parts)];
}

function requestForm(parts: EmailChangePageParts): Endpoint {
  const { pages } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'changeEmailAddressOnPage',
    summary: 'Asks for another email address',
    body: {
      form: Type.Object({
        email: Type.String({ maxLength: 1_000 }),
        password: Type.String({ maxLength: 4_000 }),
      }),
    },
    handle: (request) =>
      pages.proved(request, SECURITY, async (who) => {
        const wrong = await requestChange(parts, request, who);
        return wrong === null
          ? pages.go(SECURITY)
          : securityPage(parts, request, who, { ...wrong, newEmail: request.body.email });
      }),
  });
}

/** What is wrong with the request, with its status; null: it is made. */
async function requestChange(
  parts: EmailChangePageParts,
  request: HttpRequest<unknown, unknown, { readonly email: string; readonly password: string }>,
  who: SignedIn,
): Promise<{ readonly wrong: string; readonly status: number } | null> {
  const { knex, pages, mail } = parts;
  const { email, password } = request.body;
  if (!mail.enabled) return { wrong: NO_MAIL, status: 403 };
  const checked = await checkPassword(parts, request, { email: who.email, password });
  if (checked.refused !== null) return { wrong: tooMany(checked.refused), status: 429 };
  if (checked.userId !== who.userId) return { wrong: 'This password is wrong.', status: 401 };
  try {
    await requestEmailChange({ knex, mail }, who.userId, email, request.baseUrl);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const wrong = error.errors?.['email']?.[0] ?? error.message;
    return { wrong, status: pages.problemOf(error)?.status ?? 422 };
  }
}

function withdrawForm({ knex, pages }: EmailChangePageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/withdraw`,
    operationId: 'withdrawEmailAddressOnPage',
    summary: 'Takes a request for another address back',
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        await withdrawChange(knex, who.userId);
        return pages.go(SECURITY);
      }),
  });
}

const CONFIRM = { ...LINK_PAGE, title: 'Your new email address', template: 'access/email-confirm' };

/** Where the link to the new address leads. */
function confirmPages(parts: EmailChangePageParts): Endpoint[] {
  const { knex, pages } = parts;
  const path = '/email/confirm/{token}';
  const shown = async (request: HttpRequest, token: string) => {
    const found = await findToConfirm(knex, token);
    if (found === null) throw notFound(OVER);
    const isOwn = signedIn(request)?.userId === found.user_id;
    return { ...CONFIRM, data: { newEmail: found.new_email, isOwn, done: false } };
  };
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path,
      operationId: 'confirmEmailPage',
      summary: 'Asks whether an account is to have this address',
      params,
      handle: async (request) => pages.html(request, await shown(request, request.params.token)),
    }),
    endpoint({
      ...SENT_FORM,
      path,
      operationId: 'confirmEmail',
      summary: 'Gives an account its new address',
      params,
      body: { form: LinkForm },
      async handle(request) {
        const { token } = request.params;
        const page = await shown(request, token);
        const waitS = await guess(parts, token, request.body.password);
        if (waitS !== null) return redrawForm(pages, request, page, { waitS });
        const opener = {
          userId: signedIn(request)?.userId ?? null,
          password: request.body.password ?? null,
          client: { known: false, group: 'confirm', ip: request.ip } as const,
        };
        const found = await confirmEmailChange(parts, token, opener, request.baseUrl);
        if (found === 'over') throw notFound(OVER);
        if (typeof found === 'string') return redrawForm(pages, request, page, WRONG);
        return confirmed(parts, request, found.ids, page.data.newEmail);
      },
    }),
  ];
}

/** The browser in which the account is signed in stays so; elsewhere nobody is signed in by it. */
async function confirmed(
  { knex, pages, pubSub, sessions }: EmailChangePageParts,
  request: HttpRequest,
  ids: readonly number[],
  newEmail: string,
): Promise<Reply> {
  const userId = ids[0] ?? null;
  await announceAccountChange(pubSub, { userIds: [...ids] });
  const detail = { email: newEmail };
  await recordActivity(knex, { action: 'change_email', via: 'link', userId, ip: request.ip, detail });
  const isOwn = userId !== null && signedIn(request)?.userId === userId;
  if (isOwn) return pages.go(SECURITY, await sessions.signIn(userId, request, 'kept'));
  return pages.html(request, { ...CONFIRM, data: { newEmail, isOwn, done: true } });
}

const STOP = { ...LINK_PAGE, title: 'Your email address', template: 'access/email-stop' };

/** Where the links to the old address lead. */
function stopPages(parts: EmailChangePageParts): Endpoint[] {
  const { knex, pages, pubSub } = parts;
  const path = '/email/stop/{token}';
  const shown = async (token: string) => {
    const found = await findToStop(knex, token);
    if (found === null) throw notFound(OVER);
    const { old_email: oldEmail, new_email: newEmail, confirmed_at: confirmedAt } = found;
    return { ...STOP, data: { oldEmail, newEmail, isMade: confirmedAt !== null, done: null } };
  };
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path,
      operationId: 'stopEmailPage',
      summary: 'Asks whether a change of address is to be stopped',
      params,
      handle: async (request) => pages.html(request, await shown(request.params.token)),
    }),
    endpoint({
      ...SENT_FORM,
      path,
      operationId: 'stopEmail',
      summary: 'Stops a change of address, or takes it back',
      params,
      body: { form: LinkForm },
      async handle(request) {
        const { token } = request.params;
        const { password } = request.body;
        const page = await shown(token);
        const waitS = await guess(parts, token, password);
        if (waitS !== null) return redrawForm(pages, request, page, { waitS });
        const client = { known: false, group: 'confirm', ip: request.ip } as const;
        const by = { password: password ?? null, client };
        const found = await stopEmailChange(parts, token, by, request.baseUrl);
        if (found.kind === 'over') throw notFound(OVER);
        if (!('userId' in found)) return redrawForm(pages, request, page, WRONG);
        const { userId, kind } = found;
        await announceAccountChange(pubSub, { userIds: [userId] });
        const action = kind === 'stopped' ? 'stop_email_change' : 'take_email_back';
        await recordActivity(knex, { action, via: 'link', userId, ip: request.ip });
        return pages.html(request, { ...page, data: { ...page.data, done: kind } });
      },
    }),
  ];
}

/** Counts a password that is tried; the seconds until the next may be, or null. */
async function guess(
  { confirmations }: EmailChangePageParts,
  token: string,
  password: string | undefined,
): Promise<number | null> {
  return password === undefined ? null : confirmations.take(token);
}

const WRONG = { message: 'This is not the password.', status: 401 } as const;
const OVER = 'This link has been used, was stopped, or is too old.';
