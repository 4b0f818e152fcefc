/**
 * `/auctions/{slug}/screen`: what the screen in the saleroom shows, read from across the room: the lot on the block,
 * its price and who leads, and the lots that come next. It shows what everybody may see; there is nothing to press.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages, signedIn } from '../page.ts';
import { readAuctionInFull } from './auction-in-full.ts';
import { readOnBlock } from './on-block.ts';

interface ScreenParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly pages: Pages;
}

export function screenPages(parts: ScreenParts): Endpoint[] {
  const { knex, pages } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/auctions/{auction}/screen',
      operationId: 'saleroomScreenPage',
      summary: 'The screen of a saleroom',
      params: Type.Object({ auction: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
      async handle(request) {
        const auction = await readAuctionInFull(knex, request.params.auction, signedIn(request));
        if (auction === null) throw notFound('There is no such auction.');
        if (auction.type !== 'simulcast') return pages.go(`/auctions/${auction.slug}`);
        const block = auction.status === 'active' ? await readOnBlock(parts, auction, null) : null;
        const isFragment = request.headers['x-fragment'] === 'block';
        return pages.html(request, {
          title: auction.title,
          template: isFragment ? 'auctions/screen-block' : 'auctions/screen',
          data: { auction, block },
        });
      },
    }),
  ];
}
