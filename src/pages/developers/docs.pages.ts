/**
 * `/docs/api`: the reference for people, rendered from the same document that programs get at
 * `/docs/api/openapi.json`.
 */
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { PAGE, type Pages } from '../page.ts';
import { renderPart } from '../view.ts';
import { type ReferenceView, referenceOf } from './api-reference.ts';

/** `document` is asked at the first request: it is made from a list that includes this page. */
export function docsPages(pages: Pages, document: () => object): Endpoint[] {
  let rendered: RenderedReference | null = null;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/docs/api',
      operationId: 'apiReferencePage',
      summary: 'The API’s reference',
      async handle(request) {
        rendered ??= renderReference(document());
        const data = { ...rendered, baseUrl: request.baseUrl };
        return pages.html(request, { title: 'API reference', template: 'developers/reference', data });
      },
    }),
  ];
}

/** What takes long and is the same for everybody: rendered once in a process. */
interface RenderedReference {
  readonly reference: Omit<ReferenceView, 'groups'>;
  readonly contents: string;
  readonly operations: string;
}

function renderReference(document: object): RenderedReference {
  const { groups, ...reference } = referenceOf(document);
  return {
    reference,
    contents: renderPart('developers/reference-contents', { groups }),
    operations: renderPart('developers/reference-operations', { groups }),
  };
}
