/** Reading auctions: the list, one of them, and its lots. Only active ones; private ones only for their own people. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type Principal } from '../../../adapters/http/endpoint.ts';
import { describedId, oneOf } from '../../shared/fields.schema.ts';
import { idOrSlug } from '../../shared/id-or-slug.ts';
import { bodyOf, page, pageBody, pagingQuery, sortDir } from '../../shared/paging/page.schema.ts';
import { dataReply, pageReply } from '../../shared/paging/page-text.ts';
import { notFound } from '../../shared/refusal.ts';
import { readsAuction } from '../../shared/visibility/visibility.ts';
import { auctionFactsOf, relationOf } from '../../shared/visibility/visibility-sql.ts';
import type { CategoryTree } from '../categories/category-tree.ts';
import { search } from '../lots/lot-filters.schema.ts';
import type { LotLists } from '../lots/lot-list.ts';
import { LotItem } from '../lots/lot-presentation.schema.ts';
import { AUCTION_SORTS, type AuctionLists, type AuctionRow, readAuction } from './auction-list.ts';
import { AuctionDetail, AuctionItem } from './auction-presentation.schema.ts';

export interface AuctionReadingParts {
  readonly knex: Knex;
  readonly auctions: AuctionLists;
  readonly lots: LotLists;
  readonly categories: CategoryTree;
  /** Whether status and end may lag: the journal, which moves them, cannot be read. */
  isBehind(): boolean;
}

const head = { method: 'GET', tags: ['Catalog'], access: { kind: 'public' } } as const;
const LOTS_PER_PAGE = 20;

const AuctionParams = Type.Object({
  auction: idOrSlug('The id or the slug; renaming the auction does not change its slug.'),
});

const ListQuery = Type.Object({
  category_id: Type.Optional(describedId('Auctions of this category and those below it.')),
  search: Type.Optional(search),
  sort_by: Type.Optional(
    oneOf(AUCTION_SORTS, {
      description: 'Default `end_time`; a search without it lists the best matches first.',
    }),
  ),
  sort_dir: sortDir,
  ...pagingQuery,
});

export function auctionEndpoints(parts: AuctionReadingParts): Endpoint[] {
  return [listEndpoint(parts), detailEndpoint(parts), lotsEndpoint(parts)];
}

function listEndpoint({ auctions, categories, isBehind }: AuctionReadingParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/auctions',
    operationId: 'listAuctions',
    summary: 'Active public auctions',
    query: ListQuery,
    responses: { 200: { description: 'A page of auctions.', schema: pageBody(AuctionItem) } },
    async handle(request) {
      const { category_id: id, page: number, per_page: perPage, sort_by: sortBy, sort_dir } = request.query;
      const wanted = request.query.search?.trim() || null;
      const found = await auctions.read({
        categoryIds: id === undefined ? null : await categories.withDescendants(id),
        search: wanted,
        sortBy: sortBy ?? (wanted === null ? 'end_time' : 'best'),
        descending: sort_dir === 'desc',
        page: number,
        perPage,
      });
      const paging = { page: number, perPage, total: found.total };
      return pageReply(request, found.rows, paging, { message: 'Auctions retrieved.', stale: isBehind() });
    },
  });
}

function detailEndpoint({ knex, isBehind }: AuctionReadingParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/auctions/{auction}',
    operationId: 'getAuction',
    summary: 'One active auction',
    params: AuctionParams,
    responses: { 200: { description: 'The auction.', schema: bodyOf(AuctionDetail) } },
    async handle({ params, principal, baseUrl }) {
      const row = await visibleAuction(knex, params.auction, principal, baseUrl);
      return dataReply(row.text, isBehind());
    },
  });
}

function lotsEndpoint({ knex, lots }: AuctionReadingParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/auctions/{auction}/lots',
    operationId: 'listAuctionLots',
    summary: 'The active lots of an auction',
    description: 'Twenty per page, by lot number.',
    params: AuctionParams,
    query: Type.Object({ page }),
    responses: { 200: { description: 'A page of lots.', schema: pageBody(LotItem) } },
    async handle(request) {
      const { params, principal, baseUrl, query } = request;
      const { id: auctionId } = await visibleAuction(knex, params.auction, principal, baseUrl);
      const found = await lots.readOfAuction(auctionId, {
        page: query.page,
        perPage: LOTS_PER_PAGE,
        baseUrl,
      });
      const paging = { page: query.page, perPage: LOTS_PER_PAGE, total: found.total };
      return pageReply(request, found.rows, paging, { message: 'Lots retrieved.', stale: found.stale });
    },
  });
}

/** Throws the 404 of everything that is not there, not active, or not the caller's to see. */
async function visibleAuction(
  knex: Knex,
  idOrSlug: string,
  viewer: Principal | null,
  baseUrl: string,
): Promise<AuctionRow> {
  const row = await readAuction(knex, idOrSlug, viewer?.userId ?? null, baseUrl);
  if (row === null || !readsAuction(auctionFactsOf(row), relationOf(row))) {
    throw notFound('The auction was not found or is no longer active.');
  }
  return row;
}
