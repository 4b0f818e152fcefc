/**
 * Bidders who become part of the seller: not while they have open bids there, and consignors by their own word only.
 */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { placeBid } from '../support/auction-house.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'correct horse battery';

describe('Becoming part of the seller', () => {
  let service: Service;
  let owner: User;
  let sellerToken: string;
  let teamId: number;
  let auctionId: number;
  let bidder: User;
  let bidderToken: string;

  before(async () => {
    service = await startService();
    const db = service.database;
    owner = await aUser(db);
    teamId = (await aTeam(db, { owner })).id;
    auctionId = (await anAuction(db, { team_id: teamId })).id;
    sellerToken = await service.tokenFor(owner, ['seller']);
  });
  beforeEach(async () => {
    bidder = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    bidderToken = await service.tokenFor(bidder);
  });
  after(() => service.close());

  const seller = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1/seller/${path}`, {
      token: sellerToken,
      ...(body === undefined ? {} : { body }),
      headers: { 'x-team-id': String(teamId) },
    });
  const bid = (lotId: number, token = bidderToken) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body: { max_amount: '200.00' } });
  const accept = (lotId: number, token = bidderToken) =>
    service.call('POST', `/api/v1/consignments/${lotId}/accept`, { token });

  async function liveLot() {
    const lot = await aLot(service.database, { auction_id: auctionId });
    await service.publish();
    return lot;
  }

  describe('by joining the team', () => {
    async function join(): Promise<{ status: number; text: string }> {
      const made = await service.call('POST', `/api/v1/teams/${teamId}/invitations`, {
        token: sellerToken,
        body: { email: bidder.email },
      });
      expect(made.status, made.text).to.equal(201);
      const path = new URL(made.body.data.url).pathname;
      const browser = new BrowserLike(service.url);
      await signIn(browser, bidder.email, PASSWORD);
      await browser.get(path);
      return browser.post(path, {}, { accept: 'application/json' });
    }
    const isMember = async () =>
      (await service.database
        .knex('memberships')
        .where({ team_id: teamId, user_id: bidder.id })
        .first('id')) !== undefined;

    it('is refused while they lead or were outbid, naming the lots, and possible when those are over', async () => {
      const lot = await liveLot();
      expect((await bid(lot.id)).status).to.equal(201);
      const refused = await join();
      expect(refused.status).to.equal(409);
      const body = JSON.parse(refused.text);
      expect(body.code).to.equal('has_open_bids');
      expect(body.data.lots).to.deep.equal([
        { id: lot.id, auction_id: auctionId, lot_number: lot.lot_number, title: lot.title },
      ]);
      expect(body.message).to.contain(lot.title);
      expect(await isMember()).to.equal(false);
      const rival = await service.tokenFor(await aUser(service.database));
      await service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token: rival, body: { amount: '500.00' } });
      expect((await join()).status).to.equal(409);
      const admin = await aUser(service.database, { is_admin: true });
      await service.database
        .knex('memberships')
        .insert({ team_id: teamId, user_id: admin.id, role: 'admin' });
      const withdrawn = await service.call('PATCH', `/api/v1/seller/lots/${lot.id}`, {
        token: await service.tokenFor(admin, ['seller']),
        body: { status: 'withdrawn' },
        headers: { 'x-team-id': String(teamId) },
      });
      expect(withdrawn.status, withdrawn.text).to.equal(200);
      expect((await join()).status).to.equal(303);
      expect(await isMember()).to.equal(true);
    });

    it('is cancelled by a bid that came in meanwhile', async () => {
      const lot = await liveLot();
      const joining = join();
      const { knex } = service.database;
      while (!(await isMember())) await new Promise((done) => setTimeout(done, 5));
      // As a process would decide it that has not heard of the membership yet.
      await service.backends.engine.submit(lot.id, placeBid(bidder.id, 10_000, null));
      expect((await joining).status).to.equal(409);
      expect(await isMember()).to.equal(false);
      expect(
        await knex('team_invitations').where('email', bidder.email).whereNull('accepted_at').first('id'),
      ).to.be.an('object');
    });
  });

  describe('as a consignor', () => {
    async function named(status: string | null): Promise<number> {
      const made = await seller('POST', 'lots', {
        auction_id: auctionId,
        title: 'Consigned',
        starting_bid: '100.00',
        consignor_id: bidder.id,
        ...(status === null ? {} : { status }),
      });
      expect(made.status, made.text).to.equal(201);
      expect(made.body.data).to.include({ consignor_id: bidder.id, consignor_status: 'invited' });
      return made.body.data.id;
    }
    const shown = async (lotId: number) => {
      const { consignor_id, consignor_status } = (await seller('GET', `lots/${lotId}`)).body.data;
      return [consignor_id, consignor_status];
    };

    it('needs their own consent: until then they bid like everybody else', async () => {
      const lotId = await named('scheduled');
      await service.publish();
      expect((await bid(lotId)).status).to.equal(201);
      const refused = await accept(lotId);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'has_open_bids']);
      expect(refused.body.data.lots[0]).to.include({ id: lotId });
      expect(await shown(lotId)).to.deep.equal([bidder.id, 'invited']);
    });

    it('once accepted cannot bid, on drafts and on lots that are live', async () => {
      for (const status of [null, 'scheduled']) {
        const lotId = await named(status);
        expect((await service.get('/api/v1/consignments', bidderToken)).body.data[0]).to.deep.include({
          lot_id: lotId,
          consignor_status: 'invited',
        });
        const accepted = await accept(lotId);
        expect(accepted.status, accepted.text).to.equal(200);
        expect(accepted.body.data).to.include({ lot_id: lotId, consignor_status: 'accepted' });
        expect((await accept(lotId)).status).to.equal(200);
        expect(await shown(lotId)).to.deep.equal([bidder.id, 'accepted']);
        if (status === null) await seller('PATCH', `lots/${lotId}`, { status: 'scheduled' });
        await service.publish();
        expect((await bid(lotId)).body.code).to.equal('seller_cannot_bid');
      }
    });

    it('is not for anybody who was not named, or is no longer named', async () => {
      const lotId = await named(null);
      const stranger = await service.tokenFor(await aUser(service.database));
      expect((await accept(lotId, stranger)).status).to.equal(404);
      await seller('PATCH', `lots/${lotId}`, { consignor_id: null });
      expect(await shown(lotId)).to.deep.equal([null, null]);
      expect((await accept(lotId)).status).to.equal(404);
      expect((await accept(999_999)).status).to.equal(404);
    });

    it('is named as long as the lot can be described, and no longer', async () => {
      const lotId = await named(null);
      await service.backends.knex('lots').where('id', lotId).update({ status: 'unsold' });
      const late = await seller('PATCH', `lots/${lotId}`, { consignor_id: null });
      expect([late.status, late.body.code], late.text).to.deep.equal([409, 'lot_locked']);
      expect(await shown(lotId)).to.deep.equal([bidder.id, 'invited']);
    });

    it('stays who is named from the first bid on', async () => {
      const lotId = await named('scheduled');
      await service.publish();
      const other = await aUser(service.database);
      const asked = await seller('PATCH', `lots/${lotId}`, { consignor_id: other.id });
      expect(asked.status, asked.text).to.equal(200);
      expect((await bid(lotId)).status).to.equal(201);
      for (const consignor_id of [bidder.id, null]) {
        const late = await seller('PATCH', `lots/${lotId}`, { consignor_id, title: 'Consigned' });
        expect([late.status, late.body.code], late.text).to.deep.equal([409, 'lot_locked']);
      }
      const same = await seller('PATCH', `lots/${lotId}`, { consignor_id: other.id, sku: 'A-1' });
      expect(same.status, same.text).to.equal(200);
      expect(await shown(lotId)).to.deep.equal([other.id, 'invited']);
    });

    it('ends when the seller names another consignor, who is asked anew, on drafts and on live lots', async () => {
      for (const status of [null, 'scheduled']) {
        const lotId = await named(status);
        if (status !== null) await service.publish();
        await accept(lotId);
        const other = await aUser(service.database);
        const changed = await seller('PATCH', `lots/${lotId}`, { consignor_id: other.id });
        expect(changed.body.data).to.include({ consignor_id: other.id, consignor_status: 'invited' });
        if (status === null) await seller('PATCH', `lots/${lotId}`, { status: 'scheduled' });
        await service.publish();
        expect((await bid(lotId)).status, String(status)).to.equal(201);
        const late = await accept(lotId, await service.tokenFor(other));
        expect([late.status, late.body.code]).to.deep.equal([409, 'lot_locked']);
      }
    });
  });
});
