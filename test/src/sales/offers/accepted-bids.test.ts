/** A bid below the reserve that the seller accepts: sold, billed, settled, and said in the journal; once and in time. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { staffOf } from '../../../support/billing.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { codeOf, SellingTeam } from '../../../support/selling-team.ts';
import { type Answer, type Service, startService } from '../../../support/service.ts';

describe('a bid below the reserve', () => {
  let service: Service;
  let team: SellingTeam;
  let ann: User;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    ann = await aUser(service.database, { name: 'Ann' });
  });
  after(() => service.close());

  const accept = (lotId: number, as = team) => as.call('POST', `seller/lots/${lotId}/accept-bid`);
  const offer = (lotId: number, below_reserve = true) =>
    team.call('POST', `seller/lots/${lotId}/second-chance`, { below_reserve });
  const answer = async (buyer: User, id: number, verb: 'accept' | 'decline') =>
    service.call('POST', `/api/v1/offers/${id}/${verb}`, { token: await service.tokenFor(buyer) });
  const project = (auctionId: number) => projectAuction(service.database, service.backends.redis, auctionId);

  /** A lot with a reserve of 1,000 that has passed at 300, in an auction that has ended. */
  async function passed(bids = true, under?: User): Promise<{ auctionId: number; lotId: number }> {
    const { database: db, backends } = service;
    const auction = await anAuction(db, { team_id: team.id, buyer_premium_bps: 1_000 });
    const lot = await aLot(db, { auction_id: auction.id, reserve_price_cents: 100_000 });
    await publishAuction(backends, auction.id);
    if (under !== undefined) await backends.engine.submit(lot.id, placeBid(under.id, 20_000, 20_000));
    if (bids) await backends.engine.submit(lot.id, placeBid(ann.id, 30_000, 30_000));
    const result = bids ? 'passed' : 'unsold';
    await backends.engine.submit(lot.id, {
      ...{
        type: 'record_sale',
        bidId: `h${lot.id}`,
        salt: 's',
        auctionRuns: true,
        result,
        hammerCents: null,
      },
      ...{ winner: null, currency: null, floor: { platform: 'floor', sequence: lot.id } },
    });
    await project(auction.id);
    await db.knex('auctions').where('id', auction.id).update({ status: 'ended' });
    return { auctionId: auction.id, lotId: lot.id };
  }

  it('is accepted: the lot is sold at it, everywhere', async () => {
    const { knex } = service.database;
    const { auctionId, lotId } = await passed();
    await settleAuctions(knex);
    const before = (await team.call('GET', `seller/auctions/${auctionId}/after`)).body.data;
    expect(before.to_decide[0].options).to.deep.equal(['accept', 'offer', 'relist']);
    const both = await Promise.all([accept(lotId), accept(lotId)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    const { data } = both.find(({ status }) => status === 201)!.body;
    expect(data).to.include({ amount: '300.00', status: 'accepted' });
    expect(data.invoice_number).to.match(/^INV-/);
    const relisted = await team.call('POST', `seller/lots/${lotId}/relist`, { auction_id: auctionId });
    expect(codeOf(relisted)).to.deep.equal([409, 'invalid_transition']);
    await project(auctionId);
    const lot = await knex('lots').where('id', lotId).first();
    expect(lot).to.include({ status: 'sold', hammer_price_cents: 30_000, winner_user_id: ann.id });
    const lines = await knex('settlement_lines').where('lot_id', lotId);
    expect(lines.map(({ hammer_cents, settled_by }) => [hammer_cents, settled_by])).to.deep.equal([
      [30_000, 'invoice'],
    ]);
    const after = (await team.call('GET', `seller/auctions/${auctionId}/after`)).body.data;
    expect([after.sold.lots, after.to_decide, after.unpaid[0].owed]).to.deep.equal([1, [], '330.00']);
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true });
    const verifier = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
    const bundle = await verifier.fetchBundle(service.url, lotId);
    expect((await verifier.verify(bundle)).fault).to.equal(null);
    expect((await staffOf(service).books(auctionId)).differences).to.deep.equal([]);
  });

  it('is accepted after the sale is paid out: the books name it in an adjustment alone', async () => {
    const { knex } = service.database;
    const { auctionId, lotId } = await passed();
    await settleAuctions(knex);
    const { id } = await knex('settlements').where('auction_id', auctionId).first('id');
    await approveSettlement(knex, id);
    await paySettlement(knex, id);
    expect((await accept(lotId)).status).to.equal(201);
    await project(auctionId);
    expect((await staffOf(service).books(auctionId)).differences).to.deep.equal([]);
  });

  it('is accepted of a lot that has left the journal’s memory', async () => {
    const { auctionId, lotId } = await passed();
    await archiveClosedLots(service.backends, 0);
    expect((await accept(lotId)).status).to.equal(201);
    await project(auctionId);
    expect((await service.database.knex('lots').where('id', lotId).first('status')).status).to.equal('sold');
  });

  it('is not accepted without a bidder, by others, too late, or while the auction runs', async () => {
    const { knex } = service.database;
    const { lotId: unsold } = await passed(false);
    expect(codeOf(await accept(unsold))).to.deep.equal([409, 'invalid_transition']);
    const { auctionId, lotId } = await passed();
    expect((await accept(lotId, await SellingTeam.of(service))).status).to.equal(404);
    await knex('auctions').where('id', auctionId).update({ status: 'active' });
    expect(codeOf(await accept(lotId))).to.deep.equal([409, 'invalid_transition']);
    await knex('auctions').where('id', auctionId).update({ status: 'ended' });
    await knex('users').where('id', ann.id).update({ suspended_at: knex.fn.now() });
    expect(codeOf(await accept(lotId))).to.deep.equal([403, 'bidder_suspended']);
    await knex('users').where('id', ann.id).update({ suspended_at: null });
    await knex('lots')
      .where('id', lotId)
      .update({ closed_at: knex.raw("now() - interval '49 hours'") });
    expect(codeOf(await accept(lotId))).to.deep.equal([409, 'invalid_transition']);
    expect(await knex('invoices').where('lot_id', lotId)).to.deep.equal([]);
  });

  it('is offered to its bidder once the auction is over: sold, billed and said in the journal', async () => {
    const { knex } = service.database;
    const { auctionId, lotId } = await passed();
    await settleAuctions(knex);
    await knex('auctions').where('id', auctionId).update({ status: 'active' });
    expect(codeOf(await offer(lotId))).to.deep.equal([409, 'invalid_transition']);
    await knex('auctions').where('id', auctionId).update({ status: 'ended' });
    expect(codeOf(await offer(lotId, false))).to.deep.equal([409, 'reserve_not_reached']);
    const both = await Promise.all([offer(lotId), offer(lotId)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    const { data } = both.find(({ status }) => status === 201)!.body;
    expect(data).to.include({ amount: '300.00', status: 'offered' });
    const [waiting] = (await team.call('GET', `seller/auctions/${auctionId}/after`)).body.data.to_decide;
    expect([waiting.options, waiting.offered.amount]).to.deep.equal([[], '300.00']);
    const relisted = await team.call('POST', `seller/lots/${lotId}/relist`, { auction_id: auctionId });
    expect(codeOf(relisted)).to.deep.equal([409, 'invalid_transition']);
    expect(codeOf(await accept(lotId))).to.deep.equal([409, 'invalid_transition']);
    expect((await answer(ann, data.id, 'accept')).body.data).to.include({ status: 'accepted' });
    await project(auctionId);
    const lot = await knex('lots').where('id', lotId).first();
    expect(lot).to.include({ status: 'sold', hammer_price_cents: 30_000, winner_user_id: ann.id });
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true });
    expect((await staffOf(service).books(auctionId)).differences).to.deep.equal([]);
  });

  it('is offered to the underbidder where the highest bidder declines, and is free where all have', async () => {
    const ben = await aUser(service.database, { name: 'Ben' });
    const { auctionId, lotId } = await passed(true, ben);
    const first = await offer(lotId);
    expect((await answer(ann, first.body.data.id, 'decline')).status).to.equal(200);
    const options = async () =>
      (await team.call('GET', `seller/auctions/${auctionId}/after`)).body.data.to_decide[0].options;
    expect(await options()).to.deep.equal(['offer', 'relist']);
    const second = await offer(lotId);
    expect(second.body.data, second.text).to.include({ amount: '200.00' });
    expect((await answer(ann, second.body.data.id, 'accept')).status).to.equal(404);
    expect((await answer(ben, second.body.data.id, 'accept')).status).to.equal(200);
    await project(auctionId);
    const lot = await service.database.knex('lots').where('id', lotId).first();
    expect(lot).to.include({ status: 'sold', hammer_price_cents: 20_000, winner_user_id: ben.id });
    const { lotId: other } = await passed();
    await answer(ann, (await offer(other)).body.data.id, 'decline');
    expect(codeOf(await offer(other))).to.deep.equal([409, 'no_bidder_left']);
    const { lotId: unsold } = await passed(false);
    expect((await offer(unsold)).status).to.equal(404);
  });

  it('is decided on in the ways that the list of what is left to do names, and in no other', async () => {
    const { knex } = service.database;
    const [start_time, end_time] = ['2031-01-01T10:00:00Z', '2031-01-02T10:00:00Z'];
    const made = await team.call('POST', 'seller/auctions', { title: 'Next', start_time, end_time });
    const decide: Readonly<Record<string, (lotId: number) => Promise<Answer>>> = {
      accept,
      offer,
      relist: (lotId) => team.call('POST', `seller/lots/${lotId}/relist`, { auction_id: made.body.data.id }),
    };
    const late = (lotId: number) =>
      knex('lots')
        .where('id', lotId)
        .update({ closed_at: knex.raw("now() - interval '49 hours'") });
    const nothing = async () => null;
    for (const [bids, before, options] of [
      [true, nothing, ['accept', 'offer', 'relist']],
      [true, late, ['offer', 'relist']],
      [true, offer, []],
      [false, nothing, ['relist']],
    ] as const) {
      const { auctionId, lotId } = await passed(bids);
      await before(lotId);
      const { to_decide } = (await team.call('GET', `seller/auctions/${auctionId}/after`)).body.data;
      expect(to_decide[0].options).to.deep.equal(options);
      for (const [name, work] of Object.entries(decide)) {
        if (options.some((option) => option === name)) continue;
        expect((await work(lotId)).status, `${name} of ${options}`).to.be.within(404, 409);
      }
      const last = options.at(-1);
      if (last !== undefined) expect((await decide[last]!(lotId)).status).to.equal(201);
    }
  });

  it('is not accepted of a lot that was bid on with others: no bid says what it is worth alone', async () => {
    const sales = await ParcelsSales.of(service);
    const sale = await sales.open([{ reserve_price: '900.00' }, { reserve_price: '900.00' }]);
    const bidder = await sales.bidder();
    expect((await sales.bid(bidder, sale.lots, '400.00')).status).to.equal(201);
    await sales.end(sale);
    await project(sale.id);
    const { to_decide } = (await sales.sell('GET', `auctions/${sale.id}/after`)).body.data;
    for (const row of to_decide)
      expect(row)
        .to.include({ status: 'passed' })
        .and.deep.include({ options: ['relist'] });
    expect(to_decide).to.have.length(2);
    const refused = await sales.sell('POST', `lots/${sale.lots[0]}/accept-bid`);
    expect(codeOf(refused)).to.deep.equal([409, 'invalid_transition']);
    const { knex } = service.database;
    expect(await knex('invoices').where('auction_id', sale.id)).to.deep.equal([]);
  });
});
