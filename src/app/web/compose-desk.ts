/**
 * Puts the seller's desk together. Its pages have the API's own operations done, and are handed what no operation does,
 * so that the desk imports no context of the same height as its own.
 */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { Operations } from '../../../adapters/http/operations.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { clerkEndpoints } from '../../bidding/saleroom/clerk.endpoints.ts';
import type { Pages } from '../../pages/page.ts';
import { afterPages } from '../../pages/seller/after/after.pages.ts';
import { applyPages } from '../../pages/seller/apply/apply.pages.ts';
import { auctionDeskPages } from '../../pages/seller/auctions/auction.pages.ts';
import { auctionEditPages } from '../../pages/seller/auctions/auction-edit.pages.ts';
import { auctionListPages } from '../../pages/seller/auctions/auction-list.pages.ts';
import { liveViewPages } from '../../pages/seller/auctions/live-view.pages.ts';
import { presetPages } from '../../pages/seller/auctions/preset.pages.ts';
import { campaignPages } from '../../pages/seller/campaigns/campaigns.pages.ts';
import { consignorDeskPages } from '../../pages/seller/consignors/consignors.pages.ts';
import { deskPages } from '../../pages/seller/frame/desk.pages.ts';
import { Desk } from '../../pages/seller/frame/desk.ts';
import { gatePages } from '../../pages/seller/gate/gate.pages.ts';
import { importPages } from '../../pages/seller/import/import.pages.ts';
import type { LotImporter } from '../../pages/seller/import/lot-importer.ts';
import { ImportRuns } from '../../pages/seller/import/run-import.ts';
import { inventoryPages } from '../../pages/seller/inventory/inventory.pages.ts';
import { leftBidPages } from '../../pages/seller/left-bids/left-bids.pages.ts';
import { lotEditPages } from '../../pages/seller/lots/lot-edit.pages.ts';
import { lotListPages } from '../../pages/seller/lots/lot-list.pages.ts';
import { lotTablePages } from '../../pages/seller/lots/lot-table.pages.ts';
import { mediaDeskPages } from '../../pages/seller/media/media.pages.ts';
import { pictureDeskPages } from '../../pages/seller/media/picture.pages.ts';
import { paperPages } from '../../pages/seller/papers/papers.pages.ts';
import { photoPages } from '../../pages/seller/photos/photos.pages.ts';
import { questionDeskPages } from '../../pages/seller/questions/questions.pages.ts';
import { registrationDeskPages } from '../../pages/seller/registrations/registrations.pages.ts';
import { resultPages } from '../../pages/seller/results/results.pages.ts';
import { safetyPages } from '../../pages/seller/safety/safety.pages.ts';
import { saleroomPages } from '../../pages/seller/saleroom/saleroom.pages.ts';
import { settlementPages } from '../../pages/seller/settlements/settlements.pages.ts';
import { ownSitePages } from '../../pages/seller/team/own-site.pages.ts';
import { saleDefaultsPages } from '../../pages/seller/team/sale-defaults.pages.ts';
import { teamPages } from '../../pages/seller/team/team.pages.ts';
import { teamProviderPages } from '../../pages/seller/team/team-provider.pages.ts';
import { webhookDeskPages } from '../../pages/seller/webhooks/team-webhooks.pages.ts';
import { CSV_COLUMNS } from '../../selling/lots/csv-columns.ts';
import { measureCsv } from '../../selling/lots/csv-lots.ts';
import { importLots } from '../../selling/lots/import-lots.ts';
import { paperFile } from '../../selling/papers/papers.endpoints.ts';
import type { Log } from '../../shared/log.ts';
import type { Backends } from '../process/backends.ts';
import type { LiveSide } from './compose-live.ts';
import { floorParts } from './compose-simulcast.ts';

export interface DeskSide {
  readonly pages: Pages;
  readonly operations: Operations;
  readonly log: Log;
  readonly live: Pick<LiveSide, 'announcements' | 'auctions'>;
  readonly appSecrets: readonly string[];
  readonly storage: Storage;
}

export function composeDesk(
  backends: Backends,
  { pages, operations, log, live, appSecrets, storage }: DeskSide,
): Endpoint[] {
  const { knex, pubSub } = backends;
  const { announcements, auctions: channels } = live;
  const desk = new Desk({ knex, pages, operations });
  const importer: LotImporter = {
    columns: CSV_COLUMNS,
    measure: measureCsv,
    run: (auctionId, text, run) => importLots(backends, auctionId, text, { ...run, quotes: true }),
  };
  const clerk = {
    ...backends,
    floor: floorParts(backends),
    announcements,
  };
  return [
    ...deskPages({ desk, pubSub }),
    ...applyPages({ knex, pubSub, pages, operations, desk }),
    ...auctionListPages(desk),
    ...auctionEditPages(desk),
    ...auctionDeskPages(desk),
    ...presetPages(desk),
    ...lotListPages(desk),
    ...lotEditPages(desk),
    ...lotTablePages(desk),
    ...mediaDeskPages(desk),
    ...pictureDeskPages(desk),
    ...photoPages(desk),
    ...importPages({ desk, importer, runs: new ImportRuns({ knex, importer, log }) }),
    ...leftBidPages(desk),
    ...saleroomPages({ desk, clerk }),
    ...clerkEndpoints(clerk),
    ...safetyPages({ desk, appSecrets }),
    ...liveViewPages({ desk, channels, journal: backends.journal }),
    ...registrationDeskPages(desk),
    ...questionDeskPages(desk),
    ...gatePages(desk),
    ...consignorDeskPages(desk),
    ...resultPages(desk),
    ...afterPages(desk),
    ...settlementPages(desk),
    ...paperPages({
      desk,
      paperFile: ({ who, team }, id) =>
        paperFile({ knex, storage }, { teamId: team.id, userId: who.userId, isStaff: who.isAdmin }, id),
    }),
    ...inventoryPages(desk),
    ...campaignPages(desk),
    ...teamPages({ desk, pubSub }),
    ...saleDefaultsPages(desk),
    ...ownSitePages(desk),
    ...teamProviderPages(desk),
    ...webhookDeskPages(desk),
  ];
}
