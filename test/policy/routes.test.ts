/**
 * Every route has a row: an operation of the service is named by an action of a table of `src/shared/policy`, or below
 * with the reason why none is needed. A route that is new fails here until it is said who may use it.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { POLICIES } from '../../src/shared/policy/policies.ts';
import { type Service, startService } from '../support/service.ts';
import { isNamed, keyOf } from './named-routes.ts';

/** Routes that need no row, and why: by operation, by the beginning of a path, or by all of it behind `=`. */
const WITHOUT: readonly (readonly [reason: string, names: readonly string[]])[] = [
  [
    'documents, pictures and state of the service itself: the same for everybody',
    [
      ...[
        '/docs',
        '/.well-known/',
        '/assets/',
        '/help',
        '/api/v1/help/',
        '/icon-',
        '=/verify',
        '=/verify.mjs',
      ],
      ...['=/terms', '=/privacy', '=/imprint', '/operator/', '=/offline', '=/favicon.ico', '/changelog.xml'],
      ...[
        '=/manifest.webmanifest',
        '=/service-worker.js',
        '=/robots.txt',
        '/sitemap',
        '=/healthz',
        '=/readyz',
      ],
      ...['=/metrics', '=/map/outline.json', '=/currency', '=/language', '=/api/v1/push/key'],
    ],
  ],
  [
    'lists of what everybody may choose from',
    [
      ...['/api/v1/categories', '=/api/v1/places', '=/api/v1/subscription-plans'],
      ...['=/api/v1/cross-listing-platforms', '/api/v1/checkpoints', '=/auctions', '=/lots.rss'],
    ],
  ],
  [
    'signing in and up, and what is done by a secret that was mailed: whoever knows it (test/src/pages/sign-in.test.ts)',
    [
      ...['/sign-', '/confirm/', '/password/', '/email/', '/mail/unsubscribe/', '/sandbox/'],
      ...['/account/prove'],
    ],
  ],
  [
    'what is one’s own, found by who asks: the account’s table alone judges (test/security/account-gate.test.ts), and ' +
      'what others have by its id is not there (test/security/ids.test.ts)',
    [
      ...['listMyBids', 'readBoard', 'createBidGroup', 'listBidGroups', 'getBidGroup', 'stopBidGroup'],
      ...['unwatchLot', 'listWatchlist', 'followTeam', 'unfollowTeam', 'listFollowing', 'getMe'],
      ...['sendTaxNumber', 'listTaxNumbers', 'getUser', 'getVerification', 'requestVerification'],
      ...['listNotifications', 'readNotifications', 'getNotificationPreferences'],
      ...['changeNotificationPreferences', 'addPushSubscription', 'listPushSubscriptions'],
      ...['removePushSubscription', 'pushOnPage', 'sendSellerApplication', 'listSellerApplications'],
      ...['changeSellerApplication', 'mailReceipt', 'getEmailAddress', 'changeEmailAddress'],
      ...['withdrawEmailAddress', 'listPasskeys', 'renamePasskey', 'changeEmailAddressOnPage'],
      ...['withdrawEmailAddressOnPage', 'securityPage', 'changePassword', 'endSession', 'endSessions'],
      ...['sendConfirmation', 'twoFactorPage', 'enableTwoFactor', 'newRecoveryCodes'],
      ...['disableTwoFactor', 'teamLinkPage', 'linkTeamSignInOnPage', 'unlinkTeamSignInOnPage'],
      ...['passkeyPage', 'addPasskeyOnPage', 'renamePasskeyOnPage', 'removePasskeyOnPage'],
      ...['activityPage', 'boardPage', 'boardPage2', 'boardPage3', 'boardPage4', 'bidGroupsPage'],
      ...['newBidGroupPage', 'createBidGroupOnPage', 'stopBidGroupOnPage', 'registrationsPage'],
      ...['saveSearchOnPage', 'checkoutPage', 'payCheckoutPage', 'taxNumbersPage'],
      ...['sendTaxNumberOnPage', 'collectionsPage', 'bookCollectionOnPage', 'collectionPage'],
      ...['bookCollection', 'listCollections', 'getCollection', 'notificationsPage'],
      ...['readNotificationsOnPage', 'openNotification', 'chooseNotificationsOnPage', 'accountStream'],
      ...['profilePage', 'changeProfileOnPage', 'verifyOnPage', 'createTokenOnPage', 'followOnPage'],
      ...['followingPage', 'sellPage', 'sendSellerApplicationOnPage'],
    ],
  ],
  [
    'hangs on an auction or lot, and is seen and done by whom its table says (test/security/ids.test.ts, ' +
      'test/src/accounts/teams/two-teams.test.ts)',
    [
      ...['readParcels', 'listQuestions', 'sendQuestion', 'sendEnquiry', 'reportLot'],
      ...['listSellerQuestions', 'answerQuestion', 'listViewings', 'bookViewing', 'getViewingCalendar'],
      ...['followAd', 'listCrossListings', 'createCrossListing', 'removeCrossListing', 'leaveBids'],
      ...['listLeftBids', 'removeLeftBid', 'chooseLots', 'saleroomScreenPage', 'parcelsPage'],
      ...['sendQuestionOnPage', 'enquireOnPage', 'reportOnPage', 'viewingsPage', 'bookViewingOnPage'],
      ...['viewingCalendarOnPage', 'chooseLotsOnPage', 'lotTablePage', 'leftBidsPage'],
      ...['leaveBidsOnPage', 'removeLeftBidOnPage', 'saleroomPage', 'callBidInSaleroomOnPage'],
      ...['callLeftBidOnPage', 'fallHammerInSaleroomOnPage', 'undoFloorBidOnPage'],
      ...['takeHammerBackOnPage', 'giveFairWarningOnPage', 'nextLotInSaleroomOnPage', 'fallHammer'],
      ...['takeHammerBack', 'sellerQuestionsPage', 'answerOnPage', 'sellerCollectionsPage'],
      ...['sellerCollectionPage', 'markCollectedOnPage', 'listCollectionSlots', 'listSellerCollections'],
      ...['getSellerCollection', 'markCollected', 'sellerEmbed', 'auctionCalendar'],
    ],
  ],
];

