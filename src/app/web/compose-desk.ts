/**
 * Puts the seller's desk together. Its pages have the API's own operations done, so that the desk stands on no context
 * of the same height as its own.
 */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { Operations } from '../../../adapters/http/operations.ts';
import type { Pages } from '../../pages/page.ts';
import { auctionDeskPages } from '../../pages/seller/auctions/auction.pages.ts';
import { auctionEditPages } from '../../pages/seller/auctions/auction-edit.pages.ts';
import { auctionListPages } from '../../pages/seller/auctions/auction-list.pages.ts';
import { deskPages } from '../../pages/seller/frame/desk.pages.ts';
import { Desk } from '../../pages/seller/frame/desk.ts';
import { lotEditPages } from '../../pages/seller/lots/lot-edit.pages.ts';
import { lotListPages } from '../../pages/seller/lots/lot-list.pages.ts';
import { mediaDeskPages } from '../../pages/seller/media/media.pages.ts';
import type { Platform } from '../process/platform.ts';

export function composeDesk(platform: Platform, pages: Pages, operations: Operations): Endpoint[] {
  const desk = new Desk({ knex: platform.knex, pages, operations });
  return [
    ...deskPages({ desk, pubSub: platform.pubSub }),
    ...auctionListPages(desk),
    ...auctionEditPages(desk),
    ...auctionDeskPages(desk),
    ...lotListPages(desk),
    ...lotEditPages(desk),
    ...mediaDeskPages(desk),
  ];
}
