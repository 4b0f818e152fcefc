/**
 * Every body field that names something, given a thing that does not exist and a thing of another team: refused at
 * every write, whatever the state, and both alike, so that no answer tells what another team has. The list is compared
 * with the API's description, so that a new field has to be added to it.
 */

import type { TObject, TSchema } from '@sinclair/typebox';
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';
import { biddingCases, NOWHERE, postedBy, type ReferenceCase } from './reference-cases.ts';

/** What names something in a body, and is none of ours: `id`s of nested items are found by their dotted paths. */
const NAMES = /(^|_)ids?$|^platform$|^plan$|^sku$|^simulcast_platforms$/;
/** Names of the caller's own making, or of another kind. */
const NO_REFERENCES = new Set([
  // Those of others are passed over: a list of what one has read may be old.
  'readNotifications.ids',
  // A name at the team's provider, not of anything here.
  'setIdentityProvider.client_id',
  'createInventoryItem.sku',
  'changeInventoryItem.sku',
  'createSellerLot.sku',
  'changeSellerLot.sku',
]);

const COLLECTED = '/api/v1/seller/collections/AAAAAAAA/collected';
const HAMMER = '/api/v1/seller/auctions/1/hammer';
const combined = (lot_ids: unknown) => ({ lot_ids, amount: '10.00' });
const TWO = [1, 2].map((lot_id) => ({ lot_id, max_amount: '9.00' }));
const HOUSE = { name: 'H', legal_name: 'A', address: 'B', sells: 'C', phone: '1', sales_per_year: '1_to_4' };