/** What actions name: operations, or `METHOD /path*` for all under a path. */
const NAMED = POLICIES.flatMap(({ actions }) => Object.values(actions).flatMap(({ by }) => by));

function fits({ path, operationId }: Endpoint, name: string): boolean {
  if (name.startsWith('=')) return path === name.slice(1);
  return name.startsWith('/') ? path.startsWith(name) : operationId === name;
}

const isExcused = (route: Endpoint) => WITHOUT.some(([, names]) => names.some((name) => fits(route, name)));

/** Routes that nobody has said a word about. */
const unsaid = (routes: readonly Endpoint[], named: readonly string[]): string[] =>
  routes.filter((route) => !isNamed(route, named) && !isExcused(route)).map(keyOf);

describe('the tables of who may do what', () => {
  let service: Service;
  let routes: readonly Endpoint[];

  before(async () => {
    service = await startService();
    routes = service.web.app.endpoints;
  });
  after(() => service.close());

  it('have a row for each route', () => {
    expect(unsaid(routes, NAMED)).to.deep.equal([]);
  });

  it('find a route without one', () => {
    const lost = NAMED.filter(
      (name) => name !== 'listSettlements' && name !== 'decline' && name !== 'GET /office*',
    );
    expect(unsaid(routes, lost)).to.include('GET /api/v1/settlements').and.to.include('GET /office/queue');
  });

  it('name no operation that there is not, and excuse none', () => {
    const operations = new Set(routes.map(({ operationId }) => operationId));
    const isKnown = (name: string) =>
      operations.has(name) || name.startsWith('rostrum ') || routes.some((route) => isNamed(route, [name]));
    expect(NAMED.filter((name) => !isKnown(name))).to.deep.equal([]);
    const excused = WITHOUT.flatMap(([, names]) => names);
    expect(excused.filter((name) => !routes.some((route) => fits(route, name)))).to.deep.equal([]);
  });
});
