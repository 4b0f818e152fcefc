/** Lots that are offered together, on the clerk's console, by API, and on the winner's page without a script. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sweepShards } from '../../../../src/bidding/closing/sweep.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller-at-desk.ts';

describe('a saleroom with lots that are offered together', () => {
  let service: Service;
  let seller: AtDesk;
  let bidder: AtDesk;
  let stranger: AtDesk;
  let token: string;

  before(async () => {
    service = await startService();
    [seller, bidder, stranger] = await Promise.all([
      aSellerAtDesk(service),
      aSellerAtDesk(service),
      aSellerAtDesk(service),
    ]);
    token = await service.tokenFor(seller.user, ['read', 'seller']);
  });
  after(() => service.close());

  async function aRoom(count = 3) {
    const { id } = await anAuction(service.database, { team_id: seller.team.id, type: 'simulcast' });
    const lots: number[] = [];
    for (let n = 0; n < count; n += 1)
      lots.push((await aLot(service.database, { auction_id: id, choice_group: 'Tractors' })).id);
    await service.publish();
    const path = `/seller/auctions/${id}`;
    const hammer = (body: object) =>
      service.call('POST', `/api/v1${path}/hammer`, {
        ...{ token, body, headers: { 'x-team-id': String(seller.team.id) } },
      });
    const takeBack = (lot_id: number) =>
      service.call('POST', `/api/v1${path}/hammer/take-back`, {
        ...{ token, body: { lot_id }, headers: { 'x-team-id': String(seller.team.id) } },
      });
    const [first = 0, second = 0, third = 0] = lots;
    const online = (who: AtDesk, lot: number, max_amount: string) =>
      who.browser.post(`/lots/${lot}/bid`, { max_amount, key: `k-${lot}-${max_amount}` });
    return { id, lots, first, second, third, path: `${path}/saleroom`, hammer, takeBack, online };
  }

  const statuses = (lots: readonly number[]) =>
    Promise.all(lots.map(async (lot) => (await service.get(`/api/v1/lots/${lot}`)).body.data.status));

  async function sweep(auctionId: number, wanted: () => Promise<boolean>): Promise<void> {
    const log = openLog('silent', 'test');
    const shards = [await service.backends.shards.of(auctionId)];
    for (let tries = 0; tries < 300 && !(await wanted()); tries += 1) {
      await sweepShards({ ...service.backends, log }, shards);
      await sleep(50);
    }
  }

  it('shows one price on all of them, and what is offered', async () => {
    const room = await aRoom();
    await bidder.browser.get(`/lots/${room.third}`);
    expect((await room.online(bidder, room.third, '100.00')).status).to.equal(303);
    for (const lot of room.lots) {
      const { data } = (await service.get(`/api/v1/lots/${lot}`)).body;
      expect([data.current_bid, data.bid_count, data.choice_group]).to.deep.equal(['100.00', 1, 'Tractors']);
    }
    const page = await bidder.browser.get(`/lots/${room.second}`);
    expect(page.text).to.contain('Offered together').and.to.contain('You lead');
    const console_ = await seller.browser.get(room.path);
    expect(console_.text).to.contain('name="choice-2"').and.to.contain('$100.00');
  });

  it('sells what the clerk ticks, once it can no longer be taken back', async () => {
    const room = await aRoom();
    await bidder.browser.get(`/lots/${room.first}`);
    await room.online(bidder, room.second, '100.00');
    await seller.browser.get(room.path);
    const form = { lot_id: String(room.first), result: 'sold', price: '100.00', call_id: `c-${room.id}` };
    const ticked = { ...form, 'choice-2': 'yes', 'choice-3': 'yes' };
    expect((await seller.browser.post(`${room.path}/hammer`, ticked)).status).to.equal(303);
    expect(await statuses(room.lots)).to.deep.equal(['active', 'sold', 'sold']);
    expect((await seller.browser.get(room.path)).text)
      .to.contain('takes lots 2, 3')
      .and.to.contain('Take back');
    expect((await room.takeBack(room.second)).status).to.equal(200);
    expect(await statuses(room.lots)).to.deep.equal(['active', 'active', 'active']);
    const again = { lot_id: room.second, result: 'sold', price: '100.00', choice: [3] };
    const fallen = await room.hammer(again);
    expect(fallen.status, fallen.text).to.equal(200);
    await sweep(room.id, async () => {
      const state = await service.backends.journal.load(room.id, room.third);
      return state?.status === 'sold';
    });
    expect(await statuses(room.lots)).to.deep.equal(['active', 'active', 'sold']);
    expect((await room.takeBack(room.third)).status).to.equal(409);
    expect((await room.hammer({ ...again, choice: [9] })).status).to.equal(409);
    expect((await room.hammer({ ...again, result: 'passed', choice: [1] })).status).to.equal(422);
  });

  it('lets the winner choose on the page of any of them, without a script', async () => {
    const room = await aRoom();
    await bidder.browser.get(`/lots/${room.second}`);
    await room.online(bidder, room.second, '100.00');
    const sold = await room.hammer({ lot_id: room.first, result: 'sold', price: '100.00' });
    expect(sold.status, sold.text).to.equal(200);
    expect((await seller.browser.get(room.path)).text)
      .to.contain('is choosing')
      .and.to.contain('Choose for them');
    const page = await bidder.browser.get(`/lots/${room.third}`);
    expect(page.text).to.contain('You have won: choose your lots').and.to.contain('Take these lots');
    expect(page.text).not.to.contain('Place bid');
    const others = await stranger.browser.get(`/lots/${room.third}`);
    expect(others.text).to.contain('is choosing').and.not.to.contain('Take these lots');
    const theirs = await stranger.browser.post(`/lots/${room.third}/choice`, {
      [`lot-${room.third}`]: 'yes',
    });
    expect(theirs.status).to.equal(403);
    await bidder.browser.get(`/lots/${room.third}`);
    const none = await bidder.browser.post(`/lots/${room.third}/choice`, {});
    expect(none.status).to.equal(422);
    const done = await bidder.browser.post(`/lots/${room.third}/choice`, {
      [`lot-${room.second}`]: 'yes',
      [`lot-${room.third}`]: 'yes',
    });
    expect(done.status, done.text).to.equal(303);
    expect(done.location).to.equal(`/lots/${room.second}?sent=chosen`);
    expect(await statuses(room.lots)).to.deep.equal(['active', 'sold', 'sold']);
    expect((await bidder.browser.get(`/lots/${room.third}`)).text).to.contain('You won');
    const late = await bidder.browser.post(`/lots/${room.first}/choice`, { [`lot-${room.first}`]: 'yes' });
    expect(late.status).to.equal(409);
  });
});
