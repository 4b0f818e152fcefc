/** The sellers' desk over HTTP: making, publishing and changing auctions, what freezes, and whose they are. */
import { expect } from 'chai';
import { aTeam, aUser } from '../../support/builders.ts';
import { codeOf, draft, hours, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

describe('selling by auctions', () => {
  let service: Service;
  let team: SellingTeam;
  let stranger: string;
  let unapproved: number;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    unapproved = (await aTeam(service.database, { owner: team.owner, approved: false })).id;
    stranger = await service.tokenFor(await aUser(service.database), ['seller']);
  });

  after(() => service.close());

  const call: SellingTeam['call'] = (...args) => team.call(...args);
  const bid: SellingTeam['bid'] = (...args) => team.bid(...args);
  const liveLot: SellingTeam['liveLot'] = (...args) => team.liveLot(...args);

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

  it('names the format on auctions and lots, and takes none that is not there', async () => {
    const { auctionId, lotId } = await liveLot({});
    expect((await call('GET', `seller/auctions/${auctionId}`)).body.data.format).to.equal('timed');
    expect((await call('GET', `auctions/${auctionId}`)).body.data.format).to.equal('timed');
    expect((await call('GET', `lots/${lotId}`)).body.data.format).to.equal('timed');
    const refused = await call('POST', 'seller/auctions', draft({ format: 'raffle' }));
    expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, ['format']]);
  });

  it('publishes nothing of a team that is not approved', async () => {
    const refused = await call('POST', 'seller/auctions', draft({ status: 'scheduled' }), {
      team: unapproved,
    });
    expect(codeOf(refused)).to.deep.equal([403, 'seller_not_approved']);
    const auction = await call('POST', 'seller/auctions', draft(), { team: unapproved });
    expect(auction.status).to.equal(201);
    const again = await call(
      'PATCH',
      `seller/auctions/${auction.body.data.id}`,
      { status: 'scheduled' },
      { team: unapproved },
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
      { title: '40 better acres' },
    ]) {
      expect(codeOf(await call('PATCH', `seller/lots/${lotId}`, change))).to.deep.equal([409, 'lot_locked']);
    }
    const lowered = await call('PATCH', `seller/lots/${lotId}`, {
      reserve_price: '600.00',
    });
    expect(lowered.body.data).to.include({
      reserve_price: '600.00',
      reserve_met: true,
      current_bid: '600.00',
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

  it('shows and changes nothing of another team', async () => {
    const { auctionId, lotId } = await liveLot();
    for (const path of [`seller/auctions/${auctionId}`, `seller/lots/${lotId}`]) {
      expect((await call('GET', path, undefined, { team: null, token: stranger })).status).to.equal(404);
      expect((await call('PATCH', path, { title: 'Mine' }, { team: null, token: stranger })).status).to.equal(
        404,
      );
      expect(codeOf(await call('GET', path, undefined, { token: stranger }))).to.deep.equal([
        403,
        'not_a_team_member',
      ]);
    }
    const foreign = await call(
      'POST',
      'seller/lots',
      { auction_id: auctionId, title: 'Mine', starting_bid: '1' },
      { team: null, token: stranger },
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
