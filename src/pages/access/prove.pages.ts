/**
 * `/account/prove`: a signed-in user confirms who they are, with the second factor if they have one and with
 * the password where not. Pages that show or change tokens, secrets and pay-out accounts send here
 * (`Pages.proveFirst`).
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { checkCode, checkPassword, hasTwoFactor } from '../../accounts/credentials/sign-in.ts';
import { localPath, PAGE, type SignedIn } from '../page.ts';
import { NextQuery, redrawForm, type SignInParts } from './sign-in.pages.ts';

const PATH = '/account/prove';
const ProofForm = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.String({ maxLength: 4_000 })),
  next: Type.Optional(Type.String({ maxLength: 500 })),
});

export function provePages(parts: SignInParts): Endpoint[] {
  const { knex, pages, sessions } = parts;
  const form = { title: 'Confirm that it is you', template: 'access/prove' };
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'provePage',
      summary: 'Asks the user to confirm who they are',
      query: NextQuery,
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const data = {
            next: localPath(request.query.next),
            needsCode: await hasTwoFactor(knex, who.userId),
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
          const { code = '', password = '' } = request.body;
          const needsCode = await hasTwoFactor(knex, who.userId);
          const page = { ...form, data: { next: localPath(request.body.next), needsCode: needsCode } };
          const checked = await check(parts, request, who, needsCode ? { code } : { password });
          if (checked.refused !== null) return redrawForm(pages, request, page, { waitS: checked.refused });
          if (checked.userId !== who.userId) {
            const sentence = needsCode
              ? 'This code is wrong or has already been used.'
              : 'This password is wrong.';
            return redrawForm(pages, request, page, { message: sentence, status: 401 });
          }
          if (request.session !== null) await sessions.prove(request.session);
          return pages.go(page.data.next);
        }),
    }),
  ];
}

function check(
  parts: SignInParts,
  request: HttpRequest,
  { userId, email }: SignedIn,
  given: { readonly code: string } | { readonly password: string },
) {
  return 'code' in given
    ? checkCode(parts, request, { userId, code: given.code })
    : checkPassword(parts, request, { email, password: given.password });
}
