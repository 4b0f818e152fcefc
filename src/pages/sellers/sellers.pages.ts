/**
 * `/sellers/{slug}`: a team as buyers see it: its description, its current and upcoming auctions, and past results, the
 * newest sales with their prices.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { isFollowing as isFollowingSeller } from '../../catalog/following/following.ts';
import { EVERYTHING_ACTIVE } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { notFound } from '../../shared/refusal.ts';
import { readAuctionCards } from '../components/auction-card.ts';
import { firstPicture, lotCardOf } from '../components/lot-card.ts';
import { languageOf, PAGE, type Pages, signedIn } from '../page.ts';
import { sellerMeta } from './seller-meta.ts';
import { readSeller } from './seller-rows.ts';

const SHOWN = 12;
const SALES_SHOWN = 8;

export interface SellerPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly lists: LotLists;
}

export function sellerPages({ knex, pages, lists }: SellerPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/sellers/{seller}',
      operationId: 'sellerPage',
      summary: 'A seller and its auctions',
      params: Type.Object({ seller: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
      async handle(request) {
        const seller = await readSeller(knex, request.params.seller);
        if (seller === null) throw notFound('There is no such seller.');
        const language = languageOf(request);
        const auctions = (moment: 'live' | 'starting' | 'ended') =>
          readAuctionCards(knex, moment, SHOWN, language, { teamId: seller.id });
        const [live, starting, ended, sales] = await Promise.all([
          auctions('live'),
          auctions('starting'),
          auctions('ended'),
          readSales(lists, seller.id),
        ]);
        const who = signedIn(request);
        const isFollowing = who !== null && (await isFollowingSeller(knex, who.userId, seller.id));
        const data = {
          isFollowing,
          seller,
          live,
          starting,
          ended,
          sold: sales.total,
          sales: sales.rows.map((row) => lotCardOf(row, language)),
        };
        const meta = sellerMeta(seller, firstPicture([...live, ...starting, ...data.sales]));
        return pages.html(request, { title: ['{0}', seller.name], template: 'sellers/seller', data, meta });
      },
    }),
  ];
}

/** Its newest sales, as lists may show them, and how many there are in all. */
function readSales(lists: LotLists, teamId: number) {
  return lists.read({
    filter: {
      ...EVERYTHING_ACTIVE,
      statuses: ['sold'],
      status: 'sold',
      columns: [['a.team_id = ?::bigint', teamId]],
    },
    order: { by: 'end_time', descending: true },
    page: 1,
    perPage: SALES_SHOWN,
    baseUrl: '',
  });
}
