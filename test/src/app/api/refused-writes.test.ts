/**
 * A request that is refused has changed nothing: rows, outbox, journal and queues are as they were. Every route that
 * writes is taken from the API's description and refused in general ways; those that could do half of something are
 * refused in the middle of it.
 */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { changeTerms } from '../../../../src/bidding/records/lot-changes.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { appendEvents } from '../../../../src/events/outbox.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { changedBetween, type Everything, everythingOf } from '../../../support/everything.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Answer, type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('a refused request', () => {
  let service: Service;
  let owner: User;
  let token: string;
  let bare: string;
  let teamId: number;
  let was: Everything;
  const ids: Record<string, number> = {};

  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  const asTeam = (id: number) => ({ 'x-team-id': String(id) });
  const call = (method: string, path: string, body?: unknown, team = teamId) =>
    service.call(method, path, { token, body, headers: asTeam(team) });

  before(async () => {
    service = await startService();
    const { database, backends } = service;
    owner = await aUser(database);
    const bidder = await aUser(database);
    teamId = (await aTeam(database, { owner })).id;
    ids['unapproved'] = (await aTeam(database, { owner, approved: false })).id;
    token = await service.tokenFor(owner, ['read', 'write', 'seller']);
    bare = await service.tokenFor(owner, []);
    await aCategory(database);
    const live = await anAuction(database, { team_id: teamId, buyer_premium_bps: 500 });
    const lot = await aLot(database, {
      auction_id: live.id,
      reserve_price_cents: 90_000,
      buy_now_price_cents: 99_000,
    });
    const foreign = await anAuction(database, {});
    const strange = await aLot(database, { auction_id: foreign.id });
    for (const id of [live.id, foreign.id]) await publishAuction(backends, id);
    for (const id of [lot.id, strange.id]) {
      const result = await backends.engine.submit(id, placeBid(bidder.id, 10_000, null));
      expect(result.kind === 'answer' && result.answer.kind).to.equal('bid');
    }
    const draft = await anAuction(database, { team_id: teamId, status: 'draft' });
    const drafted = await aLot(database, { auction_id: draft.id, status: 'draft' });
    await aLot(database, { auction_id: draft.id, status: 'draft' });
    const unborn = await anAuction(database, { team_id: ids['unapproved'], status: 'draft' });
    const over = await anAuction(database, { team_id: teamId, status: 'ended' });
    for (const id of [live.id, foreign.id]) await projectAuction(database, backends.redis, id);
    Object.assign(ids, { live: live.id, lot: lot.id, strange: strange.id, foreign: foreign.id });
    Object.assign(ids, { draft: draft.id, drafted: drafted.id, unborn: unborn.id, over: over.id });
    const made = await call('POST', '/api/v1/inventory', { sku: 'S-1', title: 'A thing' });
    expect(made.status, made.text).to.equal(201);
    ids['item'] = made.body.data.id;
    const campaign = await call('POST', '/api/v1/ad-campaigns', CAMPAIGN);
    expect(campaign.status, campaign.text).to.equal(201);
    ids['campaign'] = campaign.body.data.id;
    await service.get(`/api/v1/lots/${lot.id}`);
  });

  // Taken again by each test, so that one that fails does not fail those behind it.
  beforeEach(async () => {
    was = await everythingOf(service);
  });

  after(() => service.close());

  const CAMPAIGN = {
    name: 'Spring',
    placement: 'search',
    pricing_model: 'flat',
    budget_cents: 10_000,
    start_date: '2030-01-01',
    end_date: '2030-02-01',
  };

  async function expectNothing(answer: Answer, what: string): Promise<void> {
    expect(answer.status, `${what}: ${answer.text}`).to.be.within(400, 499);
    expect(changedBetween(was, await everythingOf(service)), what).to.deep.equal([]);
  }

  it('changes nothing on any route without a token, without an ability, or with an unknown field', async () => {
    const routes = writingRoutes(service.web.app.document as JsonValue);
    expect(routes.length).to.be.above(30);
    for (const { method, path } of routes) {
      const at = path.replace(/\{(\w+)\}/g, (_, name: string) => PARAMS[name] ?? String(ids['lot']));
      const body = method === 'DELETE' ? undefined : { no_such_field: 1 };
      const none = await service.call(method, at, { body });
      const unable = await service.call(method, at, { token: bare, body, headers: asTeam(teamId) });
      const odd = await call(method, `${at}?no_such_query=1`, body);
      for (const answer of [none, unable, odd]) {
        expect(answer.status, `${method} ${at}: ${answer.text}`).to.be.within(400, 499);
      }
    }
    expect(changedBetween(was, await everythingOf(service))).to.deep.equal([]);
  });

  const lotOf = (name: string) => `/api/v1/seller/lots/${ids[name]}`;
  const auctionOf = (name: string) => `/api/v1/seller/auctions/${ids[name]}`;
  const newAuction = { title: 'New', start_time: hours(-48), end_time: hours(-24) };
  const HALVES: readonly [name: string, () => Promise<Answer>][] = [
    [
      'a lower reserve with a withdrawal',
      () => call('PATCH', lotOf('lot'), { reserve_price: '800.00', status: 'withdrawn' }),
    ],
    ['a title with a withdrawal', () => call('PATCH', lotOf('lot'), { title: 'New', status: 'withdrawn' })],
    [
      'a title with a frozen price',
      () => call('PATCH', lotOf('lot'), { title: 'New', starting_bid: '5.00' }),
    ],
    ['a title with a move of the clock', () => call('PATCH', lotOf('lot'), { title: 'New', status: 'sold' })],
    [
      'a draft lot with a number that is taken',
      () => call('PATCH', lotOf('drafted'), { title: 'New', lot_number: 2 }),
    ],
    [
      'a draft lot with a move that it has not',
      () => call('PATCH', lotOf('drafted'), { title: 'New', status: 'withdrawn' }),
    ],
    [
      'a draft lot into an auction that is over',
      () => call('PATCH', lotOf('drafted'), { title: 'New', auction_id: ids['over'], status: 'scheduled' }),
    ],
    [
      'a new lot in an auction that is over',
      () =>
        call('POST', '/api/v1/seller/lots', {
          auction_id: ids['over'],
          title: 'New',
          starting_bid: '1.00',
          status: 'scheduled',
        }),
    ],
    [
      'a new lot that is withdrawn at once',
      () =>
        call('POST', '/api/v1/seller/lots', {
          auction_id: ids['draft'],
          title: 'New',
          starting_bid: '1.00',
          status: 'withdrawn',
        }),
    ],
    [
      'a new auction that is over already',
      () => call('POST', '/api/v1/seller/auctions', { ...newAuction, status: 'scheduled' }),
    ],
    [
      'a new auction of a team that is not approved',
      () =>
        call(
          'POST',
          '/api/v1/seller/auctions',
          { ...newAuction, end_time: hours(24), status: 'scheduled' },
          ids['unapproved'],
        ),
    ],
    [
      'a draft’s title, published without approval',
      () => call('PATCH', auctionOf('unborn'), { title: 'New', status: 'scheduled' }, ids['unapproved']),
    ],
    [
      'a draft’s end in the past, published',
      () =>
        call('PATCH', auctionOf('draft'), {
          start_time: hours(-48),
          end_time: hours(-24),
          status: 'scheduled',
        }),
    ],
    [
      'a live auction’s end with a move of its lots',
      () => call('PATCH', auctionOf('live'), { end_time: hours(90), status: 'ended' }),
    ],
    [
      'a live auction’s title with a frozen premium',
      () =>
        call('PATCH', auctionOf('live'), {
          title: 'New',
          buyer_premium_percentage: '1.00',
          status: 'paused',
        }),
    ],
    [
      'a live auction’s tax after the first bid, paused',
      () => call('PATCH', auctionOf('live'), { sales_tax_percentage: '1.00', status: 'paused' }),
    ],
    ['a bid that is too low', () => call('POST', `/api/v1/lots/${ids['strange']}/bids`, { amount: '1.00' })],
    ['a purchase of a lot of one’s own', () => call('POST', `/api/v1/lots/${ids['lot']}/buy-now`, {})],
    [
      'items into another team’s auction',
      () =>
        call('POST', '/api/v1/inventory/convert-to-lots', {
          auction_id: ids['foreign'],
          items: [{ id: ids['item'], starting_bid: '1.00' }],
        }),
    ],
    [
      'an item with a SKU that is taken',
      () => call('POST', '/api/v1/inventory', { sku: 'S-1', title: 'Again' }),
    ],
    [
      'a campaign’s name with a move that it has not',
      () => call('PATCH', `/api/v1/ad-campaigns/${ids['campaign']}`, { name: 'New', status: 'ended' }),
    ],
    ['a plan that is none', () => call('POST', '/api/v1/subscriptions', { plan: 'none' })],
    [
      'a listing on a platform that is none',
      () => call('POST', `${lotOf('lot')}/cross-listings`, { platform: 'none' }),
    ],
    [
      'a webhook to an address of the house',
      () => call('POST', '/api/v1/webhook-subscriptions', { url: 'https://127.0.0.1/', events: ['*'] }),
    ],
  ];
  for (const [name, refuse] of HALVES)
    it(`changes nothing: ${name}`, async () => expectNothing(await refuse(), name));

  it('would be detected if it had changed a row, the outbox, the journal or a queue', async () => {
    const { knex } = service.backends;
    // As it was: the reserve goes down in the journal, then the withdrawal is refused.
    await changeTerms(service.backends, ids['lot']!, { reserveCents: 80_000 });
    await call('PATCH', lotOf('lot'), { status: 'withdrawn' });
    expect(changedBetween(was, await everythingOf(service)).join(' ')).to.match(/key .*/);
    was = await everythingOf(service);
    await knex('auctions').where('id', ids['draft']).update({ title: 'Half done' });
    expect(changedBetween(was, await everythingOf(service))).to.deep.equal(['table auctions']);
    was = await everythingOf(service);
    await knex.transaction((trx) =>
      appendEvents(trx, [
        {
          eventKey: 'planted',
          type: 'user.verified',
          teamId,
          userId: null,
          auctionId: null,
          lotId: null,
          data: {},
        },
      ]),
    );
    expect(changedBetween(was, await everythingOf(service))).to.deep.equal(['table events']);
    was = await everythingOf(service);
    await service.backends.redis.link.hSet('bull:planted:1', { data: 'a job' });
    expect(changedBetween(was, await everythingOf(service))).to.deep.equal(['key bull:planted:1']);
  });
});

const PARAMS: Readonly<Record<string, string>> = {
  platform: 'nowhere',
  delivery: '1',
  listing: '1',
  media: '1',
};

function writingRoutes(document: JsonValue): { method: string; path: string }[] {
  return Object.entries<JsonValue>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({ method: method.toUpperCase(), path })),
  );
}
