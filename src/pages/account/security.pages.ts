/**
 * `/account/security`: the password, the sessions that are signed in, the second factor, and a new link for an address
 * that is not confirmed. What changes how one signs in requires the password or a code of just now.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { readPendingChange } from '../../accounts/credentials/email-changes.ts';
import { listPasskeys } from '../../accounts/credentials/passkeys.ts';
import {
  changePassword,
  endSessions,
  type PasswordParts,
} from '../../accounts/credentials/password-changes.ts';
import { sendConfirmation, signUpMessage } from '../../accounts/credentials/sign-up.ts';
import { readTwoFactor } from '../../accounts/credentials/two-factor.ts';
import { listTeamSignIns } from '../../accounts/teams/team-sign-in.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { InputError } from '../../shared/input-error.ts';
import type { SignInParts } from '../access/sign-in.pages.ts';
import { PAGE, type SignedIn } from '../page.ts';
import { browserName } from './browser-name.ts';

export interface SecurityParts extends SignInParts, PasswordParts {
  readonly pubSub: PubSub;
}

const PATH = '/account/security';
const NO_FIELDS = { form: Type.Object({}) } as const;

const PasswordForm = Type.Object({
  current_password: Type.String({ maxLength: 4_000 }),
  password: Type.String({ maxLength: 4_000 }),
  end_tokens: Type.Optional(Type.String({ maxLength: 10 })),
});

export function securityPages(parts: SecurityParts): Endpoint[] {
  return [overviewPage(parts), passwordForm(parts), ...sessionForms(parts), confirmForm(parts)];
}

interface Said {
  readonly wrong?: string;
  /** An address that was typed. */
  readonly newEmail?: string;
  readonly done?: string;
  readonly status?: number;
}

/** The current page, with what has just happened. */
export async function securityPage(
  { knex, pages, sessions, mail }: SecurityParts,
  request: HttpRequest,
  who: SignedIn,
  { wrong, done, status, newEmail = '' }: Said = {},
): Promise<Reply> {
  const [factor, passkeys, teams, pendingEmail, signedInSessions] = await Promise.all([
    readTwoFactor(knex, who.userId),
    listPasskeys(knex, who.userId),
    listTeamSignIns(knex, who.userId),
    readPendingChange(knex, who.userId),
    request.session === null ? [] : sessions.list(who.userId, request.session),
  ]);
  return pages.html(request, {
    title: 'Security',
    template: 'account/security',
    data: {
      factor,
      passkeys,
      teams,
      pendingEmail,
      newEmail,
      canMail: mail.enabled,
      confirmed: who.confirmed,
      sessions: signedInSessions.map((session) => ({
        ...session,
        browser: browserName(session.agent),
        createdAt: new Date(session.createdAtMs).toISOString(),
        seenAt: new Date(session.seenAtMs).toISOString(),
      })),
      wrong: wrong ?? null,
      done: done ?? null,
    },
    status: status ?? (wrong === undefined ? 200 : 422),
    secret: true,
  });
}

function overviewPage(parts: SecurityParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'securityPage',
    summary: 'Password, sessions and second factor',
    handle: (request) => parts.pages.forSignedIn(request, (who) => securityPage(parts, request, who)),
  });
}

function passwordForm(parts: SecurityParts): Endpoint {
  const { pages, sessions, passwords, pubSub } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/password`,
    operationId: 'changePassword',
    summary: 'Changes the caller’s password; all other sessions end',
    body: { form: PasswordForm },
    unconfirmedToo: true,
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const { userId, email } = who;
        const { ip, baseUrl, headers, secure, body } = request;
        const knownBrowser = sessions.known.idFor(userId, headers.cookie, secure);
        const admission = await passwords.admit({ account: email, ip, knownBrowser });
        if (admission.refused !== null) {
          return securityPage(parts, request, who, {
            wrong: 'Too many attempts. Try again later.',
            status: 429,
          });
        }
        const client = { known: true, group: email, caller: knownBrowser ?? String(userId) } as const;
        const endTokens = body.end_tokens !== undefined;
        const change = {
          userId,
          current: body.current_password,
          password: body.password,
          endTokens,
          baseUrl,
          client,
        };
        try {
          if (!(await changePassword(parts, change))) {
            return securityPage(parts, request, who, { wrong: 'The current password is wrong.' });
          }
        } catch (error) {
          // Nothing was checked, or it was right: no guess.
          await admission.takeBack();
          if (!(error instanceof InputError)) throw error;
          return securityPage(parts, request, who, { wrong: signUpMessage(error) });
        }
        await admission.takeBack();
        await announceAccountChange(pubSub, { userIds: [userId] });
        return pages.go(PATH, await sessions.signIn(userId, request));
      }),
  });
}

function sessionForms(parts: SecurityParts): Endpoint[] {
  const { knex, pages, sessions } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/sessions/{ref}/end`,
      operationId: 'endSession',
      summary: 'Signs one browser out',
      params: Type.Object({ ref: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) }),
      body: NO_FIELDS,
      unconfirmedToo: true,
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          await sessions.endByRef(who.userId, request.params.ref);
          return pages.go(PATH);
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: `${PATH}/sessions/end`,
      operationId: 'endSessions',
      summary: 'Signs all other browsers out',
      body: NO_FIELDS,
      unconfirmedToo: true,
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          await endSessions(knex, [who.userId]);
          return pages.go(PATH, await sessions.signIn(who.userId, request, 'kept'));
        }),
    }),
  ];
}

function confirmForm(parts: SecurityParts): Endpoint {
  const { knex, mail, pages } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/confirm`,
    operationId: 'sendConfirmation',
    summary: 'Emails another link that confirms the caller’s address',
    body: NO_FIELDS,
    unconfirmedToo: true,
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        if (who.confirmed) return pages.go(PATH);
        const user = { id: who.userId, email: who.email };
        const sent = await knex.transaction((trx) =>
          sendConfirmation(trx, mail, user, { baseUrl: request.baseUrl }),
        );
        return securityPage(parts, request, who, sent ? { done: SENT } : { wrong: ENOUGH, status: 429 });
      }),
  });
}

const SENT = 'We have sent you another link. It works once, for 24 hours.';
const ENOUGH = 'We have recently sent you several links. Check your mail, or try again later.';
