/**
 * Puts the web side together: the backends, what requests need of it, and the list of all endpoints. One screen, no
 * container library; a new resource needs a line in `endpointsOf`.
 */

import { Registry } from 'prom-client';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { createHttpApp, type HttpApp } from '../../../adapters/http/mount.ts';
import { Operations } from '../../../adapters/http/operations.ts';
import type { AnswerObserver } from '../../../adapters/http/responder.ts';
import { isPostgresUnavailable } from '../../../adapters/postgres/postgres-unavailable.ts';
import { Attempts } from '../../../adapters/redis/attempts.ts';
import { RedisRateLimiter } from '../../../adapters/redis/redis-rate-limit.ts';
import { isRedisUnavailable } from '../../../adapters/redis/redis-unavailable.ts';
import { recordingActivity } from '../../accounts/activity/recorded-endpoints.ts';
import { accountRefusal } from '../../accounts/people/account-gate.ts';
import { accountEndpoints } from '../../accounts/people/accounts.endpoints.ts';
import { hashPasswordsAt } from '../../accounts/people/password.ts';
import { userEndpoints } from '../../accounts/people/user.endpoints.ts';
import { taxNumberEndpoints } from '../../accounts/tax-numbers/tax-numbers.endpoints.ts';
import { applicationEndpoints } from '../../accounts/teams/applications.endpoints.ts';
import { invitationEndpoints } from '../../accounts/teams/invitations.endpoints.ts';
import { memberEndpoints } from '../../accounts/teams/members.endpoints.ts';
import { teamEndpoints } from '../../accounts/teams/teams.endpoints.ts';
import { BAD_TOKENS, BadTokens } from '../../accounts/tokens/bad-tokens.ts';
import { TokenAuthenticator } from '../../accounts/tokens/token-cache.ts';
import { bidReadingEndpoints } from '../../bidding/bids/bid-reading.endpoints.ts';
import { bidEndpoints } from '../../bidding/bids/bids.endpoints.ts';
import { followDecidedBids } from '../../bidding/bids/follow-bids.ts';
import { withdrawBidEndpoints } from '../../bidding/bids/withdraw-bid.endpoints.ts';
import { boardEndpoints } from '../../bidding/board/board.endpoints.ts';
import { explanationEndpoints } from '../../bidding/explanations/explanations.endpoints.ts';
import { fairnessEndpoints } from '../../bidding/fairness/fairness.endpoints.ts';
import type { ChangeParts } from '../../bidding/groups/change-groups.ts';
import { bidGroupEndpoints } from '../../bidding/groups/groups.endpoints.ts';
import { BidOrigins } from '../../bidding/origins/bid-origins.ts';
import { parcelsEndpoints } from '../../bidding/parcels/parcels.endpoints.ts';
import { registrationEndpoints } from '../../bidding/registrations/registrations.endpoints.ts';
import { DEPOSITS } from '../../billing/deposits/deposits.ts';
import { notificationEndpoints } from '../../notifications/inbox/notifications.endpoints.ts';
import { pushEndpoints } from '../../notifications/push/push.endpoints.ts';
import { pushKeys } from '../../notifications/push/push-keys.ts';
import { leadingToForms } from '../../pages/failure-page.ts';
import { sales } from '../../sales/sales.ts';
import { salePresetEndpoints } from '../../selling/auctions/sale-presets.endpoints.ts';
import { sellerAuctionEndpoints } from '../../selling/auctions/seller-auctions.endpoints.ts';
import { campaignEndpoints } from '../../selling/campaigns/campaigns.endpoints.ts';
import { adTally } from '../../selling/campaigns/counting.ts';
import { consignmentEndpoints } from '../../selling/consignments/consignments.endpoints.ts';
import { consignorLinkEndpoints } from '../../selling/consignments/consignor-links.endpoints.ts';
import { crossListingEndpoints } from '../../selling/cross-listings/cross-listings.endpoints.ts';
import { inventoryEndpoints } from '../../selling/inventory/inventory.endpoints.ts';
import { lotOrderEndpoints } from '../../selling/lots/lot-order.endpoints.ts';
import { sellerDeletionEndpoints } from '../../selling/lots/seller-deletions.endpoints.ts';
import { sellerLotEndpoints } from '../../selling/lots/seller-lots.endpoints.ts';
import { paperEndpoints } from '../../selling/papers/papers.endpoints.ts';
import { TeamCacheVersions, versioningChanges } from '../../selling/team-cache-version.ts';
import { answerIn } from '../../shared/languages/answer-in.ts';
import type { Log } from '../../shared/log.ts';
import { REDIS_SCRIPTS } from '../../shared/project-root.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { failedJobs } from '../process/failed-jobs.ts';
import { metricsText } from '../process/family-metrics.ts';
import { groupParts } from '../process/group-parts.ts';
import { mailOutboxOf } from '../process/mail.ts';
import { moneyParts } from '../process/money-parts.ts';
import { queueAddressOf } from '../process/queue-address.ts';
import { readinessOf } from '../process/readiness.ts';
import { serviceMetrics } from '../process/service-metrics.ts';
import { shareFigures } from '../process/shared-figures.ts';
import { tracingAnswers } from '../process/traces.ts';
import { openTestSide } from '../test-service/test-side.ts';
import { catalogEndpoints } from './catalog.endpoints.ts';
import { composeLive, type LiveSide } from './compose-live.ts';
import { composeMedia } from './compose-media.ts';
import { moneyEndpoints } from './compose-money.ts';
import { composePages, type PageSide, pushEndpointRules } from './compose-pages.ts';
import { composeSimulcast, fillRegistry } from './compose-simulcast.ts';
import { composeWebhooks } from './compose-webhooks.ts';
import { API_INFO } from './openapi-info.ts';
import { problemOf, REFUSAL_ANSWERS } from './refusal-answers.ts';

