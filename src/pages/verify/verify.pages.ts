/** `/verify`: checks a lot's journal in the visitor's own browser, with the file that everybody can download. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { PAGE, type Pages } from '../page.ts';

export function verifyPages(pages: Pages): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/verify',
      operationId: 'verifyPage',
      summary: 'Checks a journal in the browser',
      query: Type.Object({
        lot: Type.Optional(Type.String({ pattern: '^[0-9]{0,15}$' })),
        bid: Type.Optional(Type.String({ pattern: '^[0-9a-f]{0,64}$' })),
        hash: Type.Optional(Type.String({ pattern: '^[0-9a-f]{0,64}$' })),
      }),
      async handle(request) {
        const data = {
          lot: request.query.lot ?? '',
          bid: request.query.bid ?? '',
          hash: request.query.hash ?? '',
          modules: ['verify-journal.js'],
          baseUrl: request.baseUrl,
        };
        return pages.html(request, { title: 'Check a sale', template: 'verify/verify', data });
      },
    }),
  ];
}