describe('What a body names', () => {
  let service: Service;
  let seller: User;
  let token: string;
  let teamId: number;
  let cases: ReferenceCase[];
  /** What another team has and nobody else sees, by the field that names it. */
  let theirs: Readonly<Record<string, number>>;

  const send = (method: string, path: string, body: unknown) =>
    service.call(method, path, { token, body, headers: { 'x-team-id': String(teamId) } });

  before(async () => {
    service = await startService();
    const db = service.database;
    seller = await aUser(db);
    teamId = (await aTeam(db, { owner: seller })).id;
    token = await service.tokenFor(seller, ['read', 'write', 'seller']);
    const other = (await aTeam(db)).id;
    const draft = await anAuction(db, { team_id: teamId, status: 'draft' });
    const live = await anAuction(db, { team_id: teamId });
    const lots = [
      await aLot(db, { auction_id: draft.id, status: 'draft' }),
      await aLot(db, { auction_id: live.id }),
    ];
    const theirAuction = await anAuction(db, { team_id: other, status: 'draft' });
    const theirLot = await aLot(db, { auction_id: theirAuction.id, status: 'draft' });
    theirs = { auction_id: theirAuction.id, lot_id: theirLot.id, lot_ids: theirLot.id, team_id: other };
    const theirSale = await anAuction(db, { team_id: other });
    const lotOnSale = await aLot(db, { auction_id: theirSale.id });
    await aCategory(db);
    await service.publish();
    cases = [
      ...auctionCases(draft.id, live.id),
      ...lotCases(
        draft.id,
        lots.map(({ id }) => id),
      ),
      ...inventoryCases(),
      relistCase((await aLot(db, { auction_id: live.id, status: 'unsold' })).id),
      ...otherCases(lots[1]!.id),
      ...biddingCases(posted, { draft, auction: live, teamId, lotOnSale }),
    ];
  });
  after(() => service.close());

  const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const auction = () => ({ title: 'Sale', start_time: soon(1), end_time: soon(9) });
  const campaign = () => ({
    name: 'C',
    placement: 'search',
    pricing_model: 'flat',
    budget_cents: 10_000,
    start_date: soon(24).slice(0, 10),
    end_date: soon(48).slice(0, 10),
  });
  const lot = (auctionId: number) => ({ auction_id: auctionId, title: 'Lot', starting_bid: '10.00' });

  function auctionCases(draftId: number, liveId: number): ReferenceCase[] {
    const category = { value: NOWHERE, refused: 'category_id' };
    const of = (id: number): ReferenceCase => ({
      of: 'changeSellerAuction.category_id',
      send: (value) => send('PATCH', `/api/v1/seller/auctions/${id}`, { category_id: value }),
      missing: category,
    });
    return [
      {
        of: 'createSellerAuction.category_id',
        send: (value) => send('POST', '/api/v1/seller/auctions', { ...auction(), category_id: value }),
        missing: category,
      },
      of(draftId),
      of(liveId),
      {
        of: 'createSellerAuction.simulcast_platforms',
        send: (value) =>
          send('POST', '/api/v1/seller/auctions', { ...auction(), simulcast_platforms: value }),
        missing: { value: ['nowhere'], refused: 'simulcast_platforms' },
      },
      {
        of: 'changeSellerAuction.simulcast_platforms',
        send: (value) => send('PATCH', `/api/v1/seller/auctions/${liveId}`, { simulcast_platforms: value }),
        missing: { value: ['nowhere'], refused: 'simulcast_platforms' },
      },
    ];
  }

  function lotCases(draftId: number, lotIds: readonly number[]): ReferenceCase[] {
    const create =
      (field: string): ReferenceCase['send'] =>
      (value) =>
        send('POST', '/api/v1/seller/lots', { ...lot(draftId), [field]: value });
    const made: ReferenceCase[] = ['category_id', 'consignor_id'].map((field) => ({
      of: `createSellerLot.${field}`,
      send: create(field),
      missing: { value: NOWHERE, refused: field },
    }));
    made.push({
      of: 'createSellerLot.auction_id',
      send: create('auction_id'),
      missing: { value: NOWHERE, refused: 404 },
    });
    for (const id of lotIds) {
      const change =
        (field: string): ReferenceCase['send'] =>
        (value) =>
          send('PATCH', `/api/v1/seller/lots/${id}`, { [field]: value });
      made.push(
        {
          of: 'changeSellerLot.category_id',
          send: change('category_id'),
          missing: { value: NOWHERE, refused: 'category_id' },
        },
        {
          of: 'changeSellerLot.consignor_id',
          send: change('consignor_id'),
          missing: { value: NOWHERE, refused: 'consignor_id' },
        },
        {
          of: 'changeSellerLot.auction_id',
          send: change('auction_id'),
          missing: { value: NOWHERE, refused: 404 },
        },
      );
    }
    return made;
  }

  function relistCase(lotId: number): ReferenceCase {
    return {
      of: 'relistSellerLot.auction_id',
      send: (value) =>
        send('POST', `/api/v1/seller/lots/${lotId}/relist`, { auction_id: value, starting_bid: '1.00' }),
      missing: { value: NOWHERE, refused: 404 },
    };
  }

  function inventoryCases(): ReferenceCase[] {
    return [
      {
        of: 'createInventoryItem.category_id',
        send: (value) => send('POST', '/api/v1/inventory', { sku: 'S', title: 'T', category_id: value }),
        missing: { value: NOWHERE, refused: 'category_id' },
      },
      {
        of: 'changeInventoryItem.category_id',
        async send(value) {
          const made = await send('POST', '/api/v1/inventory', { sku: `S-${value}`, title: 'T' });
          return send('PATCH', `/api/v1/seller/inventory/${made.body.data.id}`, { category_id: value });
        },
        missing: { value: NOWHERE, refused: 'category_id' },
      },
      {
        of: 'convertInventoryToLots.auction_id',
        send: (value) =>
          send('POST', '/api/v1/inventory/convert-to-lots', {
            auction_id: value,
            items: [{ id: 1, starting_bid: '1.00' }],
          }),
        missing: { value: NOWHERE, refused: 404 },
      },
    ];
  }

  function otherCases(ownLot: number): ReferenceCase[] {
    return [
      {
        of: 'createAdCampaign.lot_ids',
        send: (value) => send('POST', '/api/v1/ad-campaigns', { ...campaign(), lot_ids: value }),
        missing: { value: [ownLot, NOWHERE], refused: 'lot_ids.1' },
      },
      {
        of: 'changeAdCampaign.lot_ids',
        async send(value) {
          const made = await send('POST', '/api/v1/ad-campaigns', { ...campaign(), lot_ids: [ownLot] });
          return send('PATCH', `/api/v1/ad-campaigns/${made.body.data.id}`, { lot_ids: value });
        },
        missing: { value: [ownLot, NOWHERE], refused: 'lot_ids.1' },
      },
      {
        of: 'createCrossListing.platform',
        send: (value) => send('POST', `/api/v1/seller/lots/${ownLot}/cross-listings`, { platform: value }),
        missing: { value: 'nowhere', refused: 'platform' },
      },
      posted('subscribe.plan', '/api/v1/subscriptions', (plan) => ({ plan }), 'plan', 'nowhere'),
      posted('placeBidByLotId.lot_id', '/api/v1/bids', (lot_id) => ({ lot_id, amount: '10.00' }), 404),
      posted('chooseLots.lot_ids', `/api/v1/lots/${NOWHERE}/choice`, (ids) => ({ lot_ids: ids }), 404, [
        NOWHERE,
      ]),
      posted('fallHammer.lot_id', HAMMER, (lot_id) => ({ lot_id, result: 'sold', price: '1.00' }), 404),
      posted('takeHammerBack.lot_id', `${HAMMER}/take-back`, (lot_id) => ({ lot_id }), 404),
      posted('placeBid.lot_ids', `/api/v1/lots/${NOWHERE}/bids`, combined, 404, [NOWHERE]),
      posted(
        'placeBidByLotId.lot_ids',
        '/api/v1/bids',
        (ids) => ({ ...combined(ids), lot_id: NOWHERE }),
        404,
        [NOWHERE],
      ),
      posted('bookCollection.auction_id', '/api/v1/me/collections', collecting, 404),
      posted('markCollected.lot_ids', COLLECTED, (ids) => ({ lot_ids: ids }), 404, [NOWHERE]),
      posted('sendSellerApplication.team_id', '/api/v1/me/seller-applications', applying, 'team_id'),
      posted('createBidGroup.auction_id', '/api/v1/me/bid-groups', grouping, 404),
      posted('reorderMedia.media_ids', '/api/media/reorder', (ids) => ({ media_ids: ids }), 404, [NOWHERE]),
    ];
  }

  const posted = postedBy((...sent) => send(...sent));
  const collecting = (auction_id: unknown) => ({ auction_id, from: '2030-01-01T10:00:00Z' });
  const applying = (team_id: unknown) => ({ ...HOUSE, team_id });
  const grouping = (auction_id: unknown) => ({ auction_id, wanted: 1, lots: TWO });

  it('is refused where it is not there, and in the same words where it is another team’s', async () => {
    for (const { of, send: sent, missing } of cases) {
      const { value, refused } = missing;
      const { status, body, text } = await sent(value);
      expect(status, `${of} ${text}`).to.equal(typeof refused === 'number' ? refused : 422);
      if (typeof refused !== 'number') expect(Object.keys(body.errors), of).to.include(refused);
      const id = theirs[of.split('.')[1] ?? ''];
      if (id === undefined) continue;
      const answer = await sent(Array.isArray(value) ? value.with(-1, id) : id);
      // Some sentences say which one is refused.
      const [said, saidOfTheirs] = [text, answer.text].map((one) => one.replaceAll(/\d+/g, '#'));
      expect([answer.status, saidOfTheirs], `${of} of another team`).to.deep.equal([status, said]);
    }
  });

  it('is refused in a bulk, item by item', async () => {
    const own = await anAuction(service.database, { team_id: teamId, status: 'draft' });
    const { body } = await send('POST', '/api/v1/seller/lots/bulk', {
      lots: [
        lot(NOWHERE),
        { ...lot(own.id), consignor_id: NOWHERE },
        { ...lot(own.id), category_id: NOWHERE },
      ],
    });
    const fields = body.data.results.map(({ errors }: { errors: object }) => Object.keys(errors));
    expect(fields).to.deep.equal([['auction_id'], ['consignor_id'], ['category_id']]);
  });

  it('is a team that the caller is in', async () => {
    for (const id of [NOWHERE, (await aTeam(service.database)).id]) {
      const headers = { 'x-team-id': String(id) };
      const { status, body } = await service.call('GET', '/api/v1/seller/lots', { token, headers });
      expect([status, body.code]).to.deep.equal([403, 'not_a_team_member']);
    }
  });

  it('is all checked here', () => {
    const tried = new Set(cases.map(({ of }) => of));
    const untried = service.web.app.endpoints.flatMap((one) =>
      namesIn(one).filter((of) => !tried.has(of) && !NO_REFERENCES.has(of)),
    );
    expect(untried).to.deep.equal([]);
  });
});

/** `operationId.field` of every field of the JSON body that names something by id, slug or SKU. */
function namesIn({ operationId, body, access }: Endpoint): string[] {
  if (body === undefined || !('properties' in body) || access.kind === 'public') return [];
  return Object.entries((body as TObject).properties as Record<string, TSchema>)
    .filter(([field]) => NAMES.test(field))
    .map(([field]) => `${operationId}.${field}`);
}
