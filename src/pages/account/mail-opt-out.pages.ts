/**
 * `/mail/unsubscribe/{token}`: where `List-Unsubscribe` of each notification leads. Mail programs post to it by
 * themselves (RFC 8058), people see a button; nobody has to sign in.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { isOptedOut, OPT_OUT_TOKEN, readOptOutToken, setOptOut } from '../../accounts/mail/opt-out.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';

export interface OptOutPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly appSecrets: readonly string[];
}

const PATH = '/mail/unsubscribe/{token}';
const Params = Type.Object({ token: Type.String({ pattern: OPT_OUT_TOKEN }) });
const Form = Type.Object(
  {
    'List-Unsubscribe': Type.Optional(Type.String({ maxLength: 100 })),
    again: Type.Optional(Type.String({ maxLength: 10 })),
    _csrf: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);

export function mailOptOutPages({ knex, pages, appSecrets }: OptOutPageParts): Endpoint[] {
  const addressOf = (token: string) => {
    const email = readOptOutToken(token, appSecrets);
    if (email === null) throw notFound('This link is not valid.');
    return email;
  };
  const page = async (request: HttpRequest, email: string) =>
    pages.html(request, {
      title: 'Notifications by email',
      template: 'account/mail-opt-out',
      data: { email, out: await isOptedOut(knex, email) },
      secret: true,
    });
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'mailOptOutPage',
      summary: 'Whether an address gets notifications',
      params: Params,
      handle: async (request) => page(request, addressOf(request.params.token)),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'mailOptOut',
      summary: 'Turns notifications by email off for an address, or on again',
      params: Params,
      body: { form: Form },
      csrf: false,
      async handle(request) {
        const email = addressOf(request.params.token);
        await setOptOut(knex, email, request.body.again === undefined);
        return page(request, email);
      },
    }),
  ];
}
