/**
 * The map for people: a page whose script reads the lots in view from the API and draws the outline that we bundle. It
 * loads nothing from elsewhere, unless `MAP_TILE_URL` names a server of tiles; then its pictures are allowed on this
 * page alone.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { policyWith } from '../content-policy.ts';
import { PAGE, type Pages } from '../page.ts';
import { OUTLINE } from './outline.ts';

const OUTLINE_PATH = '/map/outline.json';

export function mapPages(pages: Pages, tileUrl: string | null): Endpoint[] {
  const outline = JSON.stringify(OUTLINE);
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
          template: 'map/map',
          headers:
            tileUrl === null ? {} : { 'Content-Security-Policy': policyWith({ images: [tilesOf(tileUrl)] }) },
          data: {
            search: request.query.search.trim(),
            tileUrl,
            outlinePath: OUTLINE_PATH,
            sheets: ['leaflet.css', 'map.css'],
            scripts: ['leaflet.js'],
            modules: ['map.js'],
          },
        }),
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: OUTLINE_PATH,
      operationId: 'mapOutline',
      summary: 'The outline of countries and states',
      responses: { 200: { description: 'Lines of longitudes and latitudes.' } },
      handle: async () => ({
        status: 200,
        raw: outline,
        contentType: 'application/json; charset=utf-8',
        headers: { 'Cache-Control': 'public, max-age=604800' },
      }),
    }),
  ];
}

/** Where the tiles' pictures come from. */
function tilesOf(tileUrl: string): string {
  return new URL(tileUrl.replaceAll(/[{}]/g, '')).origin.replace('://s.', '://*.');
}
