/**
 * `/docs/api`: the reference for people, rendered from the same document that programs get at
 * `/docs/api/openapi.json`. Every operation is rendered once in a process; a search picks among them.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { PAGE, type Pages } from '../page.ts';
import { renderPartial } from '../view.ts';
import { type OperationView, type ReferenceView, referenceOf, searchedText } from './api-reference.ts';

/** `document` is called at the first request: it is made from a list that includes this page. */
export function docsPages(pages: Pages, document: () => object): Endpoint[] {
  let rendered: RenderedReference | null = null;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/docs/api',
      operationId: 'apiReferencePage',
      summary: 'The API’s reference',
      query: Type.Object({ q: Type.String({ maxLength: 200, default: '' }) }),
      async handle(request) {
        rendered ??= renderReference(document());
        const q = request.query.q.trim();
        const data = {
          ...(q === '' ? rendered.whole : pickedFrom(rendered.groups, q)),
          reference: rendered.reference,
          q,
          baseUrl: request.baseUrl,
          sheets: ['reference.css'],
          modules: ['reference-search.js', 'copy-code.js'],
        };
        return pages.html(request, { title: 'API reference', template: 'developers/reference', data });
      },
    }),
  ];
}

/** What takes long and is the same for everybody: rendered once in a process. */
interface RenderedReference {
  readonly reference: Omit<ReferenceView, 'groups'>;
  readonly groups: readonly RenderedGroup[];
  readonly whole: Picked;
}

interface RenderedGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly RenderedOperation[];
}

/** The page's parts, for some of the operations. */
interface Picked {
  readonly contents: string;
  readonly operations: string;
  readonly found: number;
}

interface RenderedOperation extends Pick<OperationView, 'id' | 'summary'> {
  readonly searched: string;
  readonly html: string;
}

function renderReference(document: object): RenderedReference {
  const { groups: described, ...reference } = referenceOf(document);
  const groups = described.map(({ name, description, operations }) => ({
    name,
    description,
    operations: operations.map((operation) => ({
      id: operation.id,
      summary: operation.summary,
      searched: searchedText(operation),
      html: renderPartial('developers/reference-operation', { operation }),
    })),
  }));
  return { reference, groups, whole: pickedFrom(groups, '') };
}

/** The operations that hold every word of a search. */
function pickedFrom(all: readonly RenderedGroup[], q: string): Picked {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ searched }: RenderedOperation) => words.every((word) => searched.includes(word));
  const groups = all
    .map((group) => ({ ...group, operations: group.operations.filter(fits) }))
    .filter(({ operations }) => operations.length > 0);
  return {
    contents: renderPartial('developers/reference-contents', { groups }),
    operations: renderPartial('developers/reference-operations', { groups }),
    found: groups.reduce((sum, { operations }) => sum + operations.length, 0),
  };
}
