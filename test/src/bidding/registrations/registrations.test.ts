import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Team } from '../../../../src/accounts/models/team.model.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { suspendUser } from '../../../../src/accounts/people/accounts.ts';
import { announceAccountChange } from '../../../../src/accounts/tokens/account-changes.ts';
import type { Auction } from '../../../../src/bidding/records/auction.model.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('registrations', () => {
  let service: Service;
  let seller: User;
  let team: Team;
  let sellerToken: string;

  before(async () => {
    service = await startService();
    seller = await aUser(service.database);
    team = await aTeam(service.database, { owner: seller });
    sellerToken = await service.tokenFor(seller, ['read', 'write', 'seller']);
  });

  after(() => service.close());

  const someone = async () => {
    const user = await aUser(service.database);
    return { user, token: await service.tokenFor(user) };
  };
  const auctionWith = async (columns: Parameters<typeof anAuction>[1] = {}) => {
    const auction = await anAuction(service.database, { team_id: team.id, ...columns });
    const lot = await aLot(service.database, { auction_id: auction.id });
    const second = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    return { auction, lot, second };
  };
  const register = (auction: Auction, token: string) =>
    service.call('POST', `/api/v1/auctions/${auction.slug}/registration`, { token });
  const decide = (auction: Auction, id: number, body: unknown, headers: Record<string, string> = own()) =>
    service.call('PATCH', `/api/v1/seller/auctions/${auction.id}/registrations/${id}`, {
      token: sellerToken,
      body,
      headers,
    });
  const own = () => ({ 'X-Team-Id': String(team.id) });
  const bid = (lotId: number, token: string, amount: string) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body: { amount } });

  it('approves at once in an open auction, and answers the same when asked again', async () => {
    const { auction, lot } = await auctionWith();
    const { token } = await someone();
    const first = await register(auction, token);
    expect(first.status).to.equal(201);
    expect(first.body.data).to.include({ auction_id: auction.id, status: 'approved', bid_limit: null });
    expect(first.body.data.paddle_number).to.match(/^\d+$/);
    const again = await service.call('POST', `/api/v1/auctions/${auction.id}/registration`, { token });
    expect(again.status).to.equal(200);
    expect(again.body.data).to.deep.equal(first.body.data);
    const placed = await bid(lot.id, token, '100.00');
    expect(placed.body.data.paddle_number).to.equal(first.body.data.paddle_number);
  });

  it('leaves it to the seller where the auction says so; each decision holds for the very next bid', async () => {
    const { auction, lot } = await auctionWith({ registration_mode: 'approval' });
    const { token } = await someone();
    expect((await bid(lot.id, token, '100.00')).body.code).to.equal('registration_required');
    const registered = await register(auction, token);
    expect(registered.body.data.status).to.equal('pending');
    expect((await bid(lot.id, token, '100.00')).body.code).to.equal('registration_pending');
    const { id } = registered.body.data;
    const approved = await decide(auction, id, { status: 'approved', reason: 'known to us' });
    expect(approved.body.data).to.include({ id, status: 'approved', reason: 'known to us' });
    expect(approved.body.data.decided_at).to.match(/\.\d{6}Z$/);
    expect((await bid(lot.id, token, '100.00')).status).to.equal(201);
    await decide(auction, id, { status: 'suspended' });
    expect((await bid(lot.id, token, '200.00')).body.code).to.equal('bidder_suspended');
    expect((await register(auction, token)).body.data.status).to.equal('suspended');
    await decide(auction, id, { status: 'declined' });
    expect((await bid(lot.id, token, '200.00')).body.code).to.equal('registration_required');
    expect((await register(auction, token)).body.data.status).to.equal('declined');
  });

  it('keeps somebody suspended whom another process last knew as not registered', async () => {
    const { auction, lot } = await auctionWith();
    const { token } = await someone();
    expect((await bid(lot.id, token, '1.00')).body.code).to.equal('bid_too_low');
    const { id } = (await register(auction, token)).body.data;
    await decide(auction, id, { status: 'suspended' });
    expect((await bid(lot.id, token, '100.00')).body.code).to.equal('bidder_suspended');
  });

  it('bounds a bidder’s exposure from the very next bid on', async () => {
    const { auction, lot, second } = await auctionWith();
    const { token } = await someone();
    const { id } = (await register(auction, token)).body.data;
    expect((await bid(lot.id, token, '300.00')).status).to.equal(201);
    const limited = await decide(auction, id, { bid_limit: '500.00' });
    expect(limited.body.data).to.include({ status: 'approved', bid_limit: '500.00' });
    expect((await bid(second.id, token, '200.01')).body.code).to.equal('bid_limit_exceeded');
    expect((await bid(second.id, token, '200.00')).status).to.equal(201);
    expect((await decide(auction, id, { bid_limit: null })).body.data.bid_limit).to.equal(null);
    for (const wrong of [
      { bid_limit: '0' },
      { bid_limit: 'x' },
      {},
      { status: 'pending' },
      { paddle: '1' },
    ]) {
      expect((await decide(auction, id, wrong)).status, JSON.stringify(wrong)).to.equal(422);
    }
  });

  it('asks for the deposit where the auction wants one, with one invoice', async () => {
    const { auction, lot } = await auctionWith({
      registration_mode: 'deposit',
      registration_deposit_cents: 5_000,
    });
    const { token, user } = await someone();
    const both = await Promise.all([register(auction, token), register(auction, token)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 201]);
    expect(both[0]!.body.data.status).to.equal('deposit_due');
    expect(both[0]!.body.data.deposit_invoice_number).to.match(/^INV-/);
    expect(await service.backends.knex('invoices').where('user_id', user.id)).to.have.length(1);
    expect((await bid(lot.id, token, '100.00')).body.code).to.equal('deposit_required');
    await decide(auction, both[0]!.body.data.id, { status: 'approved' });
    expect((await bid(lot.id, token, '100.00')).body.code).to.equal('deposit_required');
    await decide(auction, both[0]!.body.data.id, { status: 'approved', waive_deposit: true });
    expect((await bid(lot.id, token, '100.00')).status).to.equal(201);
  });

  it('leaves a private auction to those whom its seller invites, open or not', async () => {
    const { auction, lot } = await auctionWith({ privacy_setting: 'private' });
    const { token, user } = await someone();
    expect((await bid(lot.id, token, '100.00')).status).to.equal(404);
    expect((await register(auction, token)).status).to.equal(404);
    const path = `/api/v1/seller/auctions/${auction.id}/registrations`;
    const invite = (email: string) =>
      service.call('POST', path, {
        token: sellerToken,
        headers: own(),
        body: { email, bid_limit: '500.00' },
      });
    const invited = await invite(user.email);
    expect(invited.status).to.equal(201);
    expect(invited.body.data).to.include({ status: 'approved', bid_limit: '500.00' });
    expect((await bid(lot.id, token, '100.00')).status).to.equal(201);
    expect((await register(auction, token)).status).to.equal(200);
    const over = await anAuction(service.database, { status: 'ended', team_id: auction.team_id });
    const late = await service.call('POST', `/api/v1/seller/auctions/${over.id}/registrations`, {
      token: sellerToken,
      headers: own(),
      body: { email: user.email },
    });
    expect([late.status, late.body.code]).to.deep.equal([409, 'invalid_transition']);
  });

  it('takes invitations into a draft, which hold from its publication on', async () => {
    const { knex } = service.backends;
    for (const mode of ['open', 'approval', 'deposit'] as const) {
      const draft = await anAuction(service.database, {
        status: 'draft',
        team_id: team.id,
        privacy_setting: 'private',
        registration_mode: mode,
        ...(mode === 'deposit' ? { registration_deposit_cents: 5_000 } : {}),
      });
      const lot = await aLot(service.database, { auction_id: draft.id, status: 'draft' });
      const path = `/api/v1/seller/auctions/${draft.id}/registrations`;
      const invite = (email: string, more: object = {}) =>
        service.call('POST', path, { token: sellerToken, headers: own(), body: { email, ...more } });
      const [ann, bob, eve, joe] = [await someone(), await someone(), await someone(), await someone()];
      const invited = await invite(ann.user.email, { bid_limit: '500.00' });
      expect(invited.status).to.equal(201);
      expect(invited.body.data).to.include({ status: 'approved', bid_limit: '500.00' });
      expect((await invite(ann.user.email)).status).to.equal(201);
      await invite(bob.user.email, { waive_deposit: true });
      const out = (await invite(eve.user.email)).body.data.id;
      expect((await decide(draft, out, { status: 'suspended' })).body.data.status).to.equal('suspended');
      expect((await decide(draft, out, { paddle_number: '7' })).status).to.equal(422);
      expect((await register(draft, ann.token)).status).to.equal(404);
      expect((await service.get(`/api/v1/lots/${lot.id}`, ann.token)).status).to.equal(404);
      await knex('auctions').where('id', draft.id).update({ status: 'active' });
      await knex('lots').where('id', lot.id).update({ status: 'active' });
      await publishAuction(service.backends, draft.id);
      await publishAuction(service.backends, draft.id);
      const first = await bid(lot.id, ann.token, '100.00');
      if (mode === 'deposit') expect(first.body.code).to.equal('deposit_required');
      else expect((await bid(lot.id, ann.token, '600.00')).body.code).to.equal('bid_limit_exceeded');
      expect((await bid(lot.id, bob.token, '200.00')).status).to.equal(201);
      expect((await bid(lot.id, eve.token, '300.00')).status).to.equal(404);
      expect((await bid(lot.id, joe.token, '300.00')).status).to.equal(404);
    }
  });

  it('refuses sellers, the suspended, and auctions that take nobody', async () => {
    const { auction } = await auctionWith();
    expect((await register(auction, sellerToken)).body.code).to.equal('seller_cannot_bid');
    const draft = await anAuction(service.database, { status: 'draft' });
    const ended = await anAuction(service.database, { status: 'ended' });
    const { token } = await someone();
    for (const one of [draft, ended]) expect((await register(one, token)).status).to.equal(404);
    expect(
      (await service.call('POST', '/api/v1/auctions/no-such-thing/registration', { token })).status,
    ).to.equal(404);
    expect((await service.call('POST', `/api/v1/auctions/${auction.id}/registration`)).status).to.equal(401);
  });

  it('lists them for the team alone', async () => {
    const { auction } = await auctionWith({ registration_mode: 'approval' });
    const { token } = await someone();
    const { id } = (await register(auction, token)).body.data;
    const path = `/api/v1/seller/auctions/${auction.id}/registrations`;
    const listed = await service.call('GET', path, { token: sellerToken, headers: own() });
    expect(listed.body.data.map((row: { id: number }) => row.id)).to.deep.equal([id]);
    expect(listed.body.meta).to.include({ total: 1, current_page: 1 });
    const none = await service.call('GET', `${path}?status=approved`, { token: sellerToken, headers: own() });
    expect(none.body.data).to.deep.equal([]);
    // Without the header the seller acts for the personal team, which does not have this auction.
    expect((await service.call('GET', path, { token: sellerToken })).status).to.equal(404);
    const stranger = await service.tokenFor(await aUser(service.database), ['seller']);
    const foreign = await service.call('GET', path, { token: stranger, headers: own() });
    expect(foreign.status).to.equal(403);
    expect(foreign.body.code).to.equal('not_a_team_member');
    expect((await decide(auction, id, { status: 'approved' }, {})).status).to.equal(404);
    expect((await decide(auction, id + 1_000, { status: 'approved' })).status).to.equal(404);
    expect((await service.call('GET', path, { token })).body.code).to.equal('missing_ability');
  });

  it('refuses a suspended user everywhere within a second', async () => {
    const { auction, lot } = await auctionWith();
    const { token, user } = await someone();
    expect((await bid(lot.id, token, '100.00')).status).to.equal(201);
    await suspendUser(service.backends.knex, user.email);
    await announceAccountChange(service.backends.pubSub, { userIds: [user.id] });
    await sleep(1_000);
    expect((await bid(lot.id, token, '200.00')).body.code).to.equal('bidder_suspended');
    expect((await register(auction, token)).body.code).to.equal('account_suspended');
    expect((await service.get(`/api/v1/lots/${lot.id}`, token)).status).to.equal(200);
  });
});
