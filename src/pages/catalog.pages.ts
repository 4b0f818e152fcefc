/** The catalog for people: the start page with the auctions that are on, and an auction with its lots. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { notFound } from '../../adapters/http/problem.ts';
import type { Journal } from '../../engine/actor/journal.ts';
import {
  AUCTIONS_PER_PAGE,
  LOTS_PER_PAGE,
  readAuction,
  readAuctionCards,
  readLotCards,
} from './catalog-rows.ts';
import { PAGE, type Pages, signedIn } from './page.ts';

export interface CatalogPageParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly pages: Pages;
}

const PageNumber = Type.Integer({ minimum: 1, maximum: 100_000, default: 1 });

export function catalogPages(parts: CatalogPageParts): Endpoint[] {
  return [startPage(parts), auctionPage(parts)];
}

function startPage({ knex, pages }: CatalogPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/',
    operationId: 'startPage',
    summary: 'The auctions that are on',
    query: Type.Object({ search: Type.String({ maxLength: 200, default: '' }), page: PageNumber }),
    async handle(request) {
      const { search, page } = request.query;
      const { cards, total } = await readAuctionCards(knex, search.trim(), page);
      const data = {
        cards,
        total,
        search,
        page,
        lastPage: Math.max(1, Math.ceil(total / AUCTIONS_PER_PAGE)),
      };
      return pages.html(request, { title: 'Auctions', template: 'start', data });
    },
  });
}

function auctionPage({ knex, journal, pages }: CatalogPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/auctions/{auction}',
    operationId: 'auctionPage',
    summary: 'An auction and its lots',
    params: Type.Object({ auction: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
    query: Type.Object({ page: PageNumber }),
    async handle(request) {
      const auction = await readAuction(knex, request.params.auction, signedIn(request));
      if (auction === null) throw notFound('There is no such auction, or it is not on.');
      const { page } = request.query;
      const { cards, total, stale } = await readLotCards(knex, journal, auction, page);
      const data = {
        auction,
        cards,
        total,
        stale,
        page,
        lastPage: Math.max(1, Math.ceil(total / LOTS_PER_PAGE)),
      };
      return pages.html(request, { title: auction.title, template: 'auction', data });
    },
  });
}
