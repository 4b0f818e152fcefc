/**
 * Every route with an id in its path, given the id of something that the caller may not know of: drafts and private
 * lots on every lot route, and what another team has on all others. Generated from the list of endpoints, so that a
 * new route is tried too.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Answer, type Service, startService } from '../support/service.ts';

const SECRET = 'Nobody outside may read this';

/** Routes whose things are everybody's, or whose path is a secret in itself. */
const PUBLIC = [
  /^\/api\/v1\/categories\//,
  /^\/api\/v1\/checkpoints\//,
  /^\/media\//,
  /\{token\}/,
  /\{key\}/,
  /^\/webhooks\//,
  /^\/assets\//,
  /^\/(help|docs)\//,
];
/** Bodies that pass the schema, where a route checks one before it looks anything up. */
const BODIES: Readonly<Record<string, unknown>> = {
  placeBid: { amount: '200.00' },
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
};
/** What an admin of the service may do to anybody's things, by the media rules. */
const BY_ADMINS = new Set(['deleteMedia as admin of the service']);

/** Pages check a form before they look at what it is about. */
function isRefusal(one: Endpoint, { status, headers }: Answer): boolean {
  // What is sent here is no file.
  if (status === 415) return one.operationId === 'uploadLotsFileOnPage';
  if (status === 303) return /^\/sign-in/.test(headers.get('location') ?? '');
  return [401, 403, 404].includes(status) || (status === 422 && !one.path.startsWith('/api/'));
}

describe('An id in a path', function () {
  this.timeout(60_000);
  let service: Service;
  let hidden: Lot[];
  let privateLot: Lot;
  let teamId: number;
  const outsiders: [name: string, token: string | undefined][] = [['visitor', undefined]];
  const insiders: [name: string, token: string][] = [];

  before(async () => {
    service = await startService();
    const db = service.database;
    const owner = await aUser(db);
    teamId = (await aTeam(db, { owner })).id;
    const consignor = await aUser(db);
    const registered = await aUser(db);
    const secret = { title: SECRET, description: SECRET };
    const closed = await anAuction(db, { ...secret, team_id: teamId, privacy_setting: 'private' });
    const open = await anAuction(db, { team_id: teamId });
    const unborn = await anAuction(db, { ...secret, team_id: teamId, status: 'draft' });
    privateLot = await aLot(db, { ...secret, auction_id: closed.id, consignor_id: consignor.id });
    hidden = [
      privateLot,
      await aLot(db, { ...secret, auction_id: open.id, status: 'draft' }),
      await aLot(db, { ...secret, auction_id: unborn.id, status: 'scheduled' }),
    ];
    await db
      .knex('registrations')
      .insert({ auction_id: closed.id, user_id: registered.id, status: 'approved' });
    await service.publish();
    const all = ['read', 'write', 'seller'];
    outsiders.push(['bidder', await service.tokenFor(await aUser(db), all)]);
    const admin = await aUser(db, { is_admin: true });
    outsiders.push(['admin of the service', await service.tokenFor(admin, [...all, 'admin'])]);
    for (const [name, user] of [
      ['member', owner],
      ['consignor', consignor],
      ['registered', registered],
    ] as const)
      insiders.push([name, await service.tokenFor(user, all)]);
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

  it('tells an outsider nothing of a draft or private lot, on any lot route', async () => {
    const told: string[] = [];
    const routes = withIds((path) => path.includes('{lot}'));
    expect(routes.length).to.be.above(10);
    for (const one of routes) {
      for (const lot of hidden) {
        const path = one.path.replace('{lot}', String(lot.id)).replaceAll(/\{[^}]+\}/g, '1');
        for (const [name, token] of outsiders) {
          const answer = await call(one, path, token);
          if (!isRefusal(one, answer) || answer.text.includes(SECRET))
            told.push(
              `${one.operationId} as ${name}, lot ${lot.status}: ${answer.status} ${answer.text.slice(0, 80)}`,
            );
        }
      }
    }
    expect(told).to.deep.equal([]);
  });

  it('tells an insider of a private lot, on every route that reads it', async () => {
    for (const one of withIds((path) => /^\/api\/v1\/lots\/\{lot\}(\/(bids|journal))?$/.test(path))) {
      if (one.method !== 'GET') continue;
      for (const [name, token] of insiders) {
        const { status, text } = await call(one, one.path.replace('{lot}', String(privateLot.id)), token);
        expect(status, `${one.operationId} as ${name}: ${text}`).to.equal(200);
      }
    }
  });

  it('gives a private auction’s files to those alone who may see it', async () => {
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

  it('lets an outsider do nothing with what a team has', async () => {
    const done: string[] = [];
    for (const one of withIds((path) => !path.includes('{lot}'))) {
      const id = /\/(seller\/auctions|auctions)\//.test(one.path) ? privateLot.auction_id : privateLot.id;
      const path = one.path
        .replace('{team}', String(teamId))
        .replaceAll(/\{(id|auction)\}/g, String(id))
        .replaceAll(/\{[^}]+\}/g, '1');
      for (const [name, token] of outsiders) {
        const answer = await call(one, path, token);
        if (BY_ADMINS.has(`${one.operationId} as ${name}`)) continue;
        if (!isRefusal(one, answer) || answer.text.includes(SECRET))
          done.push(`${one.operationId} as ${name}: ${answer.status} ${answer.text.slice(0, 80)}`);
      }
    }
    expect(done).to.deep.equal([]);
    // A 404 after the deed is no refusal.
    const { knex } = service.database;
    expect(await knex('lots').where('id', privateLot.id).first('title', 'status')).to.deep.equal({
      title: SECRET,
      status: 'active',
    });
    expect(await knex('auctions').where('id', privateLot.auction_id).first('title', 'status')).to.deep.equal({
      title: SECRET,
      status: 'active',
    });
  });
});
