/**
 * `/sellers/{slug}`: a team as buyers see it: what it says about itself, its auctions that are on or to come, and
 * past results.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { notFound } from '../../../adapters/http/problem.ts';
import { readAuctionCards } from '../components/auction-card.ts';
import { PAGE, type Pages } from '../page.ts';

const SHOWN = 12;

interface Seller {
  readonly id: number;
  readonly name: string;
  readonly about: string | null;
  readonly created_at: string;
}

export function sellerPages({ knex, pages }: { readonly knex: Knex; readonly pages: Pages }): Endpoint[] {
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
        const [live, starting, ended] = await Promise.all(
          (['live', 'starting', 'ended'] as const).map((moment) =>
            readAuctionCards(knex, moment, SHOWN, seller.id),
          ),
        );
        const data = { seller, sold: await countSold(knex, seller.id), live, starting, ended };
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
      knex.raw('case when t.personal then u.name else t.name end as name'),
      't.about',
      't.created_at',
    );
  return row ?? null;
}

async function countSold(knex: Knex, teamId: number): Promise<number> {
  const [row] = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where({ 'a.team_id': teamId, 'l.status': 'sold', 'a.privacy_setting': 'public' })
    .count<{ n: string }[]>('* as n');
  return Number(row?.n ?? 0);
}
