/**
 * Every route with an id in its path, given the id of something that the caller may not know of: drafts and private
 * lots on every lot route, and what another team has on all others. Generated from the list of endpoints, so that a
 * new route is tried too.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { eventually } from '../support/market.ts';
import { projectAuction } from '../support/money.ts';
import { type Service, startService } from '../support/service.ts';
import { othersForms, othersThings } from './others-things.ts';

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const PASSWORD = 'a long enough password';
const SECRET = 'Nobody outside may read this';

/** Routes whose things are everybody's, or whose path is a secret in itself. */
const PUBLIC = [
  /^\/api\/v1\/categories\//,
  /^\/api\/v1\/checkpoints\//,
  /^\/media\//,
  /^\/(confirm|email\/(confirm|stop)|password\/reset|invitations|mail\/unsubscribe)\/\{token\}/,
  /\{key\}/,
  /^\/(embed\/)?sellers\//,
  // The sandbox's checkout is its provider's: anybody who knows an invoice's number pays with play money.
  /^\/sandbox\//,
  /^\/webhooks\//,
  /^\/assets\//,
  // Anybody follows a seller.
  /^\/api\/v1\/teams\/\{team\}\/follow$/,
  /^\/(help|docs|sitemaps)\//,
];
/** Bodies that pass the schema, where a route checks one before it looks anything up. */
const BODIES: Readonly<Record<string, unknown>> = {
  placeBid: { amount: '200.00' },
  chooseLots: { lot_ids: [1] },
  amendSellerLot: { changes: { title: 'Mine' }, reason: 'Mine' },
  createPaper: { kind: 'labels', format: 'csv' },
  handOutPaddle: { name: 'Mine' },
  createSalePreset: { name: 'Mine', auction_id: 1 },
  leaveBids: { bids: [{ lot_id: 1, paddle: '7', channel: 'phone', phone: '1' }] },
  orderSellerLots: { lot_ids: [1] },
  fallHammer: { lot_id: 1, result: 'passed', price: '0.00' },
  takeHammerBack: { lot_id: 1 },
  relistSellerLot: { auction_id: 1, starting_bid: '1.00' },
  inviteBidder: { email: 'mine@example.com' },
  decideRegistration: { status: 'approved' },
  changeSellerAuction: { title: 'Mine' },
  changeSellerLot: { title: 'Mine' },
  changeInventoryItem: { title: 'Mine' },
  changeAdCampaign: { name: 'Mine' },
  inviteToTeam: { email: 'mine@example.com' },
  changeTeam: { require_two_factor: true },
  createCrossListing: { platform: 'mine' },
  changeWebhookSubscription: { description: 'Mine' },
  sendQuestion: { text: 'Mine' },
  sendEnquiry: { text: 'Mine' },
  reportLot: { reason: 'other' },
  answerQuestion: { hidden: true },
  markCollected: { lot_ids: [1] },
  renamePasskey: { name: 'Mine' },
  editPicture: { turn: 90, crop: null },
  changeSellerApplication: { phone: '1' },
  setIdentityProvider: { issuer: 'https://mine.example.com', client_id: 'mine', client_secret: 'mine' },
};
const ADMIN = 'admin of the service';
/** What admins of the service may do with anybody's things: by the media rules, and as staff. */
const BY_ADMINS = new Set([
  ...['deleteMedia', 'getPictureEdit', 'editPicture', 'pictureDeskPage', 'editPictureOnPage'],
  ...['explainBid', 'reasonsPage'],
]);
/** Ends what is the caller's own, and leads back to their list where there is no such thing. */
const LEADS_BACK = new Set(['endSession', 'removeSearchOnPage']);

function isRefusal(one: Endpoint, { status, headers }: Answered): boolean {
  // What is sent here is no file.
  if (status === 415)
    return ['uploadLotsFileOnPage', 'uploadLotPhotosOnPage', 'uploadLotPhotos'].includes(one.operationId);
  if (status === 303) {
    const isSignIn = /^\/sign-in/.test(headers.get('location') ?? '');
    return isSignIn || LEADS_BACK.has(one.operationId);
  }
  return [401, 403, 404].includes(status);
}

const isOffice = ({ path }: Endpoint) => path.startsWith('/office/');

