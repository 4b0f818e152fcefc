/**
 * What a seller, or an admin in the wrong place, may not do to others: cancelling bids away, probing for a ceiling,
 * moving money.
 */
import { expect } from 'chai';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { SellingTeam } from '../support/selling-team.ts';
import { type Service, startService } from '../support/service.ts';

describe('Sellers and staff', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });
  after(() => service.close());

  const call = (method: string, path: string, body: unknown, token?: string, of = team.id) =>
    team.call(method, path, body, { team: of, ...(token === undefined ? {} : { token }) });

  async function lotWithBid(reserveCents: number | null = null) {
    const auction = await anAuction(service.database, { team_id: team.id });
    const lot = await aLot(service.database, { auction_id: auction.id, reserve_price_cents: reserveCents });
    await service.publish();
    const bidder = await service.tokenFor(await aUser(service.database));
    const bid = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: bidder,
      body: { max_amount: '400.00' },
    });
    expect(bid.status, bid.text).to.equal(201);
    return { auction, lot };
  }

  it('cancel an auction with bids only as an admin, and a refused PATCH changes nothing', async () => {
    const { auction } = await lotWithBid();
    const body = { title: 'Changed', status: 'cancelled' };
    const refused = await call('PATCH', `seller/auctions/${auction.id}`, body);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'auction_locked']);
    const kept = await call('GET', `seller/auctions/${auction.id}`, undefined);
    expect(kept.body.data).to.include({ title: auction.title, status: 'active' });
    const admin = await aUser(service.database, { is_admin: true });
    await service.database
      .knex('memberships')
      .insert({ team_id: team.id, user_id: admin.id, role: 'member' });
    const done = await call(
      'PATCH',
      `seller/auctions/${auction.id}`,
      body,
      await service.tokenFor(admin, ['seller']),
    );
    expect(done.body.data, done.text).to.include({ title: 'Changed', status: 'cancelled' });
  });

  it('learn no ceiling from a series of reserves', async () => {
    const { lot } = await lotWithBid(90_000);
    const first = await call('PATCH', `seller/lots/${lot.id}`, { reserve_price: '800.00' });
    expect(first.status, first.text).to.equal(200);
    for (const reserve_price of ['700.00', '400.00', null]) {
      const again = await call('PATCH', `seller/lots/${lot.id}`, { reserve_price });
      expect([again.status, again.body.code]).to.deep.equal([409, 'lot_locked']);
    }
  });

  it('touch no campaign of another team, not even as an admin, but to make it active', async () => {
    const made = await call('POST', 'ad-campaigns', {
      name: 'Spring',
      placement: 'search',
      pricing_model: 'flat',
      budget_cents: 10_000,
      start_date: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
      end_date: new Date(Date.now() + 172_800_000).toISOString().slice(0, 10),
      lot_ids: [],
    });
    expect(made.status, made.text).to.equal(201);
    const path = `ad-campaigns/${made.body.data.id}`;
    const admin = await aUser(service.database, { is_admin: true });
    const own = (await aTeam(service.database, { owner: admin })).id;
    const seller = await service.tokenFor(admin, ['seller']);
    const staff = await service.tokenFor(admin, ['admin']);
    for (const body of [{ name: 'Mine' }, { status: 'pending_payment' }, { status: 'cancelled' }]) {
      for (const who of [seller, staff])
        expect((await call('PATCH', path, body, who, own)).status).to.equal(404);
    }
    expect((await call('PATCH', path, { status: 'pending_payment' })).status).to.equal(200);
    expect((await call('PATCH', path, { status: 'active' }, seller, own)).status).to.equal(404);
    expect((await call('PATCH', path, { status: 'active' }, staff, own)).status).to.equal(200);
  });
});
