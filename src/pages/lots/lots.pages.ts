/**
 * `/lots`: all open lots, with search, filters and their counts; an address says all that is chosen and can be
 * shared.
 */
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import type { LotFacetCounts } from '../../catalog/lots/lot-facets.ts';
import { readLotFilter } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { firstPicture, lotCardOf } from '../components/lot-card.ts';
import { languageOf, PAGE, type Pages, signedIn } from '../page.ts';
import { breadcrumbs, type PageMeta } from '../page-meta.ts';
import {
  addressOf,
  chosenFilters,
  filterGroups,
  isOfOpenLots,
  NO_ORDER,
  orderChoices,
  orderOf,
  readSearch,
  SearchQuery,
  savedQueryOf,
} from './lot-search.ts';
import { otherTowns } from './other-towns.ts';

export interface LotsPageParts {
  readonly pages: Pages;
  readonly lists: LotLists;
  readonly facets: LotFacetCounts;
  readonly categories: CategoryTree;
}

const LOTS_PER_PAGE = 24;

export function lotsPages({ pages, lists, facets, categories }: LotsPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/lots',
      operationId: 'lotsPage',
      summary: 'All open lots',
      query: SearchQuery,
      async handle(request) {
        const search = await readSearch(request.query, categories);
        if ('goTo' in search) return pages.go(search.goTo);
        const { query, wanted, categoryIds, notice } = search;
        const filter = readLotFilter(wanted, categoryIds);
        const [found, counted, chosen] = await Promise.all([
          lists.read({
            filter,
            order: orderOf(query),
            page: query.page,
            perPage: LOTS_PER_PAGE,
            baseUrl: '',
          }),
          facets.read(wanted, categoryIds),
          chosenFilters(query, categories),
        ]);
        const address = addressOf(query, { page: null });
        const data = {
          ...{ query, notice },
          modules: ['near.js'],
          chosen,
          others: otherTowns(query),
          lots: found.rows.map((row) => lotCardOf(row, languageOf(request))),
          total: found.total,
          stale: found.stale,
          groups: await filterGroups(query, counted, categories),
          orders: orderChoices(query),
          page: query.page,
          lastPage: lastPageOf({ perPage: LOTS_PER_PAGE, total: found.total }),
          pagerQuery: address.includes('?') ? `${address.slice(address.indexOf('?') + 1)}&` : '',
          cardsAddress: addressOf(query, { view: null }),
          rowsAddress: addressOf(query, { view: 'rows' }),
          ...{
            isOfOpenLots: isOfOpenLots(query),
            openAddress: addressOf(query, { status: null, ...NO_ORDER }),
          },
          soldAddress: addressOf(query, { ...NO_ORDER, status: 'sold', sort: '-id' }),
          mapAddress: addressOf(query, { ...NO_ORDER, view: null }, '/map'),
          savedQuery: savedQueryOf(query),
          feed: feedOf(query),
          canSave: signedIn(request) !== null,
        };
        const meta = { ...searchMeta(query), image: firstPicture(data.lots) };
        return pages.html(request, { title: 'Lots', template: 'lots/lots', data, meta });
      },
    }),
  ];
}

/** One address for a search, whatever its order and page; only the whole list and categories are found by engines. */
function searchMeta(query: SearchQuery): PageMeta {
  const path = addressOf(query, { ...NO_ORDER, page: null, view: null });
  const isPlain = path === '/lots' || /^\/lots\?category_id=\d+$/.test(path);
  return {
    description: 'Open lots of all auctions: search by what, where and price, with live bids.',
    path,
    isHidden: !isPlain,
    data: [breadcrumbs([['Lots', path]])],
    feed: { title: 'The newest lots of this search', path: feedOf(query) },
  };
}

function feedOf(query: SearchQuery): string {
  const filters = savedQueryOf(query);
  return filters === '' ? '/lots.rss' : `/lots.rss?${filters}`;
}
