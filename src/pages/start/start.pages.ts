/**
 * `/`: a search, the categories, and current auctions: live, upcoming and just ended, and the lots that end soonest.
 */
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { EVERYTHING_ACTIVE } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { readAuctionCards } from '../components/auction-card.ts';
import { firstPicture, lotCardOf } from '../components/lot-card.ts';
import { languageOf, PAGE, type Pages } from '../page.ts';
import { siteMeta } from './site-meta.ts';

export interface StartPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly lists: LotLists;
  readonly categories: CategoryTree;
}

const LIVE = 9;
const OTHERS = 3;
const LOTS = 8;

export function startPages(parts: StartPageParts): Endpoint[] {
  const { knex, pages, lists } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/',
      operationId: 'startPage',
      summary: 'The start page',
      async handle(request) {
        const language = languageOf(request);
        const [live, starting, ended, ending, categories] = await Promise.all([
          readAuctionCards(knex, 'live', LIVE, language),
          readAuctionCards(knex, 'starting', OTHERS, language),
          readAuctionCards(knex, 'ended', OTHERS, language),
          lists.read({
            filter: EVERYTHING_ACTIVE,
            order: { by: 'end_time', descending: false },
            page: 1,
            perPage: LOTS,
            baseUrl: '',
          }),
          readRootCategories(parts.categories),
        ]);
        const lots = ending.rows.map((row) => lotCardOf(row, language));
        const data = { live, starting, ended, lots, categories, stale: ending.stale };
        return pages.html(request, {
          ...{ title: 'Auctions', template: 'start/start', data },
          meta: siteMeta(pages.operator, firstPicture([...live, ...lots])),
        });
      },
    }),
  ];
}

async function readRootCategories(tree: CategoryTree) {
  const [{ roots }, counts] = await Promise.all([tree.forest(), tree.lotCounts()]);
  return roots.map(({ id, name }) => ({ id, name, lots: counts.get(id) ?? 0 }));
}
