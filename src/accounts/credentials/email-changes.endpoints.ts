/** The caller's email address, and changing it. The pages ask and confirm through the same functions. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { done, success } from '../../../adapters/http/envelope.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { invalid, Refusal } from '../../shared/refusal.ts';
import { requireUserById } from '../people/accounts.ts';
import type { Visit } from '../sessions/browser-sessions.ts';
import {
  type EmailChangeParts,
  readPendingChange,
  requestEmailChange,
  withdrawChange,
} from './email-changes.ts';
import { checkCode, checkPassword, type SignInChecks } from './sign-in.ts';
import { hasTwoFactor } from './two-factor.ts';

export interface EmailEndpointParts extends EmailChangeParts, SignInChecks {}

const EmailAddress = Type.Object(
  {
    email: Type.String(),
    pending: orNull(Type.Object({ email: Type.String(), requested_at: Time, expires_at: Time }), {
      description: 'The address that waits to be confirmed.',
    }),
  },
  { $id: 'EmailAddress' },
);

const NewEmail = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 1_000 }),
    password: Type.String({ minLength: 1, maxLength: 4_000, description: 'The caller’s own.' }),
    code: Type.Optional(
      Type.String({ maxLength: 100, description: 'Of the second factor, where the caller has one.' }),
    ),
  },
  {
    $id: 'NewEmailAddress',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }],
  },
);

const PATH = '/api/v1/me/email';
const tags = ['Account'];

export function emailChangeEndpoints(parts: EmailEndpointParts): Endpoint[] {
  const { knex } = parts;
  const read = async (userId: number) => ({
    email: (await requireUserById(knex, userId)).email,
    pending: await readPendingChange(knex, userId),
  });
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      operationId: 'getEmailAddress',
      summary: 'The caller’s email address',
      tags,
      access: { kind: 'token' },
      responses: { 200: { description: 'The address.', schema: bodyOf(EmailAddress) } },
      handle: async ({ principal }) => success(await read(principal.userId)),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      operationId: 'changeEmailAddress',
      summary: 'Ask for another email address',
      description:
        'A link to the new address confirms it, opened where the caller is signed in or with the password, within ' +
        '24 hours; a link to the old one stops it, or takes it back within seven days of the change. The answer is ' +
        'the same where the new address has an account already: its owner is told by mail, and nothing changes. ' +
        'All sessions end with the change; tokens stay. A new request takes the place of one that waits.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      body: NewEmail,
      responses: { 202: { description: 'The links are on their way.', schema: bodyOf(EmailAddress) } },
      codes: ['forbidden', 'rate_limited'],
      async handle(request) {
        const { principal, body, baseUrl, ip, headers, secure } = request;
        if (!parts.mail.enabled) throw new Refusal('forbidden', { message: NO_MAIL });
        await requireOwner(parts, { ip, headers, secure, session: null }, principal.userId, body);
        await requestEmailChange(parts, principal.userId, body.email, baseUrl);
        return success(await read(principal.userId), { status: 202, message: ON_THEIR_WAY });
      },
    }),
    endpoint({
      method: 'DELETE',
      path: PATH,
      operationId: 'withdrawEmailAddress',
      summary: 'Take a request for another address back',
      tags,
      access: { kind: 'ability', ability: 'write' },
      responses: {
        200: {
          description: 'The address stays as it is.',
          schema: Type.Object({ success: Type.Literal(true), message: Type.String() }),
        },
      },
      async handle({ principal }) {
        await withdrawChange(knex, principal.userId);
        return done('The address stays as it is.');
      },
    }),
  ];
}

const ON_THEIR_WAY = 'We have sent a link to both addresses.';
export const NO_MAIL = 'This service sends no mail, so that no address can be confirmed.';

/** Throws 422 where it is not the caller's password, or code; 429 after too many guesses. */
async function requireOwner(
  parts: EmailEndpointParts,
  visit: Visit,
  userId: number,
  { password, code }: { readonly password: string; readonly code?: string | undefined },
): Promise<void> {
  const { email } = await requireUserById(parts.knex, userId);
  const checked = await checkPassword(parts, visit, { email, password });
  if (checked.refused !== null) throw new Refusal('rate_limited', { retryAfterS: checked.refused });
  if (checked.userId !== userId) throw invalid({ password: ['This password is wrong.'] });
  if (!(await hasTwoFactor(parts.knex, userId))) return;
  if (code === undefined) throw invalid({ code: ['The second factor is required.'] });
  const second = await checkCode(parts, visit, { userId, code });
  if (second.refused !== null) throw new Refusal('rate_limited', { retryAfterS: second.refused });
  if (second.userId !== userId) throw invalid({ code: ['This code is wrong or has already been used.'] });
}
