/**
 * Making an account and confirming its address. The answer to signing up is the same for a free and for a taken
 * address; nobody is signed in by it.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { recordActivity } from '../../accounts/activity/activity.ts';
import { LINK_TOKEN } from '../../accounts/credentials/account-links.ts';
import {
  confirmAddress,
  type SignUpParts,
  signUp,
  signUpMessage,
} from '../../accounts/credentials/sign-up.ts';
import type { AttemptCounter } from '../../accounts/sessions/sign-in-guard.ts';
import { announceAccountChange, type PubSub } from '../../accounts/tokens/account-changes.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound } from '../../shared/refusal.ts';
import { localPath, PAGE, type Pages, signedIn } from '../page.ts';
import { formPage, redrawForm, SENT_FORM } from './sign-in.pages.ts';

export interface SignUpPageParts extends SignUpParts {
  readonly pages: Pages;
  readonly pubSub: PubSub;
  /** Accounts requested from one address. */
  readonly attempts: AttemptCounter;
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
        const page = { ...form, data: { email, name: name ?? '', next: localPath(next) } };
        const waitS = await parts.attempts.take(rateKey(null, request.ip));
        if (waitS !== null) return redrawForm(pages, request, page, { waitS });
        try {
          await makeAccount(parts, request, request.body);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return redrawForm(pages, request, page, { message: signUpMessage(error), status: 422 });
        }
        const data = { email: email.trim(), mailed: parts.mail.enabled };
        return pages.html(request, {
          title: 'Almost there',
          template: 'access/sign-up-sent',
          data,
          secret: true,
        });
      },
    }),
    confirmPage(parts),
  ];
}

interface Typed {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
}

async function makeAccount(parts: SignUpPageParts, request: HttpRequest, typed: Typed): Promise<void> {
  const { ip, baseUrl } = request;
  const name = typed.name?.trim();
  const input = { email: typed.email, password: typed.password, ...(name ? { name } : {}) };
  const client = { known: false, group: 'sign-up', ip } as const;
  await signUp(parts, { input, baseUrl, client, ip });
}

/** Where the mailed link leads. A link that is prefetched (HEAD) is not used up by it. */
function confirmPage({ knex, pages, pubSub }: SignUpPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/confirm/{token}',
    operationId: 'confirmAddress',
    summary: 'Confirms an email address',
    params: Type.Object({ token: Type.String({ pattern: LINK_TOKEN }) }),
    async handle(request) {
      const headers = { 'Referrer-Policy': 'no-referrer' };
      const page = { title: 'Your email address', template: 'access/confirmed', secret: true, headers };
      if (request.method === 'HEAD') return pages.html(request, { ...page, data: { confirmed: false } });
      const userId = await confirmAddress(knex, request.params.token);
      if (userId === null) throw notFound(OVER);
      await announceAccountChange(pubSub, { userIds: [userId] });
      await recordActivity(knex, { action: 'confirm_address', via: 'link', userId, ip: request.ip });
      return pages.html(request, { ...page, data: { confirmed: true, here: signedIn(request) !== null } });
    },
  });
}

const OVER =
  'This link has been used, or is older than 24 hours. If your address is confirmed you can sign ' +
  'in; otherwise sign in and ask for a new link under Security.';