describe('An id in a path', () => {
  let service: Service;
  let hidden: Lot[];
  let privateLot: Lot;
  let personBrowser: BrowserLike;
  let pathOf: (one: Endpoint) => string;
  /** As `BODIES`, of the forms of pages. */
  let forms: Readonly<Record<string, Record<string, string>>>;
  const sessions: [name: string, browser: BrowserLike][] = [];
  const outsiders: [name: string, token: string | undefined][] = [['visitor', undefined]];
  const insiders: [name: string, token: string][] = [];

  before(async () => {
    service = await startService();
    const db = service.database;
    const person = (more: object = {}) => aUser(db, { password_hash: quickHash(PASSWORD), ...more });
    const signedIn = async ({ email }: User) => {
      const browser = new BrowserLike(service.url);
      expect((await signIn(browser, email, PASSWORD)).status).to.equal(303);
      await browser.get('/');
      return browser;
    };
    const owner = await aUser(db);
    const teamId = (await aTeam(db, { owner })).id;
    const consignor = await aUser(db);
    const registered = await person();
    const secret = { title: SECRET, description: SECRET };
    const closed = await anAuction(db, {
      ...{ ...secret, team_id: teamId },
      ...{ privacy_setting: 'private', type: 'simulcast' },
    });
    const open = await anAuction(db, { team_id: teamId });
    const unborn = await anAuction(db, { ...secret, team_id: teamId, status: 'draft' });
    privateLot = await aLot(db, { ...secret, auction_id: closed.id, consignor_id: consignor.id });
    hidden = [
      privateLot,
      await aLot(db, { ...secret, auction_id: open.id, status: 'draft' }),
      await aLot(db, { ...secret, auction_id: unborn.id, status: 'scheduled' }),
    ];
    await service.publish();
    const all = ['read', 'write', 'seller'];
    const bidder = await person();
    await aTeam(db, { owner: bidder });
    outsiders.push(['bidder', await service.tokenFor(bidder, all)]);
    const admin = await person({ is_admin: true });
    outsiders.push([ADMIN, await service.tokenFor(admin, [...all, 'admin'])]);
    for (const [name, user] of [
      ['member', owner],
      ['consignor', consignor],
      ['registered', registered],
    ] as const)
      insiders.push([name, await service.tokenFor(user, all)]);
    const invited = await service.call('POST', `/api/v1/seller/auctions/${closed.id}/registrations`, {
      token: insiders[0]?.[1],
      body: { email: registered.email },
      headers: { 'x-team-id': String(teamId) },
    });
    expect(invited.status, invited.text).to.equal(201);
    const placed = await service.call('POST', `/api/v1/lots/${privateLot.id}/bids`, {
      token: await service.tokenFor(registered, all),
      body: { amount: '200.00' },
    });
    expect(placed.status, placed.text).to.equal(201);
    await projectAuction(db, service.backends.redis, closed.id);
    // Where a bid came from is written a moment after its answer.
    await eventually(async () => (await db.knex('bids_from').select('lot_id')).length > 0);
    personBrowser = await signedIn(registered);
    forms = othersForms(privateLot.id, placed.body.data.id);
    pathOf = await othersThings(service, {
      ...{ teamId, person: registered, browser: personBrowser },
      ...{ lot: privateLot, bidId: placed.body.data.id, mark: SECRET },
    });
    const visitor = new BrowserLike(service.url);
    await visitor.get('/');
    sessions.push(['visitor', visitor], ['bidder', await signedIn(bidder)], [ADMIN, await signedIn(admin)]);
  });
  after(() => service.close());

  const withIds = (test: (path: string) => boolean) =>
    service.web.app.endpoints.filter(
      ({ path }) => path.includes('{') && test(path) && !PUBLIC.some((one) => one.test(path)),
    );
  const call = ({ method, operationId }: Endpoint, path: string, token: string | undefined) =>
    service.call(method, path, {
      token,
      ...(BODIES[operationId] === undefined ? {} : { body: BODIES[operationId] }),
      headers: { accept: 'application/json' },
    });
  const browse = ({ method, operationId }: Endpoint, path: string, browser: BrowserLike) => {
    const form = new URLSearchParams({ _csrf: browser.csrfToken, ...forms[operationId] });
    const headers = { accept: 'application/json', 'x-csrf-token': browser.csrfToken };
    return browser.send(method, path, headers, method === 'POST' ? form : null);
  };
  /** Everybody without a right to a thing: the API by token, pages by session, each as a visitor too. */
  function actors(one: Endpoint): [name: string, act: (path: string) => Promise<Answered>][] {
    const byToken = outsiders
      .filter(([name]) => !(name === ADMIN && BY_ADMINS.has(one.operationId)))
      .map(([name, token]): ReturnType<typeof actors>[number] => [name, (path) => call(one, path, token)]);
    if (one.access.session !== true) return byToken;
    const bySession = sessions
      .filter(([name]) => !(name === ADMIN && (BY_ADMINS.has(one.operationId) || isOffice(one))))
      .map(([name, browser]): ReturnType<typeof actors>[number] => [
        `${name} by session`,
        (path) => browse(one, path, browser),
      ]);
    return one.page === true ? bySession : [...byToken, ...bySession];
  }
  const answerOf = (one: Endpoint, path: string) =>
    Promise.all(actors(one).map(async ([name, act]) => [name, await act(path)] as const));
  /** Every table there is, as text. */
  async function everyRow(): Promise<Record<string, string>> {
    const { knex } = service.database;
    const { rows } = await knex.raw<{ rows: { name: string }[] }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_name NOT IN ('tokens', 'activity', 'journal_writers', 'journal_marks')`,
    );
    const all = rows.map(
      ({ name }) => `SELECT '${name}' AS name, (SELECT string_agg(t::text, E'\\n'
      ORDER BY t::text) FROM ${name} t) AS rows`,
    );
    const found = await knex.raw<{ rows: { name: string; rows: string | null }[] }>(all.join(' UNION ALL '));
    return Object.fromEntries(found.rows.map(({ name, rows: text }) => [name, text ?? '']));
  }

  it('reveals nothing of a draft or private lot to outsiders, on any lot route', async () => {
    const seen: string[] = [];
    const routes = withIds((path) => path.includes('{lot}'));
    expect(routes.length).to.be.above(10);
    for (const one of routes) {
      for (const lot of hidden) {
        const path = one.path.replace('{lot}', String(lot.id)).replaceAll(/\{[^}]+\}/g, '1');
        for (const [name, answer] of await answerOf(one, path)) {
          if (!isRefusal(one, answer) || answer.text.includes(SECRET))
            seen.push(
              `${one.operationId} as ${name}, lot ${lot.status}: ${answer.status} ${answer.text.slice(0, 80)}`,
            );
        }
      }
    }
    expect(seen).to.deep.equal([]);
  });

  it('shows a private lot to insiders, on every route that reads it', async () => {
    for (const one of withIds((path) => /^\/api\/v1\/lots\/\{lot\}(\/(bids|journal))?$/.test(path))) {
      if (one.method !== 'GET') continue;
      for (const [name, token] of insiders) {
        const { status, text } = await call(one, one.path.replace('{lot}', String(privateLot.id)), token);
        expect(status, `${one.operationId} as ${name}: ${text}`).to.equal(200);
      }
    }
  });

  it('serves a private auction’s files only to those who may see it', async () => {
    await service.database.knex('media').insert({
      lot_id: privateLot.id,
      kind: 'document',
      file_key: 'secretkey.pdf',
      file_name: 'secret.pdf',
      mime_type: 'application/pdf',
      size: 1,
    });
    const get = (token?: string) =>
      service.call('GET', '/media/secretkey.pdf', { token, headers: { 'if-none-match': '*' } });
    for (const [name, token] of outsiders) expect((await get(token)).status, name).to.equal(404);
    for (const [name, token] of insiders) expect((await get(token)).status, name).to.equal(304);
  });

  it('lets an outsider do nothing with what a team or a person has', async () => {
    const before = await everyRow();
    const done: string[] = [];
    for (const one of withIds((path) => !path.includes('{lot}'))) {
      for (const [name, answer] of await answerOf(one, pathOf(one))) {
        if (!isRefusal(one, answer)) done.push(`${one.operationId} as ${name}: ${answer.status}`);
        if (answer.text.includes(SECRET)) done.push(`${one.operationId} tells ${name}`);
      }
    }
    expect(done).to.deep.equal([]);
    // A 404 after the action is no refusal.
    const after = await everyRow();
    for (const [table, rows] of Object.entries(before)) expect(after[table], table).to.equal(rows);
    expect((await personBrowser.get('/account/security')).status, 'their session').to.equal(200);
  });
});
