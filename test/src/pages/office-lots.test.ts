/** What staff see of a lot and its sale: calls that were taken back, and suspended people whose bids were left. */
import { expect } from 'chai';
import { LogTail } from '../../../adapters/redis/log-tail.ts';
import { suspendBidder } from '../../../src/bidding/staff/suspend-bidder.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { projectAuction, sell } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller/seller-at-desk.ts';

const PASSWORD = 'a long enough password';

describe('the office on a lot', () => {
  let service: Service;
  let seller: AtDesk;
  let staff: BrowserLike;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    const admin = await aUser(service.database, { is_admin: true, password_hash: quickHash(PASSWORD) });
    staff = new BrowserLike(service.url);
    await signIn(staff, admin.email, PASSWORD);
  });
  after(() => service.close());

  async function aRoom() {
    const auction = await anAuction(service.database, { team_id: seller.team.id, type: 'simulcast' });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    return {
      ...{ auction, lot, path: `/seller/auctions/${auction.id}/saleroom` },
      project: () => projectAuction(service.database, service.backends.redis, auction.id),
    };
  }
  const textOf = async (path: string) => {
    const { status, text } = await staff.get(path);
    expect(status, path).to.equal(200);
    return text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  };

  it('counts the calls that the clerk took back, for the lot and for the sale', async () => {
    const { auction, lot, path, project } = await aRoom();
    await seller.browser.get(path);
    await seller.browser.post(`${path}/paddle`, { paddle: '88', name: 'Holder of 88', contact: '' });
    const call = { lot_id: String(lot.id), paddle: '88', amount: '100.00' };
    for (const call_id of ['one', 'two']) {
      expect((await seller.browser.post(`${path}/bid`, { ...call, call_id })).status).to.equal(303);
      const bid_id = /name="bid_id" value="([^"]+)"/.exec((await seller.browser.get(path)).text)?.[1] ?? '';
      const undone = await seller.browser.post(`${path}/undo`, {
        lot_id: call.lot_id,
        bid_id,
        reason: 'Wrong paddle',
      });
      expect(undone.status).to.equal(303);
    }
    await project();
    for (const page of [`/office/lots/${lot.id}`, `/office/auctions/${auction.id}`])
      expect(await textOf(page)).to.contain('Calls that the clerk took back 2');
    // Times name their zone, to staff as to others.
    expect(await textOf(`/office/auctions/${auction.id}`)).to.match(/Ends [^(]* UTC \(/);
    const { text } = await service.get(`/api/v1/lots/${lot.id}/journal`);
    expect(text.match(/"undone":true/g)).to.have.length(2);
  });

  it('shows that a bid of somebody suspended was left to stand, once it has won too', async () => {
    const { auction, lot, project } = await aRoom();
    const ann = await aUser(service.database);
    const bid = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
      token: await service.tokenFor(ann),
      body: { amount: '100.00' },
    });
    expect(bid.status, bid.text).to.equal(201);
    await project();
    const listed = async () =>
      (await textOf('/office/lots?suspended=1')).includes(`${lot.id} · ${lot.title}`);
    expect(await listed()).to.equal(false);
    const tail = new LogTail(service.backends.redis);
    await suspendBidder(
      { ...service.backends, tail },
      { email: ann.email, leadingBids: 'leave', reason: 'unpaid lots', announce: async () => {} },
    );
    expect(await listed()).to.equal(true);
    await sell(service.backends.engine, lot.id, ann, 10_000);
    await project();
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.status).to.equal('sold');
    expect(await listed()).to.equal(true);
    expect(await textOf(`/office/lots/${lot.id}`)).to.contain('suspended: the bid was left to stand');
    expect(await textOf(`/office/lots?auction=${auction.id}`)).to.contain('suspended');
  });
});
