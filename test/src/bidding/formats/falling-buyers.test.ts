/** Several people buy of one lot while it is open: each has what they bought, everywhere, and nobody is overtaken. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { LogTail } from '../../../../adapters/redis/log-tail.ts';
import { startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { suspendBidder } from '../../../../src/bidding/staff/suspend-bidder.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { BrowserLike, signIn } from '../../../support/browser-like.ts';
import { FallingSales } from '../../../support/falling-sales.ts';
import { HOUR_MS, PASSWORD } from '../../../support/format-sales.ts';
import { eventually } from '../../../support/market.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

type Buyer = Awaited<ReturnType<FallingSales['bidder']>>;

describe('several buyers of an open lot', () => {
  let service: Service;
  let sales: FallingSales;

  before(async () => {
    service = await startService();
    sales = await FallingSales.of(service);
  });

  after(() => service.close());

  /** A lot of which each has bought so many pieces at 200. */
  async function bought(quantity: number, ...takes: readonly (readonly [buyer: Buyer, take: number])[]) {
    const { id, lots } = await sales.auctionOf([{ quantity }], 2.5 * HOUR_MS);
    const bids: string[] = [];
    for (const [{ token }, take] of takes)
      bids.push((await sales.bid(token, lots[0], { amount: '200.00', take })).body.data.id);
    const project = () => projectAuction(service.database, service.backends.redis, id);
    await project();
    return { id, lot: lots[0]!, bids, project };
  }

  it('are those with a bid of the lot, in every list of bids', async () => {
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    const { lot } = await bought(9, [ann, 2], [bob, 3]);
    for (const [{ token }, take, total] of [
      [ann, 2, '400.00'],
      [bob, 3, '600.00'],
    ] as const) {
      const read = async (status: string) =>
        (await service.get(`/api/v1/me/bids?status=${status}`, token)).body.data;
      expect(await read('outbid')).to.deep.equal([]);
      const [row] = await read('leading');
      expect(row).to.include({ lot_id: lot, take, total, status: 'leading' });
      expect(row.lot.is_high_bidder).to.equal(true);
    }
  });

  it('have what they bought voided with their suspension, whoever bought first', async () => {
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    const { lot, project } = await bought(9, [ann, 2], [bob, 3]);
    const { user, lots } = await suspendBidder(
      { ...service.backends, tail: new LogTail(service.backends.redis) },
      {
        email: bob.user.email,
        leadingBids: 'void',
        reason: null,
        announce: async () => {},
      },
    );
    expect([user.suspended_leads, lots]).to.deep.equal(['voided', [lot]]);
    await project();
    expect((await service.get(`/api/v1/lots/${lot}`)).body.data).to.include({
      quantity_left: 7,
      bid_count: 1,
    });
  });

  it('are not said to be outbid, nor to lead again, nor to have been kept out', async () => {
    const { config, backends, database } = service;
    const jobs = await startWorkerJobs(config, backends, new Registry(), openLog('silent', 'test'));
    try {
      const [ann, bob, cat] = [await sales.bidder(), await sales.bidder(), await sales.bidder()];
      const { lot, bids } = await bought(9, [ann, 2], [bob, 3]);
      expect((await sales.bid(cat.token, lot, { amount: '199.00' })).body.code).to.equal('bid_too_low');
      await eventually(async () => database.knex('refused_bids').where('lot_id', lot).first());
      await voidBid(backends, bids[0]!, 'A mistake');
      await voidBid(backends, bids[1]!, 'A mistake');
      const kindsOf = async ({ token }: Buyer) =>
        (await service.get('/api/v1/me/notifications', token)).body.data.map(
          (one: { kind: string }) => one.kind,
        );
      await eventually(async () => (await kindsOf(bob)).includes('bid_voided'), 25_000);
      expect(await kindsOf(ann)).to.deep.equal(['bid_voided']);
      expect(await kindsOf(bob)).to.deep.equal(['bid_voided']);
      expect(await kindsOf(cat)).to.deep.equal([]);
    } finally {
      await jobs.close();
    }
  });

  it('see the price of now on their board, and what they bought once it is over', async () => {
    const [ann, bob, eve] = [await sales.bidder(), await sales.bidder(), await sales.bidder()];
    const { lot, project } = await bought(5, [ann, 2], [bob, 1]);
    await service.call('POST', `/api/v1/me/watchlist/${lot}`, { token: eve.token });
    const browser = new BrowserLike(service.url);
    await signIn(browser, ann.user.email, PASSWORD);
    const row = async () =>
      (await browser.get('/account/board')).text.match(/<li class="item board-row"[\s\S]*?<\/li>/)![0];
    expect(await row())
      .to.match(/>Price now<\/span> <strong[^>]*>\$200\.00</)
      .and.to.match(/data-falls="[0-9T:.-]+Z"/)
      .and.not.to.include('Current bid');
    await sales.bid(bob.token, lot, { amount: '200.00', take: 2 });
    await project();
    const ended = await row();
    expect(ended).to.match(/>Hammer price<\/span> <strong[^>]*>\$400\.00</);
    const [, at = ''] = /<time datetime="([^"]+)" title="[^"]+" data-ago/.exec(ended) ?? [];
    expect(Date.parse(at)).to.be.at.most(Date.now());
    const page = (await browser.get(`/lots/${lot}`)).text;
    expect(page).to.match(/<dt>Ended<\/dt>/);
  });

  it('are seen by the seller beside the price of now', async () => {
    const { id, lots } = await sales.auctionOf([{}], 2.5 * HOUR_MS);
    const browser = new BrowserLike(service.url);
    await signIn(browser, sales.owner.email, PASSWORD);
    await browser.get('/seller');
    await browser.post('/seller/team', { team: String(sales.team.id), back: '/seller' });
    const { text } = await browser.get(`/seller/auctions/${id}/live`);
    expect(text).to.match(new RegExp(`data-lot="${lots[0]}"[^>]* data-clock>[\\s\\S]*?"price">\\$200\\.00<`));
  });
});
