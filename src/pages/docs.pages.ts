/** `/docs/api`: the reference for people, rendered from the same document that programs get at `/docs/api/openapi.json`. */
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { type ReferenceView, referenceOf } from './api-reference.ts';
import { PAGE, type Pages } from './page.ts';

/** `document` is asked at the first request: it is printed from a list that includes this page. */
export function docsPages(pages: Pages, document: () => object): Endpoint[] {
  let reference: ReferenceView | null = null;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/docs/api',
      operationId: 'apiReferencePage',
      summary: 'The API’s reference',
      async handle(request) {
        reference ??= referenceOf(document());
        const data = { reference, baseUrl: request.baseUrl };
        return pages.html(request, { title: 'API reference', template: 'reference', data });
      },
    }),
  ];
}
