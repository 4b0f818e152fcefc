/**
 * `/sellers/{slug}`: a team as buyers see it: its description, its current and upcoming auctions, and past results, the
 * newest sales with their prices.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { EVERYTHING_ACTIVE } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { notFound } from '../../shared/refusal.ts';
import { readAuctionCards } from '../components/auction-card.ts';
import { lotCardOf } from '../components/lot-card.ts';
import { PAGE, type Pages } from '../page.ts';

const SHOWN = 12;
const SALES_SHOWN = 8;

export interface SellerPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly lists: LotLists;
}

interface Seller {
  readonly id: number;
  readonly name: string;
  readonly about: string | null;
  readonly created_at: string;
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
        const auctions = (moment: 'live' | 'starting' | 'ended') =>
          readAuctionCards(knex, moment, SHOWN, seller.id);
        const [live, starting, ended, sales] = await Promise.all([
          auctions('live'),
          auctions('starting'),
          auctions('ended'),
          readSales(lists, seller.id),
        ]);
        const data = { seller, live, starting, ended, sold: sales.total, sales: sales.rows.map(lotCardOf) };
        return pages.html(request, { title: seller.name, template: 'sellers/seller', data });
      },
    }),
  ];
}

/** A team that may sell, or that has sold; one that somebody merely made is nobody's business. */
async function readSeller(knex: Knex, slug: string): Promise<Seller | null> {
  const row: Seller | undefined = await knex('teams as t')
    .where('t.slug', slug)
    .whereRaw(
      `(t.approved_at is not null or exists (select from auctions a where a.team_id = t.id
         and a.privacy_setting = 'public' and a.status <> 'draft'))`,
    )
    .leftJoin('memberships as m', (join) => {
      join.on('m.team_id', 't.id').andOnVal('m.role', 'owner');
    })
    .leftJoin('users as u', 'u.id', 'm.user_id')
    .first(
      't.id',
      // SQL: a name that is worked out: a person’s or their team’s.
      knex.raw('case when t.personal then u.name else t.name end as name'),
      't.about',
      't.created_at',
    );
  return row ?? null;
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
