/** `/auctions`: all public sales, running, coming and ended, a page of each at a time. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { type AuctionMoment, countAuctionCards, readAuctionCards } from '../components/auction-card.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages } from '../page.ts';

const AUCTIONS_PER_PAGE = 24;
const MOMENTS: Readonly<Record<AuctionMoment, string>> = {
  live: 'Live now',
  starting: 'Starting soon',
  ended: 'Ended',
};

export function auctionsPages({ knex, pages }: { knex: Knex; pages: Pages }): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/auctions',
      operationId: 'auctionsPage',
      summary: 'All auctions',
      query: Type.Object({ show: Type.Optional(oneOf(['live', 'starting', 'ended'])), page: PageNumber }),
      async handle(request) {
        const { show = 'live', page } = request.query;
        const [auctions, total] = await Promise.all([
          readAuctionCards(knex, show, AUCTIONS_PER_PAGE, languageOf(request), { page }),
          countAuctionCards(knex, show),
        ]);
        const lastPage = lastPageOf({ perPage: AUCTIONS_PER_PAGE, total });
        const path = show === 'live' ? '/auctions' : `/auctions?show=${show}`;
        return pages.html(request, {
          title: 'Auctions',
          template: 'auctions/auctions',
          data: {
            moments: MOMENTS,
            shown: show,
            auctions,
            total,
            page,
            lastPage,
            pagerQuery: `show=${show}&`,
          },
          meta: { description: `Auctions: ${MOMENTS[show].toLowerCase()}.`, path, isHidden: page > 1 },
        });
      },
    }),
  ];
}
