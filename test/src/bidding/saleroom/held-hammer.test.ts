/** `Sold` and `Pass` are taken back by API and console; invoices and facts wait until they are final. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sweepShards } from '../../../../src/bidding/closing/sweep.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { projectAuction } from '../../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from '../../pages/seller/seller-at-desk.ts';

describe('a hammer that has just fallen', () => {
  let service: Service;
  let seller: AtDesk;
  let stranger: AtDesk;
  let token: string;

  before(async () => {
    service = await startService();
    [seller, stranger] = await Promise.all([aSellerAtDesk(service), aSellerAtDesk(service)]);
    token = await service.tokenFor(seller.user, ['read', 'seller']);
  });
  after(() => service.close());

  async function aRoom(count = 1) {
    const auction = await anAuction(service.database, { team_id: seller.team.id, type: 'simulcast' });
    const lots: number[] = [];
    for (let n = 0; n < count; n += 1)
      lots.push((await aLot(service.database, { auction_id: auction.id })).id);
    await service.publish();
    const buyer = await service.tokenFor(await aUser(service.database));
    const [lot = 0, next = 0] = lots;
    const bid = (amount: string) =>
      service.call('POST', `/api/v1/lots/${lot}/bids`, { token: buyer, body: { amount } });
    expect((await bid('100.00')).status).to.equal(201);
    const path = `/seller/auctions/${auction.id}`;
    const send = (what: string, body: object, by = token, team = seller.team.id) =>
      service.call('POST', `/api/v1${path}/${what}`, {
        ...{ token: by, body, headers: { 'x-team-id': String(team) } },
      });
    return { auction, lot, next, bid, send, console: `${path}/saleroom` };
  }

  const sold = (lot: number, price = '100.00') => ({ lot_id: lot, result: 'sold', price });
  const statusOf = async (lot: number) => (await service.get(`/api/v1/lots/${lot}`)).body.data.status;
  const counts = async (lot: number) => {
    const { knex } = service.backends;
    const [invoices, facts] = await Promise.all([
      knex('invoices').where('lot_id', lot).count({ n: '*' }).first(),
      knex('events').where('event_key', 'like', `lot-${lot}-closed%`).count({ n: '*' }).first(),
    ]);
    return [Number(invoices?.['n']), Number(facts?.['n'])];
  };

  /** As a worker does, until it changes something. */
  async function untilFinal(auctionId: number): Promise<void> {
    const log = openLog('silent', 'test');
    const shards = [await service.backends.shards.of(auctionId)];
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await sweepShards({ ...service.backends, log }, shards)) > 0) break;
      await sleep(50);
    }
    await projectAuction(service.database, service.backends.redis, auctionId);
  }

  it('shows at once, takes no bid, and is billed once it is final', async () => {
    const { auction, lot, bid, send } = await aRoom();
    const fallen = await send('hammer', sold(lot));
    expect(fallen.status, fallen.text).to.equal(200);
    expect(fallen.body.data).to.include({ lot_id: lot, status: 'sold', hammer_price: '100.00' });
    expect(Date.parse(fallen.body.data.final_at) - Date.now()).to.be.within(3_000, 6_000);
    expect(await statusOf(lot)).to.equal('sold');
    expect((await bid('500.00')).body.code).to.equal('lot_closed');
    await projectAuction(service.database, service.backends.redis, auction.id);
    expect(await counts(lot)).to.deep.equal([0, 0]);
    expect(await service.backends.knex('lots').where('id', lot).first('status')).to.include({
      status: 'active',
    });
    await untilFinal(auction.id);
    expect(await counts(lot)).to.deep.equal([1, 1]);
    expect(await service.backends.knex('lots').where('id', lot).first('status')).to.include({
      status: 'sold',
    });
    expect((await send('hammer/take-back', { lot_id: lot })).body.code).to.equal('invalid_transition');
  }).timeout(20_000);

  it('is taken back: the lot is on the block again, takes bids, and nothing was billed', async () => {
    const { auction, lot, next, bid, send, console: page } = await aRoom(2);
    await send('hammer', sold(lot));
    await seller.browser.get(page);
    const moved = await seller.browser.post(`${page}/next`, { lot_id: String(lot) });
    expect(moved.status).to.equal(303);
    const shown = (await seller.browser.get(page)).text;
    expect(shown)
      .to.contain(`data-lot="${next}"`)
      .and.match(/aria-keyshortcuts="B">Take back/);
    const { events } = await readStream(`${service.url}/auctions/${auction.slug}/stream`, {
      enough: (received) => received.some(({ event }) => event === 'saleroom.block'),
      onOpen: () => void seller.browser.post(`${page}/take-back`, { lot_id: String(lot) }),
    });
    expect(events.find(({ event }) => event === 'saleroom.block')?.data).to.include({ lot_id: lot });
    expect((await seller.browser.get(page)).text)
      .to.contain(`data-lot="${lot}"`)
      .and.not.contain('Take back');
    expect(await statusOf(lot)).to.equal('active');
    expect((await bid('500.00')).status).to.equal(201);
    await projectAuction(service.database, service.backends.redis, auction.id);
    expect(await counts(lot)).to.deep.equal([0, 0]);
    const journal = (await service.get(`/api/v1/lots/${lot}/journal`)).body.data as JsonValue[];
    const types = journal.flatMap((entry) => entry.events.map(({ type }: { type: string }) => type));
    expect(types).to.include.members(['hammer_fell', 'lot_reopened']).and.not.include('lot_closed');
  });

  it('can be passed and taken back, and falls again after that', async () => {
    const { lot, send } = await aRoom();
    expect((await send('hammer', { ...sold(lot), result: 'passed' })).body.data.status).to.equal('passed');
    const back = await send('hammer/take-back', { lot_id: lot });
    expect(back.body.data).to.deep.equal({
      ...{ lot_id: lot, status: 'active', hammer_price: null, paddle_number: null, final_at: null },
    });
    expect((await send('hammer', sold(lot))).body.data.status).to.equal('sold');
  });

  it('is the team’s own, at the price that the clerk sees', async () => {
    const { lot, send } = await aRoom();
    expect((await send('hammer', sold(lot, '90.00'))).body.code).to.equal('invalid_transition');
    expect((await send('hammer', { ...sold(lot), result: 'won' })).status).to.equal(422);
    expect((await send('hammer/take-back', { lot_id: lot })).body.code).to.equal('invalid_transition');
    const others = await service.tokenFor(stranger.user, ['read', 'seller']);
    for (const [what, body] of [
      ['hammer', sold(lot)],
      ['hammer/take-back', { lot_id: lot }],
    ] as const)
      expect((await send(what, body, others, stranger.team.id)).status, what).to.equal(404);
    const elsewhere = await aRoom();
    expect((await send('hammer', sold(elsewhere.lot))).status).to.equal(404);
    expect(await statusOf(lot)).to.equal('active');
  });
});