export interface WebSide {
  readonly app: HttpApp;
  /** Writes what is still to be written of bids that were answered. */
  flush(): Promise<void>;
  readonly metrics: Registry;
  close(): Promise<void>;
}

/** Every endpoint of the service over the backends. */
function endpointsOf(
  config: Config,
  backends: Backends,
  live: LiveSide,
  pages: PageSide,
  { origins, groups }: { readonly origins: BidOrigins; readonly groups: ChangeParts },
): Endpoint[] {
  const versions = new TeamCacheVersions(backends.redis.timely);
  return [
    ...bidEndpoints({ engine: backends.engine, origins }),
    ...withdrawBidEndpoints(backends),
    ...bidReadingEndpoints(backends),
    ...parcelsEndpoints(backends),
    ...boardEndpoints(backends),
    ...bidGroupEndpoints(groups),
    ...fairnessEndpoints(backends),
    ...explanationEndpoints(backends),
    ...catalogEndpoints({ ...backends, ads: adTally(backends) }),
    ...live.endpoints,
    ...accountEndpoints(backends.knex),
    ...taxNumberEndpoints(backends.knex),
    ...userEndpoints(backends.knex),
    ...registrationEndpoints({ ...backends, deposits: DEPOSITS }),
    ...versioningChanges(versions, [
      ...sellerAuctionEndpoints({ ...backends, ...moneyParts(config), streamHosts: config.streamHosts }),
      ...sellerLotEndpoints({ ...backends, versions }),
      ...lotOrderEndpoints(backends),
      ...sellerDeletionEndpoints(backends),
      ...inventoryEndpoints(backends),
    ]),
    ...consignmentEndpoints(backends),
    ...consignorLinkEndpoints(backends.knex),
    ...salePresetEndpoints(backends.knex),
    ...notificationEndpoints(backends),
    ...pushEndpoints({
      knex: backends.knex,
      pushKeys: () => pushKeys(backends.knex, config.appSecrets),
      requireEndpoint: pushEndpointRules(config),
    }),
    ...campaignEndpoints(backends),
    ...invitationEndpoints({ knex: backends.knex, mail: mailOutboxOf(config) }),
    ...teamEndpoints(backends),
    ...applicationEndpoints(backends),
    ...memberEndpoints(backends),
    ...crossListingEndpoints(backends),
    ...composeSimulcast(config, backends),
    ...pages.endpoints,
  ];
}

export interface WebOptions {
  /** Sees every answer as it goes out. */
  readonly observe?: AnswerObserver;
  /** The binary logarithm of what a password's hash costs in this process: less for tests of other things. */
  readonly passwordCost?: number;
}

function badTokensOf({ rateLimitPerMinute }: Config, { redis }: Backends): BadTokens | null {
  return rateLimitPerMinute === 0 ? null : new BadTokens(new Attempts(redis.timely, BAD_TOKENS));
}

function rateLimiterOf({ redis }: Backends): RedisRateLimiter {
  return new RedisRateLimiter(redis.link, { slots: redis.masters > 1 ? 16 : 1, scripts: REDIS_SCRIPTS });
}

