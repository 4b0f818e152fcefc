/** What somebody is registered for, and the searches that they have saved. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { readSearches, removeSearch, saveSearch } from '../../notifications/searches/saved-searches.ts';
import { Id } from '../../shared/fields.schema.ts';
import { InputError } from '../../shared/input-error.ts';
import { notFound } from '../../shared/refusal.ts';
import { PageNumber } from '../lists.ts';
import { PAGE, type Pages, type SignedIn } from '../page.ts';

export interface BiddingPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

const PER_PAGE = 20;

export function biddingPages(parts: BiddingPageParts): Endpoint[] {
  return [registrations(parts), savedSearches(parts), save(parts), remove(parts)];
}

function registrations({ knex, pages }: BiddingPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/account/registrations',
    operationId: 'registrationsPage',
    summary: 'The auctions that the session’s user is registered for',
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const own = knex('registrations as r').where('r.user_id', who.userId);
        const [counted] = await own.clone().count<{ n: string }[]>('* as n');
        const rows = await own
          .join('auctions as a', 'a.id', 'r.auction_id')
          .leftJoin('invoices as i', function deposits() {
            this.on('i.auction_id', 'r.auction_id')
              .andOn('i.user_id', 'r.user_id')
              .andOnVal('i.kind', 'deposit')
              .andOnVal('i.status', '<>', 'voided');
          })
          .orderBy('r.id', 'desc')
          .limit(PER_PAGE)
          .offset((request.query.page - 1) * PER_PAGE)
          .select(
            'r.*',
            'a.title',
            'a.slug',
            'a.currency',
            'a.status as auction_status',
            'a.end_time',
            'i.invoice_number',
            'i.status as invoice_status',
            'i.amount_due_cents',
          );
        const data = {
          rows,
          page: request.query.page,
          lastPage: lastPageOf({ perPage: PER_PAGE, total: Number(counted?.n ?? 0) }),
        };
        return pages.html(request, { title: 'Registrations', template: 'account/registrations', data });
      }),
  });
}

const SEARCHES = '/account/saved-searches';

function savedSearches(parts: BiddingPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: SEARCHES,
    operationId: 'savedSearchesPage',
    summary: 'The searches that the session’s user has saved',
    handle: (request) => parts.pages.forSignedIn(request, (who) => searchesPage(parts, request, who, null)),
  });
}

function save(parts: BiddingPageParts): Endpoint {
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
          return searchesPage(parts, request, who, error.message);
        }
      }),
  });
}

function remove({ knex, pages }: BiddingPageParts): Endpoint {
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
  parts: BiddingPageParts,
  request: HttpRequest,
  who: SignedIn,
  wrong: string | null,
) {
  const searches = await readSearches(parts.knex, who.userId);
  const data = { searches, notice: wrong === null ? null : { kind: 'bad', text: wrong } };
  const status = wrong === null ? 200 : 422;
  return parts.pages.html(request, {
    title: 'Saved searches',
    template: 'account/saved-searches',
    data,
    status,
  });
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
