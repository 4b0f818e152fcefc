/**
 * Simulcast platforms where they were not let in: other auctions, timed ones, SKUs of others, paddles of people who
 * never agreed.
 */
import { expect } from 'chai';
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';
import type { Auction } from '../../src/bidding/records/auction.model.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import { addPlatform } from '../../src/bidding/simulcast/platform-registry.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Answer, type JsonValue, type Service, startService } from '../support/service.ts';

describe('A simulcast platform', () => {
  let service: Service;
  let secret: string;
  let counter = 0;

  before(async () => {
    service = await startService();
    const { knex } = service.backends;
    secret = (await addPlatform(knex, service.config.appSecrets, 'hall')).secret;
    await addPlatform(knex, service.config.appSecrets, 'barn');
  });
  after(() => service.close());

  async function send(kind: 'bid' | 'sold', body: unknown): Promise<Answer> {
    const text = JSON.stringify(body);
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'x-timestamp': String(timestamp),
      'x-signature': signSimulcast(secret, timestamp, text),
    };
    return service.call('POST', `/webhooks/${kind}/hall`, { body, headers });
  }

  const FLOOR = { external_id: 'b-9' };
  const bid = (naming: object, amount = '500.00', bidder: object = FLOOR) => ({
    event_id: `e-${++counter}`,
    sequence: counter,
    amount,
    bidder,
    ...naming,
  });
  const sale = (naming: object, hammer_price = '500.00', bidder: object = FLOOR) => {
    const { amount: _, ...rest } = bid(naming, hammer_price, bidder);
    return { ...rest, result: 'sold', hammer_price };
  };

  async function liveLot(
    terms: Partial<Pick<Auction, 'type' | 'simulcast_platforms' | 'team_id'>>,
    columns: Partial<Pick<Lot, 'sku' | 'auction_id'>> = {},
  ): Promise<Lot> {
    const auctionId = columns.auction_id ?? (await anAuction(service.database, terms)).id;
    const lot = await aLot(service.database, { ...columns, auction_id: auctionId });
    await service.publish();
    return lot;
  }

  const HALL = { simulcast_platforms: ['hall'] };
  const bidCount = async (lotId: number) =>
    (await service.get(`/api/v1/lots/${lotId}`)).body.data.bid_count as number;

  it('is heard in no auction that has not admitted it, however it names the lot', async () => {
    for (const terms of [{}, { simulcast_platforms: ['barn'] }, { type: 'simulcast' as const }]) {
      const lot = await liveLot(terms, { sku: `NOT-${++counter}` });
      const names = [
        { lot_id: lot.id },
        { auction_id: lot.auction_id, lot_number: lot.lot_number },
        { auction_id: lot.auction_id, sku: lot.sku },
      ];
      for (const naming of names) {
        const single = await send('bid', bid(naming));
        expect([single.status, single.body.code]).to.deep.equal([403, 'platform_not_allowed']);
        const sold = await send('sold', sale(naming));
        expect([sold.status, sold.body.code]).to.deep.equal([403, 'platform_not_allowed']);
      }
      const answer = await send('bid', [bid(names[0]!), bid({ sku: lot.sku })]);
      expect(answer.body.data.map(({ code }: JsonValue) => code)).to.deep.equal([
        'platform_not_allowed',
        'unknown_lot',
      ]);
      expect(await bidCount(lot.id)).to.equal(0);
    }
  });

  it('closes no lot of a timed auction', async () => {
    const lot = await liveLot(HALL);
    const single = await send('sold', sale({ lot_id: lot.id }));
    expect([single.status, single.body.code]).to.deep.equal([409, 'not_simulcast']);
    const answer = await send('sold', [sale({ lot_id: lot.id })]);
    expect(answer.body.data[0]).to.include({ status: 'rejected', code: 'not_simulcast' });
    expect((await send('bid', bid({ lot_id: lot.id }))).body.data.status).to.equal('applied');
  });

  it('resolves a SKU to one lot, among the auctions that admit the platform', async () => {
    const sku = `SKU-${++counter}`;
    const foreign = await liveLot({}, { sku });
    const own = await liveLot(HALL, { sku });
    expect((await send('bid', bid({ sku }))).body.data.status).to.equal('applied');
    expect([await bidCount(foreign.id), await bidCount(own.id)]).to.deep.equal([0, 1]);
    const twin = await liveLot(HALL, { sku });
    await new Promise((done) => setTimeout(done, 2_050));
    const single = await send('bid', bid({ sku }, '900.00'));
    expect([single.status, single.body.code]).to.deep.equal([422, 'ambiguous_lot']);
    expect((await send('bid', [bid({ sku }, '900.00')])).body.data[0]).to.include({ code: 'ambiguous_lot' });
    const exact = await send('bid', bid({ sku, auction_id: twin.auction_id }, '900.00'));
    expect(exact.body.data.status).to.equal('applied');
    expect(await bidCount(twin.id)).to.equal(1);
  });

  describe('with the paddle of somebody who has an account', () => {
    async function paddleOf(lot: Lot, ceiling: string) {
      const user = await aUser(service.database);
      const token = await service.tokenFor(user);
      const placed = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
        token,
        body: { max_amount: ceiling },
      });
      expect(placed.status, placed.text).to.equal(201);
      return { token, user, paddle: placed.body.data.paddle_number as string };
    }
    const viewer = async (lotId: number, token: string) =>
      (await service.get(`/api/v1/lots/${lotId}`, token)).body.data.viewer;

    it('bids for its own floor bidder while they have not agreed, under another number', async () => {
      const auction = await anAuction(service.database, HALL);
      const lot = await liveLot({}, { auction_id: auction.id });
      const other = await liveLot({}, { auction_id: auction.id });
      const { token, paddle } = await paddleOf(lot, '200.00');
      expect((await send('bid', bid({ lot_id: other.id }, '300.00', { paddle }))).body.data.status).to.equal(
        'applied',
      );
      expect((await viewer(other.id, token)).is_high_bidder).to.equal(false);
      const [row] = (await service.get(`/api/v1/lots/${other.id}/bids`)).body.data;
      expect(row.bidder.paddle_number).not.to.equal(paddle);
      await service.call('POST', `/api/v1/auctions/${auction.id}/registration`, {
        token,
        body: { floor_paddle: true },
      });
      await new Promise((done) => setTimeout(done, 1_050));
      await send('bid', bid({ lot_id: other.id }, '400.00', { paddle }));
      expect((await viewer(other.id, token)).is_high_bidder).to.equal(true);
    });

    it('bids for them up to what they bid themselves, and never against them', async () => {
      const lot = await liveLot(HALL);
      const { token, paddle } = await paddleOf(lot, '700.00');
      const own = await send('bid', bid({ lot_id: lot.id }, '500.00', { paddle }));
      expect(own.body.data.status, own.text).to.equal('applied');
      expect((await viewer(lot.id, token)).is_high_bidder).to.equal(true);
      const [row] = (await service.get(`/api/v1/lots/${lot.id}/bids`)).body.data;
      expect([row.amount, row.bidder.paddle_number]).to.deep.equal(['500.00', paddle]);
      await send('bid', bid({ lot_id: lot.id }, '800.00', { paddle }));
      expect((await viewer(lot.id, token)).is_high_bidder).to.equal(false);
    });

    it('sells to them up to what they bid, and above that only where they agreed', async () => {
      const terms = { ...HALL, type: 'simulcast' as const };
      const [within, above] = [await liveLot(terms), await liveLot(terms)];
      const one = await paddleOf(within, '700.00');
      const sold = await send('sold', sale({ lot_id: within.id }, '700.00', { paddle: one.paddle }));
      expect(sold.body.data.flags).not.to.include('not_the_leader');
      const other = await paddleOf(above, '700.00');
      const much = await send('sold', sale({ lot_id: above.id }, '700.01', { paddle: other.paddle }));
      expect(much.body.data.status, much.text).to.equal('applied');
      expect(much.body.data.flags).to.include('not_the_leader');
      const won = async (token: string) =>
        (await service.get('/api/v1/me/bids?status=won', token)).body.data.length > 0;
      expect([await won(one.token), await won(other.token)]).to.deep.equal([true, false]);
    });

    it('counts as theirs where the seller’s approval names the paddle', async () => {
      const owner = await aUser(service.database);
      const team = await aTeam(service.database, { owner });
      const auction = await anAuction(service.database, {
        ...HALL,
        team_id: team.id,
        registration_mode: 'approval',
      });
      const lot = await liveLot({}, { auction_id: auction.id });
      const token = await service.tokenFor(await aUser(service.database));
      const registered = await service.call('POST', `/api/v1/auctions/${auction.id}/registration`, { token });
      const decide = (body: object, id = registered.body.data.id) =>
        service.call('PATCH', `/api/v1/seller/auctions/${auction.id}/registrations/${id}`, {
          token: sellerToken,
          body,
          headers: { 'x-team-id': String(team.id) },
        });
      const sellerToken = await service.tokenFor(owner, ['seller']);
      const approved = await decide({ status: 'approved', paddle_number: '4711' });
      expect(approved.body.data, approved.text).to.include({ paddle_number: '4711', floor_paddle: true });
      await send('bid', bid({ lot_id: lot.id }, '300.00', { paddle: '4711' }));
      expect((await viewer(lot.id, token)).is_high_bidder).to.equal(true);
      const rival = await service.tokenFor(await aUser(service.database));
      const second = await service.call('POST', `/api/v1/auctions/${auction.id}/registration`, {
        token: rival,
      });
      const taken = await decide({ status: 'approved', paddle_number: '4711' }, second.body.data.id);
      expect([taken.status, Object.keys(taken.body.errors)]).to.deep.equal([422, ['paddle_number']]);
    });
  });

  it('learns the current sequence when it counts from too low', async () => {
    const lot = await liveLot(HALL);
    await send('bid', { ...bid({ lot_id: lot.id }), sequence: 41 });
    const stale = await send('bid', { ...bid({ lot_id: lot.id }, '900.00'), sequence: 7 });
    expect(stale.body.data).to.include({ status: 'stale', last_sequence: 41 });
    const answer = await send('bid', [{ ...bid({ lot_id: lot.id }, '900.00'), sequence: 41 }]);
    expect(answer.body.data[0]).to.include({ status: 'stale', last_sequence: 41 });
  });

  it('is named by slugs of the registry, at every write', async () => {
    const owner = await aUser(service.database);
    const token = await service.tokenFor(owner, ['seller']);
    const { id: team } = await aTeam(service.database, { owner });
    const call = (method: string, path: string, body: object) =>
      service.call(method, `/api/v1/seller/auctions${path}`, {
        token,
        body,
        headers: { 'x-team-id': String(team) },
      });
    const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const terms = { title: 'Sale', start_time: soon(1), end_time: soon(9) };
    const refused = await call('POST', '', { ...terms, simulcast_platforms: ['hall', 'nowhere'] });
    expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, ['simulcast_platforms']]);
    const made = await call('POST', '', { ...terms, simulcast_platforms: ['hall'] });
    expect(made.body.data.simulcast_platforms).to.deep.equal(['hall']);
    const path = `/${made.body.data.id}`;
    for (const state of ['draft', 'scheduled']) {
      expect((await call('PATCH', path, { simulcast_platforms: ['nowhere'] })).status, state).to.equal(422);
      const changed = await call('PATCH', path, { simulcast_platforms: ['barn'] });
      expect(changed.body.data.simulcast_platforms, state).to.deep.equal(['barn']);
      await call('PATCH', path, { status: 'scheduled' });
    }
  });
});
