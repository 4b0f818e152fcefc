/**
 * All pages for people, over the backends: what `compose.ts` adds to the list of endpoints, with the sessions that they
 * share with the media endpoints and the page of a refusal.
 */
import { LRUCache } from 'lru-cache';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { Operations } from '../../../adapters/http/operations.ts';
import type { PipelineOptions } from '../../../adapters/http/pipeline.ts';
import type { RateLimiter } from '../../../adapters/http/rate-limit.ts';
import { RedisSessions } from '../../../adapters/redis/sessions.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import type { MailOutbox } from '../../accounts/mail/mail-outbox.ts';
import { BrowserSessions, SESSION_LIFETIME } from '../../accounts/sessions/browser-sessions.ts';
import { SessionWatch } from '../../accounts/sessions/session-watch.ts';
import { readSessionUser } from '../../accounts/tokens/principal-rows.ts';
import { openBidLots } from '../../bidding/bids/open-bids.ts';
import type { ChangeParts } from '../../bidding/groups/change-groups.ts';
import type { OriginNotes } from '../../bidding/origins/bid-origins.ts';
import { DEPOSITS } from '../../billing/deposits/deposits.ts';
import { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { LotFacetCounts } from '../../catalog/lots/lot-facets.ts';
import { LotLists } from '../../catalog/lots/lot-list.ts';
import { countUnread } from '../../notifications/inbox/inbox-reading.ts';
import { invitationPages } from '../../pages/access/invitations.pages.ts';
import { bidGroupPages } from '../../pages/account/bid-groups.pages.ts';
import { boardPages } from '../../pages/account/board.pages.ts';
import { checkoutPages } from '../../pages/account/checkouts.pages.ts';
import { collectionPages } from '../../pages/account/collections.pages.ts';
import { currencyPages } from '../../pages/account/currency.pages.ts';
import { invoicePages } from '../../pages/account/invoices.pages.ts';
import { languagePages } from '../../pages/account/language.pages.ts';
import { mailOptOutPages } from '../../pages/account/mail-opt-out.pages.ts';
import { notificationPages } from '../../pages/account/notifications.pages.ts';
import { offerPages } from '../../pages/account/offers.pages.ts';
import { ownRegistrationPages } from '../../pages/account/own-registrations.pages.ts';
import { profilePages } from '../../pages/account/profile.pages.ts';
import { savedSearchPages } from '../../pages/account/saved-searches.pages.ts';
import { taxNumbersPages } from '../../pages/account/tax-numbers.pages.ts';
import { assetEndpoints } from '../../pages/assets.ts';
import { auctionsPages } from '../../pages/auctions/auction-lists.pages.ts';
import { auctionPages } from '../../pages/auctions/auctions.pages.ts';
import { viewingPages } from '../../pages/auctions/viewings.pages.ts';
import { consignorPages } from '../../pages/consignor/consignor.pages.ts';
import { docsPages } from '../../pages/developers/docs.pages.ts';
import { guidePages } from '../../pages/developers/guides.pages.ts';
import { tokenPages } from '../../pages/developers/tokens.pages.ts';
import { webhookPages } from '../../pages/developers/webhooks.pages.ts';
import { embedPages } from '../../pages/discovery/embed.pages.ts';
import { feedPages } from '../../pages/discovery/feeds.pages.ts';
import { sitemapPages } from '../../pages/discovery/sitemap.pages.ts';
import { failurePageOf, markStale } from '../../pages/failure-page.ts';
import { helpPages } from '../../pages/help/help.pages.ts';
import { installedPages } from '../../pages/installed/installed.pages.ts';
import { bidPages } from '../../pages/lot/bid.pages.ts';
import { choicePages } from '../../pages/lot/choice.pages.ts';
import { lotPages } from '../../pages/lot/lot.pages.ts';
import { questionPages } from '../../pages/lot/question.pages.ts';
import { reasonPages } from '../../pages/lot/reasons.pages.ts';
import { withdrawBidPages } from '../../pages/lot/withdraw-bid.pages.ts';
import { lotsPages } from '../../pages/lots/lots.pages.ts';
import { mapPages } from '../../pages/map/map.pages.ts';
import type { FailedJobs } from '../../pages/office/queue-work.ts';
import { operatorPages } from '../../pages/operator/operator.pages.ts';
import { Pages } from '../../pages/page.ts';
import { parcelsPages } from '../../pages/parcels/parcels.pages.ts';
import { screenPages } from '../../pages/screen/screen.pages.ts';
import { followingPages } from '../../pages/sellers/following.pages.ts';
import { sellerPages } from '../../pages/sellers/sellers.pages.ts';
import { servicePages } from '../../pages/service.pages.ts';
import { startPages } from '../../pages/start/start.pages.ts';
import { verifyPages } from '../../pages/verify/verify.pages.ts';
import { sales } from '../../sales/sales.ts';
import { readConsignorStatement } from '../../selling/consignments/consignor-statement.ts';
import type { Log } from '../../shared/log.ts';
import { OperatorProfile } from '../../shared/operator.ts';
import { requireUrl } from '../../webhooks/subscription-url.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { moneyParts } from '../process/money-parts.ts';
import type { ServiceMetrics } from '../process/service-metrics.ts';
import { composeAccountPages } from './compose-accounts.ts';
import { composeDesk } from './compose-desk.ts';
import type { LiveSide } from './compose-live.ts';
import { composeOffice } from './compose-office.ts';
import { ERROR_TABLE, REFUSAL_ANSWERS } from './refusal-answers.ts';

/** Every refusal of the API, for its description to people. */
const DOCUMENTED_CODES = Object.entries(ERROR_TABLE).map(([code, entry]) => ({ code, ...entry }));

/** Where a browser's push service may be: by the rules of webhooks. */
export function pushEndpointRules({ webhookAllowLoopback }: Config): (url: string) => Promise<void> {
  return (url) => requireUrl(url, { allowLoopback: webhookAllowLoopback }, 'endpoint');
}

export interface PageSide {
  readonly endpoints: readonly Endpoint[];
  readonly sessions: BrowserSessions;
  readonly operator: OperatorProfile;
  readonly sessionWatch: SessionWatch;
  readonly failurePage: NonNullable<PipelineOptions['failurePage']>;
  readonly markPage: NonNullable<PipelineOptions['markPage']>;
}

export interface PageParts {
  readonly config: Config;
  readonly backends: Backends;
  readonly rateLimiter: RateLimiter;
  /** The API's description, called only when somebody reads it. */
  readonly document: () => object;
  /** Schedules a webhook's deliveries. */
  readonly scheduleRetry: (webhookId: number) => void;
  readonly live: Pick<LiveSide, 'auctions' | 'accounts' | 'announcements'>;
  readonly log: Log;
  readonly mail: MailOutbox;
  readonly metrics: ServiceMetrics;
  /** The API's own, for pages that do what it does. */
  readonly operations: Operations;
  readonly origins: OriginNotes;
  readonly groups: ChangeParts;
  readonly failedJobs: FailedJobs;
  readonly storage: Storage;
}

/** The pages, and the sessions, watches and texts that they share with the rest of the service. */
export function composePages(parts: PageParts): PageSide {
  const { config, backends } = parts;
  const { knex, redis } = backends;
  // Counted whenever the session's user is read, which is long before their page is rendered.
  const unread = new LRUCache<number, number>({ max: 10_000 });
  const store = new RedisSessions(redis.timely, SESSION_LIFETIME);
  const sessions = new BrowserSessions({
    store,
    secrets: config.appSecrets,
    readUser: async (userId) => {
      const [found, counts] = await Promise.all([readSessionUser(knex, userId), countUnread(knex, [userId])]);
      unread.set(userId, counts.get(userId) ?? 0);
      return found;
    },
  });
  const operator = new OperatorProfile(config.operator, knex);
  const pages = new Pages(
    sessions,
    REFUSAL_ANSWERS,
    (userId) => unread.get(userId) ?? 0,
    () => operator.current,
  );
  const reads = {
    categories: new CategoryTree(knex),
    lists: new LotLists(backends),
    facets: new LotFacetCounts(knex),
  };
  const shared = { ...parts, knex, sessions, operator, pages, reads };
  return {
    sessions,
    operator,
    sessionWatch: new SessionWatch({ knex, store, sessions }),
    failurePage: failurePageOf(pages),
    markPage: markStale,
    endpoints: [
      ...salePages(shared),
      ...bidderPages(shared),
      ...businessPages(shared),
      ...developerPages(shared),
      ...publicPages(shared),
    ],
  };
}

/** The parts of every page, with what only pages share. */
interface SharedParts extends PageParts {
  readonly knex: Backends['knex'];
  readonly sessions: BrowserSessions;
  readonly operator: OperatorProfile;
  readonly pages: Pages;
  readonly reads: {
    readonly categories: CategoryTree;
    readonly lists: LotLists;
    readonly facets: LotFacetCounts;
  };
}

/** Sales and lots, with what somebody does to them. */
function salePages(parts: SharedParts): Endpoint[] {
  const { backends, config, knex, pages, reads, live, origins, mail, rateLimiter } = parts;
  const { rateLimitPerMinute, streamHosts } = config;
  const lotParts = { ...backends, ...reads, pages };
  return [
    ...startPages({ ...reads, knex, pages }),
    ...lotsPages({ ...reads, pages }),
    ...auctionsPages({ knex, pages }),
    ...auctionPages({
      ...{ ...backends, ...reads, pages },
      channels: live.auctions,
      deposits: DEPOSITS,
      streamHosts,
    }),
    ...screenPages({ ...backends, pages }),
    ...parcelsPages({ ...backends, pages, channels: live.auctions }),
    ...lotPages(lotParts),
    ...questionPages(lotParts),
    ...viewingPages({ knex, pages }),
    ...reasonPages({ ...backends, pages, mail }),
    ...withdrawBidPages({ ...backends, ...lotParts }),
    ...choicePages({ ...backends, ...lotParts, auctionOf: (id) => backends.lotLookup.auctionOf(id) }),
    ...bidPages({ ...lotParts, engine: backends.engine, origins, rateLimiter, rateLimitPerMinute }),
    ...mapPages({ ...reads, pages, tileUrl: config.mapTileUrl }),
    ...sellerPages({ knex, pages, lists: reads.lists }),
    ...followingPages({ knex, pages }),
  ];
}

/** People's own pages: account, bids, invoices, messages. */
function bidderPages(parts: SharedParts): Endpoint[] {
  const { config, backends, knex, pages, sessions, mail, metrics, live, log, reads } = parts;
  const { pubSub } = backends;
  const links = { knex, log, provider: moneyParts(config).provider };
  return [
    ...composeAccountPages({ config, backends, log, pages, sessions, mail, countSignIn: metrics.signIn }),
    ...invitationPages({
      knex,
      pages,
      pubSub,
      openBids: (userId, teamId) => openBidLots(backends, userId, { teamId }),
    }),
    ...boardPages({ ...backends, pages }),
    ...bidGroupPages({ ...parts.groups, pages }),
    ...ownRegistrationPages({ knex, pages }),
    ...savedSearchPages({ ...reads, knex, pages }),
    ...offerPages({ knex, pages, afterAccept: sales.afterAccept(backends, log) }),
    ...invoicePages({ knex, pages, links }),
    ...checkoutPages({ knex, pages, links }),
    ...taxNumbersPages({ knex, pages }),
    ...collectionPages({ knex, pages }),
    ...notificationPages({ knex, pages, pubSub, streams: live.accounts }),
    ...profilePages({ knex, pages, pubSub }),
    ...currencyPages(pages),
    ...languagePages({ knex, pages, pubSub }),
    ...mailOptOutPages({ knex, pages, appSecrets: config.appSecrets }),
  ];
}

/** Sellers, their consignors, and the staff of the service. */
function businessPages(parts: SharedParts): Endpoint[] {
  const { config, backends, knex, pages, operator, operations, log, live, storage, failedJobs } = parts;
  return [
    ...composeOffice({ config, backends, pages, operator, log, failedJobs }),
    ...composeDesk(backends, { pages, operations, log, live, storage, appSecrets: config.appSecrets }),
    ...consignorPages({ pages, readStatement: (token) => readConsignorStatement(knex, token) }),
  ];
}

function developerPages({ config, backends, knex, pages, document, scheduleRetry }: SharedParts): Endpoint[] {
  const hasTests = config.testService.kind === 'front';
  return [
    ...tokenPages({ knex, pages, pubSub: backends.pubSub, hasTests }),
    ...webhookPages({
      knex,
      pages,
      scheduleRetry,
      appSecrets: config.appSecrets,
      urlRules: { allowLoopback: config.webhookAllowLoopback },
    }),
    ...docsPages(pages, document),
    ...guidePages({ pages, document, codes: DOCUMENTED_CODES, hasTests }),
  ];
}

/** What is for everybody and about no single sale. */
function publicPages({ config, knex, pages, operator, reads }: SharedParts): Endpoint[] {
  return [
    ...operatorPages(pages, operator),
    ...helpPages({ knex, pages }),
    ...verifyPages(pages),
    ...sitemapPages(knex),
    ...feedPages({ ...reads, knex }),
    ...embedPages({ ...reads, knex }),
    ...servicePages(config.securityContact),
    ...installedPages({ knex, pages, requireEndpoint: pushEndpointRules(config) }),
    ...assetEndpoints(),
  ];
}
