/**
 * The map for people: a page whose script reads the lots in view from the API and draws the outline that we bundle. It
 * loads nothing from elsewhere, unless `MAP_TILE_URL` names a server of tiles; then its pictures are allowed on this
 * page alone.
 */
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import type { LotFacetCounts } from '../../catalog/lots/lot-facets.ts';
import type { LotFilterQuery } from '../../catalog/lots/lot-filters.schema.ts';
import { policyWith } from '../content-policy.ts';
import { addressOf, chosenFilters, filterGroups, readSearch, SearchQuery } from '../lots/lot-search.ts';
import { otherTowns } from '../lots/other-towns.ts';
import { PAGE, type Pages } from '../page.ts';
import { OUTLINE } from './outline.ts';

const OUTLINE_PATH = '/map/outline.json';

export interface MapPageParts {
  readonly pages: Pages;
  readonly facets: LotFacetCounts;
  readonly categories: CategoryTree;
  readonly tileUrl: string | null;
}

/** Lots that have a place. */
const ANYWHERE = '-180,-90,180,90';

export function mapPages({ pages, facets, categories, tileUrl }: MapPageParts): Endpoint[] {
  const outline = JSON.stringify(OUTLINE);
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/map',
      operationId: 'mapPage',
      summary: 'Lots on a map',
      query: SearchQuery,
      async handle(request) {
        const search = await readSearch(request.query, categories, '/map');
        if ('goTo' in search) return pages.go(search.goTo);
        const { query, wanted, categoryIds, notice } = search;
        const counted = await facets.read({ bbox: ANYWHERE, ...wanted }, categoryIds);
        return pages.html(request, {
          title: 'Map',
          template: 'map/map',
          headers:
            tileUrl === null ? {} : { 'Content-Security-Policy': policyWith({ images: [tilesOf(tileUrl)] }) },
          data: {
            ...{ query, notice },
            filters: textOf(wanted),
            chosen: await chosenFilters(query, categories, '/map'),
            others: otherTowns(query, '/map'),
            groups: await filterGroups(query, counted, categories, '/map'),
            listAddress: addressOf(query, {}),
            tileUrl,
            outlinePath: OUTLINE_PATH,
            sheets: ['leaflet.css', 'map.css'],
            scripts: ['leaflet.js'],
            modules: ['map.js', 'near.js'],
          },
        });
      },
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

/** The API's filters, as its map takes them. */
function textOf(filters: LotFilterQuery): string {
  const named = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  return new URLSearchParams(
    Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
  ).toString();
}

/** Where the tiles' pictures come from. */
function tilesOf(tileUrl: string): string {
  return new URL(tileUrl.replaceAll(/[{}]/g, '')).origin.replace('://s.', '://*.');
}
