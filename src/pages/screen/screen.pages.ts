/**
 * `/auctions/{slug}/screen`: what the screen in the saleroom shows, read from across the room: the lot on the block,
 * its price and who leads, and the lots that come next. It shows what everybody may see; there is nothing to press.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { readBlock } from '../../bidding/saleroom/block.ts';
import { notFound } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { type AuctionInFull, readAuctionInFull } from '../auctions/auction-in-full.ts';
import { readOnBlock } from '../auctions/on-block.ts';
import { languageOf, PAGE, type Pages, signedIn } from '../page.ts';
import { readSaleView } from '../parcels/sale-view.ts';

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
        const found = await readAuctionInFull(knex, request.params.auction, signedIn(request));
        if (found === null) throw notFound('There is no such auction.');
        const language = languageOf(request);
        const auction = inReadersWords(found, language);
        if (auction.type !== 'simulcast') return pages.go(`/auctions/${auction.slug}`);
        if (auction.isOneSale && auction.status === 'active') return showSale(parts, request, auction);
        const block = auction.status === 'active' ? await readOnBlock(parts, auction, null, language) : null;
        const isFragment = request.headers['x-fragment'] === 'block';
        return pages.html(request, {
          title: ['{0}', auction.title],
          template: isFragment ? 'screen/screen-block' : 'screen/screen',
          data: { auction, block },
        });
      },
    }),
  ];
}

/** Tracts are all on the block at once: the sets that lead, and what they come to. */
async function showSale(
  { pages, ...parts }: ScreenParts,
  request: HttpRequest,
  auction: AuctionInFull,
): Promise<Reply> {
  const [sale, { lotId, warnedSequence }] = await Promise.all([
    readSaleView(parts, auction, null, () => [], languageOf(request)),
    readBlock(parts.knex, auction.id),
  ]);
  const state = lotId === null ? null : await parts.journal.load(auction.id, lotId);
  const isFragment = request.headers['x-fragment'] === 'block';
  return pages.html(request, {
    title: ['{0}', auction.title],
    template: isFragment ? 'screen/screen-sale' : 'screen/screen',
    data: {
      ...{ auction, sale, modules: ['screen-sale.js'] },
      isWarned: state !== null && warnedSequence === state.sequence,
      followed: sale.tracts.find(({ isOpen }) => isOpen)?.id ?? lotId,
    },
  });
}
