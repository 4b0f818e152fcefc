/** `/account/saved-searches`: the searches that somebody has saved, each with how many lots it finds now. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import type { SavedSearch } from '../../notifications/searches/saved-search.model.ts';
import { readSearches, removeSearch, saveSearch } from '../../notifications/searches/saved-searches.ts';
import { countSearches, MOST_COUNTED } from '../../notifications/searches/search-counts.ts';
import { Id } from '../../shared/fields.schema.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound } from '../../shared/refusal.ts';
import { PageNumber } from '../lists.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

export interface SavedSearchPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly categories: CategoryTree;
}

const PER_PAGE = 20;
/** How long a lot is called new. */
const NEW_MS = 7 * 86_400_000;

export function savedSearchPages(parts: SavedSearchPageParts): Endpoint[] {
  return [savedSearches(parts), save(parts), remove(parts)];
}

const SEARCHES = '/account/saved-searches';

function savedSearches(parts: SavedSearchPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: SEARCHES,
    operationId: 'savedSearchesPage',
    summary: 'The searches that the session’s user has saved',
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      parts.pages.forSignedIn(request, (who) =>
        searchesPage(parts, request, who, { page: request.query.page, wrong: null }),
      ),
  });
}

function save(parts: SavedSearchPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: SEARCHES,
    operationId: 'saveSearchOnPage',
    summary: 'Saves a search',
    body: {
      form: Type.Object({
        query: Type.String({ maxLength: 2_000 }),
        /** What the search page calls the chosen filters. */
        name: Type.String({ maxLength: 2_000, default: '' }),
      }),
    },
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const { query, name } = request.body;
        try {
          await saveSearch(parts.knex, who.userId, name.trim() || nameOf(query), query);
          return parts.pages.go(SEARCHES);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          return searchesPage(parts, request, who, { page: 1, wrong: error.message });
        }
      }),
  });
}

function remove({ knex, pages }: SavedSearchPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${SEARCHES}/{search}/remove`,
    operationId: 'removeSearchOnPage',
    summary: 'Removes a saved search',
    params: Type.Object({ search: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        if (!(await removeSearch(knex, who.userId, request.params.search)))
          throw notFound('There is no such saved search.');
        return pages.go(SEARCHES);
      }),
  });
}

async function searchesPage(
  { knex, categories, pages }: SavedSearchPageParts,
  request: HttpRequest,
  who: SignedIn,
  { page, wrong }: { readonly page: number; readonly wrong: string | null },
) {
  const { results, total } = await readSearches(knex, who.userId, { page, perPage: PER_PAGE });
  const queries = results.map(({ query }) => query);
  const lately = new Date(Date.now() - NEW_MS).toISOString();
  const counts = await countSearches(knex, categories, queries, lately);
  const data = {
    searches: results.map((search, index) => ({ ...shownSearch(search), found: counts[index] ?? null })),
    most: MOST_COUNTED,
    notice: wrong === null ? null : { kind: 'bad', text: wrong },
    page,
    lastPage: lastPageOf({ perPage: PER_PAGE, total }),
  };
  const status = wrong === null ? 200 : 422;
  return pages.html(request, {
    title: 'Saved searches',
    template: 'account/saved-searches',
    data,
    status,
  });
}

function shownSearch({ id, name, query, created_at }: SavedSearch) {
  const lots = query === '' ? '/lots' : `/lots?${query}`;
  return { id, name, created_at, lots, newest: `/lots?${query === '' ? '' : `${query}&`}sort=-id` };
}

const WORDS: Readonly<Record<string, string>> = {
  min_price: 'from',
  max_price: 'up to',
  min_acres: 'acres from',
  max_acres: 'acres up to',
  ending_within: 'ending within hours',
  category_id: 'category',
};

/** `tractor, state KS`: what a search is called that comes without a name. */
function nameOf(query: string): string {
  const parts = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'search' ? value : `${WORDS[name] ?? name.replaceAll('_', ' ')} ${value}`,
  );
  return parts.join(', ') || 'All open lots';
}
