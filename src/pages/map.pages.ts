/** The map for people: a page whose script reads the lots in view from the API, and asks nobody else for anything. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { PAGE, type Pages } from './page.ts';

export function mapPages(pages: Pages): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/map',
      operationId: 'mapPage',
      summary: 'Lots on a map',
      query: Type.Object({ search: Type.String({ maxLength: 200, default: '' }) }),
      handle: async (request) =>
        pages.html(request, {
          title: 'Map',
          template: 'map',
          data: { search: request.query.search.trim() },
        }),
    }),
  ];
}