/** The limits, refusals and reports of the application, by the configuration. */
function appSettings(config: Config, backends: Backends) {
  return {
    accountRefusal(...call: Parameters<typeof accountRefusal>) {
      const refusal = accountRefusal(...call);
      return refusal === null ? null : problemOf(refusal);
    },
    refusals: REFUSAL_ANSWERS,
    inLanguage: answerIn,
    isUnavailable: (error: unknown) => isPostgresUnavailable(error) || isRedisUnavailable(error),
    rateLimitPerMinute: config.rateLimitPerMinute,
    readiness: () => readinessOf(backends, config),
    ...(config.metricsToken === null ? {} : { metricsToken: config.metricsToken }),
    trustProxy: config.trustProxy,
    ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
    openapi: API_INFO,
    ...(backends.tracing === null ? {} : { wrap: tracingAnswers(backends.tracing) }),
  };
}

/** Everything of the HTTP side that is opened and has to be closed. */
async function openParts(config: Config, backends: Backends, log: Log) {
  const metrics = new Registry();
  const figures = serviceMetrics(metrics, config, backends);
  followDecidedBids(backends.engine, log);
  const stopSharing = await shareFigures(backends, metrics, 'web');
  const badTokens = badTokensOf(config, backends);
  const tokens = new TokenAuthenticator(backends.knex, badTokens);
  await tokens.listen(backends.pubSub);
  const testSide = await openTestSide(config, backends, {
    badTokens,
    log,
    problemOf: REFUSAL_ANSWERS.problemOf,
  });
  const live = await composeLive(backends);
  figures.countStreams(() => live.clients());
  const stopFilling = fillRegistry(config, backends, log);
  const webhooks = composeWebhooks(config, backends, log);
  const media = await composeMedia(config, backends, log);
  const origins = new BidOrigins({ knex: backends.knex, appSecrets: config.appSecrets, log });
  const stoppedJobs = failedJobs(queueAddressOf(config, backends.addresses.redisUrl));
  return {
    ...{ metrics, figures, tokens, testSide, live, webhooks, media, origins, stoppedJobs },
    async close() {
      media.close();
      await origins.close();
      await stoppedJobs.close();
      await webhooks.close();
      stopFilling();
      await live.close();
      await testSide.close();
      await tokens.close();
      await stopSharing();
      await figures.close();
    },
  };
}

/** Wires the HTTP side. */
export async function composeWeb(
  config: Config,
  backends: Backends,
  log: Log,
  options: WebOptions = {},
): Promise<WebSide> {
  if (options.passwordCost !== undefined) hashPasswordsAt(options.passwordCost);
  const parts = await openParts(config, backends, log);
  const { metrics, tokens, testSide, live, webhooks, media, origins } = parts;
  const rateLimiter = rateLimiterOf(backends);
  const operations = new Operations(accountRefusal);
  const groups = groupParts(config, backends, origins, log);
  const pages: PageSide = composePages({
    ...{ config, backends, rateLimiter, live, log, operations, origins, groups },
    document: () => app.document,
    scheduleRetry: webhooks.scheduleRetry,
    mail: mailOutboxOf(config),
    metrics: parts.figures,
    failedJobs: parts.stoppedJobs,
    storage: media.storage,
  });
  const endpoints = [
    ...pages.sessionWatch.endingStreams(endpointsOf(config, backends, live, pages, { origins, groups })),
    ...webhooks.endpoints,
    ...paperEndpoints({ knex: backends.knex, storage: media.storage }),
    ...versioningChanges(new TeamCacheVersions(backends.redis.timely), media.endpoints),
    ...moneyEndpoints({ config, backends, log, operatorName: () => pages.operator.current.name }),
    ...sales.endpoints(backends, log),
  ];
  operations.serve(endpoints);
  const app: HttpApp = createHttpApp({
    endpoints: recordingActivity({ knex: backends.knex, log }, endpoints),
    authenticate: testSide.authenticate ?? tokens.authenticate,
    ...appSettings(config, backends),
    sessions: pages.sessions,
    failurePage: leadingToForms(pages.failurePage, endpoints),
    markPage: pages.markPage,
    rateLimiter,
    metrics,
    metricsText: metricsText(metrics),
    log,
    ...options,
  });
  return {
    app: testSide.around(app),
    metrics,
    flush: () => origins.flush(),
    async close() {
      pages.sessionWatch.close();
      await parts.close();
    },
  };
}
