/** Choosing a currency that prices are shown in beside the sale's own, for the browser that it is chosen with. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { localPath } from '../onward.ts';
import { CURRENCY_COOKIE, choiceCookie, PAGE, type Pages } from '../page.ts';

export function currencyPages(pages: Pages): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/currency',
      operationId: 'chooseCurrency',
      summary: 'Chooses a currency that prices are shown in as well',
      body: {
        form: Type.Object({
          currency: Type.String({ pattern: '^([a-z]{3})?$', description: 'Empty: none.' }),
          next: Type.Optional(Type.String({ maxLength: 1_000 })),
        }),
      },
      async handle({ body: { currency, next }, secure }) {
        const { headers, ...reply } = pages.go(localPath(next));
        const cookie = choiceCookie(CURRENCY_COOKIE, currency, secure);
        return { ...reply, headers: { ...headers, 'Set-Cookie': cookie } };
      },
    }),
  ];
}
