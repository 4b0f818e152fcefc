/**
 * Reading lots: lists, the map, and one in full. Live fields are those of the journal, whatever Postgres' copy says.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { Seals } from '../../../engine/lot/seals.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { pageBody, pagingQuery, sortDir } from '../../shared/paging/page.schema.ts';
import { pageReply } from '../../shared/paging/page-text.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import type { CategoryTree } from '../categories/category-tree.ts';
import { readLotDetail } from './lot-detail.ts';
import { LotDetails } from './lot-details.ts';
import { type LotFilterQuery, lotFilterQuery } from './lot-filters.schema.ts';
import { readLotFilter } from './lot-filters.ts';
import type { LotListQuery, LotLists } from './lot-list.ts';
import { LOT_SORTS, type LotOrder } from './lot-list-statements.ts';
import type { LotMaps } from './lot-map.ts';
import { LotDetailBody, LotItem, LotMap } from './lot-presentation.schema.ts';

export interface LotReadingParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly lists: LotLists;
  readonly maps: LotMaps;
  readonly categories: CategoryTree;
  /** What campaigns show alongside a search; null: nothing. */
  readonly sponsored: SponsoredPort | null;
  /** Opens a bidder's own sealed bids for them; absent: nothing is opened. */
  readonly seals?: Seals;
}

export interface SponsoredPort {
  show(query: LotListQuery): Promise<readonly { campaignId: number; lot: string; clickUrl: string }[]>;
}

const SponsoredLot = Type.Object(
  { campaign_id: Type.Integer(), click_url: Type.String(), lot: LotItem },
  { $id: 'SponsoredLot' },
);

const head = { method: 'GET', tags: ['Catalog'], access: { kind: 'public' } } as const;

const ListQuery = Type.Object({
  ...lotFilterQuery,
  sort_by: Type.Optional(
    oneOf(LOT_SORTS, {
      description:
        'Default `lot_number`; a search without it lists the best matches first. `price` is the current bid, or ' +
        'the starting bid while there is none, as `min_price` and `max_price` take it.',
    }),
  ),
  sort_dir: sortDir,
  ...pagingQuery,
});

export function lotEndpoints(parts: LotReadingParts): Endpoint[] {
  return [listEndpoint(parts), mapEndpoint(parts), detailEndpoint(parts)];
}

function listEndpoint({ lists, categories, sponsored }: LotReadingParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/lots',
    operationId: 'listLots',
    summary: 'Lots of public auctions',
    description: 'Active lots unless `status` says otherwise. Bids, counts, ends and status are live.',
    query: ListQuery,
    responses: { 200: { description: 'A page of lots.', schema: pageBody(LotItem, sponsoredFields) } },
    async handle(request) {
      const { query, baseUrl } = request;
      const filter = await filterOf(query, categories);
      const { page, per_page: perPage } = query;
      const order = orderOf(query, filter.search !== null);
      const wanted = { filter, order, page, perPage, baseUrl };
      const [found, ads] = await Promise.all([
        lists.read(wanted),
        sponsored?.show(wanted).catch(() => []) ?? [],
      ]);
      const paging = { page, perPage, total: found.total };
      return pageReply(request, found.rows, paging, {
        message: 'Lots retrieved.',
        stale: found.stale,
        ...(ads.length === 0 ? {} : { more: { sponsored: ads.map(adText) } }),
      });
    },
  });
}

const sponsoredFields = {
  sponsored: Type.Optional(
    Type.Array(SponsoredLot, {
      description:
        'With a search: lots that campaigns show beside its results, which they may be among. Lead people ' +
        'to `click_url`: it counts the click and redirects to the lot’s page.',
    }),
  ),
};

const adText = (ad: { campaignId: number; lot: string; clickUrl: string }) =>
  `{"campaign_id":${ad.campaignId},"click_url":${JSON.stringify(ad.clickUrl)},"lot":${ad.lot}}`;

function mapEndpoint({ maps, categories }: LotReadingParts): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/lots/geojson',
    operationId: 'getLotMap',
    summary: 'Lots as GeoJSON',
    description: 'Lots with coordinates, by id, without envelope and paging.',
    query: Type.Object({
      ...lotFilterQuery,
      limit: Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 1000,
        description: 'The largest number of features.',
      }),
    }),
    responses: {
      200: { description: 'A FeatureCollection.', schema: LotMap, contentType: 'application/geo+json' },
    },
    async handle({ query, baseUrl }) {
      const filter = await filterOf(query, categories);
      const { bytes, etag } = await maps.read({ filter, limit: query.limit, baseUrl });
      return { status: 200, raw: bytes, contentType: 'application/geo+json', headers: { ETag: etag } };
    },
  });
}

function detailEndpoint(parts: LotReadingParts): Endpoint {
  const details = new LotDetails(parts);
  return endpoint({
    ...head,
    path: '/api/v1/lots/{lot}',
    operationId: 'getLot',
    summary: 'One lot in full',
    params: LotParams,
    responses: { 200: { description: 'The lot.', schema: LotDetailBody } },
    async handle({ params, principal, baseUrl }) {
      if (principal === null) {
        const raw = await details.read(params.lot, baseUrl);
        if (raw === null) throw notFound('There is no such lot.');
        return { status: 200, raw };
      }
      const found = await readLotDetail(parts, params.lot, principal, baseUrl);
      if (found === null) throw notFound('There is no such lot.');
      return success(found.detail, found.stale ? { meta: { stale: true } } : {});
    },
  });
}

async function filterOf(query: LotFilterQuery, categories: CategoryTree) {
  const { category_id: id } = query;
  return readLotFilter(query, id === undefined ? null : await categories.withDescendants(id));
}

function orderOf(
  { sort_by: by, sort_dir: dir, near }: Static<typeof ListQuery>,
  searched: boolean,
): LotOrder {
  if (by === 'distance' && near === undefined)
    throw invalid({ sort_by: ['The sort by field can be distance only with near.'] });
  return { by: by ?? (searched ? 'best' : 'lot_number'), descending: dir === 'desc' };
}
