/** Everything that is read of the catalog, with the caches that its lists share, and the watchlist alongside it. */
import type { Knex } from 'knex';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { Tally } from '../../../adapters/redis/redis-tally.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { NO_SEALS, type Seals } from '../../../engine/lot/seals.ts';
import { AuctionLists } from '../../catalog/auctions/auction-list.ts';
import { auctionEndpoints } from '../../catalog/auctions/auctions.endpoints.ts';
import { categoryEndpoints } from '../../catalog/categories/categories.endpoints.ts';
import { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { directoryEndpoints } from '../../catalog/directory/directory.endpoints.ts';
import { helpEndpoints } from '../../catalog/directory/help.endpoints.ts';
import { followingEndpoints } from '../../catalog/following/following.endpoints.ts';
import { LotLists } from '../../catalog/lots/lot-list.ts';
import { LotMaps } from '../../catalog/lots/lot-map.ts';
import { lotEndpoints } from '../../catalog/lots/lots.endpoints.ts';
import { placeEndpoints } from '../../catalog/places/places.endpoints.ts';
import { questionEndpoints } from '../../catalog/questions/questions.endpoints.ts';
import { viewingEndpoints } from '../../catalog/viewings/viewings.endpoints.ts';
import { watchlistEndpoints } from '../../catalog/watchlist/watchlist.endpoints.ts';
import { SponsoredLots } from '../../selling/campaigns/sponsored.ts';
import { CACHE_TIMES, type CacheTimes } from '../../shared/caching/cache-times.ts';

export interface CatalogParts {
  readonly knex: Knex;
  readonly journal: Journal;
  /** Whether what the journal decides may not be in Postgres yet. */
  isBehind(): boolean;
  /** Opens a bidder's own sealed bids for them; absent: nothing is opened. */
  readonly seals?: Seals;
  /** Counts the shows of sponsored lots; without it none are shown. */
  readonly ads?: Tally;
}

export function catalogEndpoints(
  { knex, journal, isBehind, ads, seals = NO_SEALS }: CatalogParts,
  times: CacheTimes = CACHE_TIMES,
): Endpoint[] {
  const categories = new CategoryTree(knex, times);
  const lists = new LotLists({ knex, journal }, times);
  const maps = new LotMaps({ knex, journal }, times);
  const sponsored = ads === undefined ? null : new SponsoredLots({ knex, lists, tally: ads });
  const auctions = new AuctionLists(knex, times);
  return [
    ...auctionEndpoints({ knex, auctions, lots: lists, categories, isBehind }),
    ...lotEndpoints({ knex, journal, lists, maps, categories, sponsored, seals }),
    ...placeEndpoints(),
    ...categoryEndpoints(categories),
    ...directoryEndpoints(knex),
    ...helpEndpoints(knex),
    ...watchlistEndpoints({ knex, journal }),
    ...questionEndpoints(knex),
    ...viewingEndpoints(knex),
    ...followingEndpoints(knex),
  ];
}
