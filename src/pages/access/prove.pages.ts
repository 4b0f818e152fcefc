/**
 * `/account/prove`: a signed-in user confirms who they are, with the second factor if they have one and with
 * the password where not. Pages that show or change tokens, secrets and pay-out accounts send here
 * (`Pages.proveFirst`).
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { checkCode, checkPassword } from '../../accounts/credentials/sign-in.ts';
import { readTwoFactor } from '../../accounts/credentials/two-factor.ts';
import { localPath } from '../onward.ts';
import { PAGE, type SignedIn } from '../page.ts';
import { ownPasskey, PasskeyQuery, passkeyTrouble } from './passkey-view.ts';
import { redrawForm, type SignInParts } from './sign-in.pages.ts';

const PATH = '/account/prove';
const ProofForm = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.String({ maxLength: 4_000 })),
  next: Type.Optional(Type.String({ maxLength: 500 })),
});

export function provePages(parts: SignInParts): Endpoint[] {
  const { knex, pages, sessions } = parts;
  const form = { title: 'Confirm that it is you', template: 'access/prove' };
  const dataOf = async (
    { session, baseUrl }: HttpRequest,
    { userId }: SignedIn,
    next: string | undefined,
  ) => {
    const factor = await readTwoFactor(knex, userId);
    return {
      next: localPath(next),
      needsCode: factor.enabled,
      needsPasskey: factor.enabled && !factor.authenticator,
      passkey: await ownPasskey(parts, { purpose: 'prove', userId }, baseUrl, session),
      modules: ['passkeys.js'],
    };
  };
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'provePage',
      summary: 'Asks the user to confirm who they are',
      query: PasskeyQuery,
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const data = {
            ...(await dataOf(request, who, request.query.next)),
            wrong: passkeyTrouble(request.query.passkey),
          };
          return pages.html(request, { ...form, data, secret: true });
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'prove',
      summary: 'Checks the password or the second factor again',
      body: { form: ProofForm },
      unconfirmedToo: true,
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const page = { ...form, data: await dataOf(request, who, request.body.next) };
          const proof = page.data.needsCode ? 'code' : 'password';
          const checked = await check(parts, request, who, { [proof]: request.body[proof] ?? '' });
          if (checked.refused !== null) return redrawForm(pages, request, page, { waitS: checked.refused });
          if (checked.userId !== who.userId)
            return redrawForm(pages, request, page, { message: WRONG[proof], status: 401 });
          if (request.session !== null) await sessions.prove(request.session);
          return pages.go(page.data.next);
        }),
    }),
  ];
}

const WRONG = {
  code: 'This code is wrong or has already been used.',
  password: 'This password is wrong.',
} as const;

function check(
  parts: SignInParts,
  request: HttpRequest,
  { userId, email }: SignedIn,
  { code, password = '' }: { readonly code?: string; readonly password?: string },
) {
  return code === undefined
    ? checkPassword(parts, request, { email, password })
    : checkCode(parts, request, { userId, code });
}
