/** The screen of a saleroom, without JavaScript. */
import { expect } from 'chai';
import { moveBlock, noteWarning } from '../../../src/bidding/saleroom/block.ts';
import { BrowserLike } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

describe('the screen of a saleroom', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('shows the lot on the block, its price, who leads, fair warning, and what comes next', async () => {
    const { database } = service;
    const { knex } = service.backends;
    const auction = await anAuction(database, { title: 'In the hall', type: 'simulcast' });
    const lots: number[] = [];
    for (let number = 1; number <= 7; number += 1) {
      const columns = { auction_id: auction.id, title: `Thing ${number}`, starting_bid_cents: 400_000 };
      lots.push((await aLot(database, columns)).id);
    }
    await service.publish();
    const [first = 0, second = 0] = lots;
    const open = async () =>
      (await new BrowserLike(service.url).get(`/auctions/${auction.slug}/screen`)).text;
    const before = await open();
    expect(before).to.contain('Thing 1</h1>').and.contain('$4,000.00').and.contain('No bid yet');
    expect([...before.matchAll(/class="title">(Thing \d)/g)].map(([, title]) => title)).to.deep.equal(
      [2, 3, 4, 5, 6].map((number) => `Thing ${number}`),
    );
    expect(before).to.contain('<noscript><meta http-equiv="refresh"').and.not.contain('<header');
    const token = await service.tokenFor(await aUser(database));
    const placed = await service.call('POST', `/api/v1/lots/${first}/bids`, {
      token,
      body: { amount: '4200.00' },
    });
    const state = await service.backends.journal.load(auction.id, first);
    await noteWarning(knex, auction.id, first, state?.sequence ?? 0);
    const after = await open();
    expect(after).to.contain('$4,200.00').and.contain(`Paddle ${placed.body.data.paddle_number}`);
    expect(after).to.match(/data-part="warning">Fair warning/);
    await moveBlock(knex, auction.id, first, second);
    expect(await open()).to.contain('Thing 2</h1>');
  });

  it('leads to the sale where there is no saleroom, and is hidden where the sale is', async () => {
    const timed = await anAuction(service.database);
    const browser = new BrowserLike(service.url);
    const led = await browser.get(`/auctions/${timed.slug}/screen`);
    expect([led.status, led.location]).to.deep.equal([303, `/auctions/${timed.slug}`]);
    const draft = await anAuction(service.database, { type: 'simulcast', status: 'draft' });
    expect((await browser.get(`/auctions/${draft.slug}/screen`)).status).to.equal(404);
  });

  it('says when the sale begins', async () => {
    const later = new Date(Date.now() + 3_600_000);
    const auction = await anAuction(service.database, {
      ...{ type: 'simulcast', status: 'scheduled', start_time: later.toISOString() },
    });
    const { text } = await new BrowserLike(service.url).get(`/auctions/${auction.slug}/screen`);
    expect(text).to.contain('The sale begins');
  });
});
