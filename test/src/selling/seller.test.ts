/** The sellers' desk over HTTP: making, publishing and changing auctions and lots, what freezes, and whose they are. */
import { expect } from 'chai';
import { LotFinder } from '../../../src/bidding/simulcast/lot-finder.ts';
import { aCategory, aTeam, aUser } from '../../support/builders.ts';
import { type Answer, type Service, startService } from '../../support/service.ts';

describe('selling', function () {
  this.timeout(40_000);
  let service: Service;
  let seller: string;
  let stranger: string;
  let bidder: string;
  let teamId: number;
  let unapproved: number;

  before(async () => {
    service = await startService();
    const db = service.database;
    const [owner, other, buyer] = await Promise.all([aUser(db), aUser(db), aUser(db)]);
    teamId = (await aTeam(db, { owner })).id;
    unapproved = (await aTeam(db, { owner, approved: false })).id;
    [seller, stranger] = await Promise.all([
      service.tokenFor(owner, ['seller']),
      service.tokenFor(other, ['seller']),
    ]);
    bidder = await service.tokenFor(buyer);
  });

  after(() => service.close());

  const call = (method: string, path: string, body?: unknown, team: number | null = teamId, token = seller) =>
    service.call(method, `/api/v1/${path}`, {
      token,
      body,
      headers: team === null ? {} : { 'x-team-id': String(team) },
    });
  const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString();
  const draft = (more: object = {}) => ({
    title: 'Spring land',
    start_time: hours(-1),
    end_time: hours(24),
    ...more,
  });

  async function liveLot(
    more: object = {},
    auctionMore: object = {},
  ): Promise<{ auctionId: number; lotId: number }> {
    const auction = await call('POST', 'seller/auctions', draft(auctionMore));
    const lot = await call('POST', 'seller/lots', {
      auction_id: auction.body.data.id,
      title: '40 acres',
      starting_bid: '100.00',
      ...more,
    });
    expect([auction.status, lot.status]).to.deep.equal([201, 201]);
    const published = await call('PATCH', `seller/auctions/${auction.body.data.id}`, { status: 'scheduled' });
    expect(published.body.data.status).to.equal('active');
    return { auctionId: auction.body.data.id, lotId: lot.body.data.id };
  }

  const bid = (lotId: number, body: object) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token: bidder, body });
  const codeOf = ({ status, body }: Answer) => [status, body.code];

  it('never sells a lot that was withdrawn, or whose auction was cancelled, while still a draft', async () => {
    const lots: number[] = [];
    for (const move of ['scheduled', 'cancelled']) {
      const auction = (await call('POST', 'seller/auctions', draft())).body.data.id;
      const lot = { auction_id: auction, title: 'Taken out', starting_bid: '100.00' };
      const lotId = (await call('POST', 'seller/lots', lot)).body.data.id;
      await call('POST', 'seller/lots', lot);
      await call('PATCH', `seller/lots/${lotId}`, { status: 'scheduled' });
      if (move === 'scheduled') await call('PATCH', `seller/lots/${lotId}`, { status: 'withdrawn' });
      expect((await call('PATCH', `seller/auctions/${auction}`, { status: move })).status).to.equal(200);
      lots.push(lotId);
    }
    for (const lotId of lots) {
      const bid = await call('POST', `lots/${lotId}/bids`, { amount: '100.00' }, null, bidder);
      expect([bid.status, bid.body.code]).to.deep.equal([409, 'lot_withdrawn']);
      expect(bid.body.data).to.include({ current_bid: '0.00', minimum_next_bid: '100.00' });
      expect((await call('GET', `lots/${lotId}`, undefined, null)).body.data.status).to.equal('withdrawn');
      const headers = { 'last-event-id': '0' };
      expect((await service.call('GET', `/api/v1/lots/${lotId}/stream`, { headers })).status).to.equal(204);
      expect(await new LotFinder(service.database.knex).find('hall', { lot_id: lotId })).to.satisfy(
        (found: unknown) => (lotId === lots[0]) === (found !== null),
      );
    }
  });

  it('takes moments from 1970 on and at most ten years ahead, new or changed', async () => {
    const inTenYears = (ms: number) => {
      const moment = new Date(Date.now() + ms);
      moment.setUTCFullYear(moment.getUTCFullYear() + 10);
      return moment.toISOString();
    };
    const auction = await call('POST', 'seller/auctions', draft({ end_time: inTenYears(-60_000) }));
    expect(auction.status).to.equal(201);
    const refusals = async (body: object) => {
      const made = await call('POST', 'seller/auctions', draft(body));
      const changed = await call('PATCH', `seller/auctions/${auction.body.data.id}`, body);
      expect([made.status, changed.status]).to.deep.equal([422, 422]);
      expect(Object.keys(changed.body.errors)).to.deep.equal(Object.keys(made.body.errors));
      return Object.values(made.body.errors).map((sentences) => (sentences as string[])[0]);
    };
    const ahead = 'must be at most 10 years ahead.';
    expect(await refusals({ end_time: inTenYears(60_000) })).to.deep.equal([`The end_time field ${ahead}`]);
    const last = { start_time: '9999-12-31T00:00:00Z', end_time: '9999-12-31T23:59:59Z' };
    expect(await refusals(last)).to.deep.equal([
      `The start_time field ${ahead}`,
      `The end_time field ${ahead}`,
    ]);
    const first = { start_time: '1969-12-31T23:59:59Z' };
    expect(await refusals(first)).to.deep.equal(['The start_time field must not be before 1970-01-01.']);
  });

  it('makes drafts, publishes them, and takes bids at once where the start has come', async () => {
    const { auctionId, lotId } = await liveLot({ reserve_price: '500.00' });
    const lot = await call('GET', `seller/lots/${lotId}`);
    expect(lot.body.data).to.include({
      status: 'active',
      reserve_price: '500.00',
      lot_number: 1,
      current_bid: '0.00',
    });
    expect((await bid(lotId, { amount: '100.00' })).status).to.equal(201);
    const list = await call('GET', 'seller/auctions?status=draft');
    expect(list.body.data.map((row: { id: number }) => row.id)).not.to.include(auctionId);
    expect((await call('GET', `seller/lots?auction_id=${auctionId}`)).body.meta.total).to.equal(1);
  });

  it('publishes nothing of a team that is not approved', async () => {
    const refused = await call('POST', 'seller/auctions', draft({ status: 'scheduled' }), unapproved);
    expect(codeOf(refused)).to.deep.equal([403, 'seller_not_approved']);
    const auction = await call('POST', 'seller/auctions', draft(), unapproved);
    expect(auction.status).to.equal(201);
    const again = await call(
      'PATCH',
      `seller/auctions/${auction.body.data.id}`,
      { status: 'scheduled' },
      unapproved,
    );
    expect(codeOf(again)).to.deep.equal([403, 'seller_not_approved']);
  });

  it('refuses moves that belong to the clock, and names those that are allowed', async () => {
    const auction = await call('POST', 'seller/auctions', draft());
    const path = `seller/auctions/${auction.body.data.id}`;
    for (const status of ['active', 'ended', 'settled', 'paused']) {
      const refused = await call('PATCH', path, { status });
      expect([status, ...codeOf(refused)]).to.deep.equal([status, 409, 'invalid_transition']);
      expect(refused.body.data.allowed).to.have.members(['scheduled', 'cancelled']);
    }
    expect((await call('PATCH', path, { status: 'gone' })).status).to.equal(422);
    expect((await call('PATCH', path, { status: 'cancelled' })).body.data.status).to.equal('cancelled');
  });

  it('freezes prices and terms with the first bid, but lets a reserve go down and be met at once', async () => {
    const { auctionId, lotId } = await liveLot({ reserve_price: '900.00' });
    expect(
      (await call('PATCH', `seller/lots/${lotId}`, { starting_bid: '120.00' })).body.data.starting_bid,
    ).to.equal('120.00');
    expect((await bid(lotId, { max_amount: '700.00' })).status).to.equal(201);
    for (const change of [
      { starting_bid: '90.00' },
      { buy_now_price: '1000.00' },
      { reserve_price: '950.00' },
      { lot_number: 9 },
    ]) {
      expect(codeOf(await call('PATCH', `seller/lots/${lotId}`, change))).to.deep.equal([409, 'lot_locked']);
    }
    const lowered = await call('PATCH', `seller/lots/${lotId}`, {
      reserve_price: '600.00',
      title: '40 better acres',
    });
    expect(lowered.body.data).to.include({
      reserve_price: '600.00',
      reserve_met: true,
      current_bid: '600.00',
      title: '40 better acres',
    });
    for (const change of [
      { buyer_premium_percentage: '12.00' },
      { currency: 'eur' },
      { end_time: hours(2) },
      { start_time: hours(-2) },
      { stagger_seconds: 60 },
      { increments: [{ from: '0.00', increment: '1.00' }] },
    ]) {
      expect(codeOf(await call('PATCH', `seller/auctions/${auctionId}`, change))).to.deep.equal([
        409,
        'auction_locked',
      ]);
    }
    const later = await call('PATCH', `seller/auctions/${auctionId}`, {
      end_time: hours(30),
      soft_close: { window_seconds: 60 },
    });
    expect(later.status).to.equal(200);
    expect(later.body.data.soft_close.window_seconds).to.equal(60);
    const lot = await call('GET', `seller/lots/${lotId}`);
    expect(lot.body.data.end_time).to.equal(later.body.data.end_time);
  });

  it('sets a sales tax until the first bid', async () => {
    const { auctionId, lotId } = await liveLot({}, { sales_tax_percentage: '8.25' });
    const tax = (sales_tax_percentage: string) =>
      call('PATCH', `seller/auctions/${auctionId}`, { sales_tax_percentage });
    const read = async () =>
      (await call('GET', `seller/auctions/${auctionId}`)).body.data.sales_tax_percentage;
    expect(await read()).to.equal('8.25');
    expect((await tax('100.01')).status).to.equal(422);
    expect((await tax('7.00')).body.data.sales_tax_percentage).to.equal('7.00');
    expect((await bid(lotId, { amount: '100.00' })).status).to.equal(201);
    expect(codeOf(await tax('0.00'))).to.deep.equal([409, 'auction_locked']);
    expect((await tax('7.00')).status, 'as it is').to.equal(200);
    expect(await read()).to.equal('7.00');
  });

  it('pauses, resumes and withdraws', async () => {
    const { auctionId, lotId } = await liveLot();
    expect(
      (await call('PATCH', `seller/auctions/${auctionId}`, { status: 'paused' })).body.data.status,
    ).to.equal('paused');
    expect(codeOf(await bid(lotId, { amount: '100.00' }))).to.deep.equal([409, 'auction_paused']);
    expect(
      (await call('PATCH', `seller/auctions/${auctionId}`, { status: 'active' })).body.data.status,
    ).to.equal('active');
    expect((await call('PATCH', `seller/lots/${lotId}`, { status: 'withdrawn' })).body.data.status).to.equal(
      'withdrawn',
    );
    expect(codeOf(await bid(lotId, { amount: '100.00' }))).to.deep.equal([409, 'lot_withdrawn']);
    const twice = await call('PATCH', `seller/lots/${lotId}`, { status: 'withdrawn' });
    expect([twice.status, twice.body.data.status], 'where it stands is no move').to.deep.equal([
      200,
      'withdrawn',
    ]);
    const back = await call('PATCH', `seller/lots/${lotId}`, { status: 'scheduled' });
    expect(codeOf(back)).to.deep.equal([409, 'invalid_transition']);
    const again = await liveLot();
    expect((await bid(again.lotId, { amount: '100.00' })).status).to.equal(201);
    const kept = await call('PATCH', `seller/lots/${again.lotId}`, { status: 'withdrawn' });
    expect(codeOf(kept)).to.deep.equal([409, 'invalid_transition']);
  });

  it('numbers lots made at once without doubles, and keeps a number that was asked for', async () => {
    const auction = await call('POST', 'seller/auctions', draft());
    const make = (more: object = {}) =>
      call('POST', 'seller/lots', {
        auction_id: auction.body.data.id,
        title: 'A lot',
        starting_bid: 5,
        ...more,
      });
    const made = await Promise.all(Array.from({ length: 12 }, () => make()));
    const numbers = made.map(({ body }) => body.data.lot_number).sort((a, b) => a - b);
    expect(numbers).to.deep.equal(Array.from({ length: 12 }, (_, n) => n + 1));
    expect((await make({ lot_number: 40 })).body.data.lot_number).to.equal(40);
    expect((await make()).body.data.lot_number).to.equal(41);
    const taken = await make({ lot_number: 3 });
    expect([taken.status, Object.keys(taken.body.errors)]).to.deep.equal([422, ['lot_number']]);
  });

  it('checks custom fields against the category, its own or its auction’s', async () => {
    const schema = { type: 'object', properties: { soil: { type: 'string' } }, required: ['soil'] };
    const category = await aCategory(service.database, { schema });
    const auction = await call('POST', 'seller/auctions', draft({ category_id: category.id }));
    const make = (custom: object) =>
      call('POST', 'seller/lots', {
        auction_id: auction.body.data.id,
        title: 'Field',
        starting_bid: '1',
        custom_fields: custom,
      });
    expect((await make({ soil: 'loam' })).status).to.equal(201);
    expect(Object.keys((await make({})).body.errors)).to.deep.equal(['custom_fields.soil']);
    expect((await make({ soil: 'loam', other: 1 })).status).to.equal(422);
  });

  it('answers a bulk item by item', async () => {
    const auction = await call('POST', 'seller/auctions', draft());
    const lot = { auction_id: auction.body.data.id, title: 'One of many', starting_bid: '10.00' };
    const bulk = await call('POST', 'seller/lots/bulk', {
      lots: [lot, { ...lot, starting_bid: -1 }, { ...lot, auction_id: 99999 }, lot, 7],
    });
    expect(bulk.status).to.equal(200);
    expect(bulk.body.data.results.map(({ status }: { status: string }) => status)).to.deep.equal([
      'created',
      'failed',
      'failed',
      'created',
      'failed',
    ]);
    expect((await call('POST', 'seller/lots/bulk', { lots: [] })).status).to.equal(422);
    const large = { lots: [{ title: 'x'.repeat(1_100_000) }] };
    expect((await call('POST', 'seller/lots/bulk', large)).status).to.equal(413);
  });

  it('shows and changes nothing of another team', async () => {
    const { auctionId, lotId } = await liveLot();
    for (const path of [`seller/auctions/${auctionId}`, `seller/lots/${lotId}`]) {
      expect((await call('GET', path, undefined, null, stranger)).status).to.equal(404);
      expect((await call('PATCH', path, { title: 'Mine' }, null, stranger)).status).to.equal(404);
      expect(codeOf(await call('GET', path, undefined, teamId, stranger))).to.deep.equal([
        403,
        'not_a_team_member',
      ]);
    }
    const foreign = await call(
      'POST',
      'seller/lots',
      { auction_id: auctionId, title: 'Mine', starting_bid: '1' },
      null,
      stranger,
    );
    expect(foreign.status).to.equal(404);
  });

  it('takes no field that is not the seller’s to set', async () => {
    const auction = await call('POST', 'seller/auctions', draft());
    for (const field of ['team_id', 'slug', 'record_version', 'pauses', 'id']) {
      const refused = await call('PATCH', `seller/auctions/${auction.body.data.id}`, { [field]: 1 });
      expect([field, refused.status]).to.deep.equal([field, 422]);
    }
    for (const field of ['current_bid', 'bid_count', 'hammer_price', 'winner_user_id', 'journal_opened']) {
      const body = { auction_id: auction.body.data.id, title: 'A', starting_bid: '1', [field]: 1 };
      expect([field, (await call('POST', 'seller/lots', body)).status]).to.deep.equal([field, 422]);
    }
  });
});
