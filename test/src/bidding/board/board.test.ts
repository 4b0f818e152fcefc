/** The board of somebody's lots, before and after the projection: no worker runs here. */
import { expect } from 'chai';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('the board', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  async function sale() {
    const [ann, ben] = await Promise.all([aUser(service.database), aUser(service.database)]);
    const auction = await anAuction(service.database);
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    const [token, rival] = await Promise.all([service.tokenFor(ann), service.tokenFor(ben)]);
    const bid = async (by: string, max_amount: string): Promise<string> => {
      const path = `/api/v1/lots/${lot.id}/bids`;
      const answer = await service.call('POST', path, { token: by, body: { max_amount } });
      expect(answer.status, answer.text).to.equal(201);
      return answer.body.data.id;
    };
    const open = async (by: string): Promise<JsonValue> =>
      (await service.get('/api/v1/me/board', by)).body.data;
    return { auction, lot, ann, token, rival, bid, open };
  }

  it('has a bid in the very next request, whether it is projected or not', async () => {
    const { auction, lot, token, bid, open } = await sale();
    await bid(token, '150.00');
    const fresh = await open(token);
    expect(fresh.open).to.have.length(1);
    expect(fresh.open[0]).to.include({ lot_id: lot.id, standing: 'leading', max_amount: '150.00' });
    expect(fresh.totals).to.deep.equal([{ currency: 'usd', now: '100.00', at_most: '150.00' }]);
    await projectAuction(service.database, service.backends.redis, auction.id);
    expect(await open(token)).to.deep.equal(fresh);
  });

  it('says one’s own maximum when it is outbid, and nobody else’s', async () => {
    const { auction, token, rival, bid, open } = await sale();
    await bid(token, '150.00');
    await bid(rival, '900.00');
    const outbid = { standing: 'outbid', max_amount: '150.00', next_amount: '170.00' };
    expect((await open(token)).open[0]).to.include(outbid);
    await projectAuction(service.database, service.backends.redis, auction.id);
    const after = await open(token);
    expect(after.open[0]).to.include(outbid);
    expect(JSON.stringify(after)).not.to.include('900.00');
    expect(after.totals).to.deep.equal([]);
  });

  it('counts what one leads with on several tracts once, and as it would buy', async () => {
    const tracts = await ParcelsSales.of(service);
    const sale = await tracts.open([{}, {}, { reserve_price: '500.00' }, {}]);
    const [one, two, three, four] = sale.lots;
    const ann = await tracts.bidder();
    const rival = await tracts.bidder();
    const totals = async ({ token }: typeof ann) =>
      (await service.get('/api/v1/me/board', token)).body.data.totals;
    for (const [lots, amount] of [
      [[two, four], '900.00'],
      [[three], '200.00'],
    ] as const)
      expect((await tracts.bid(ann, lots, amount)).status).to.equal(201);
    expect((await tracts.bid(rival, [one], '300.00')).status).to.equal(201);
    // With a premium of a tenth; tract 3 does not reach its reserve.
    const own = [{ currency: 'usd', now: '990.00', at_most: '1210.00' }];
    expect(await totals(ann)).to.deep.equal(own);
    expect(await totals(rival)).to.deep.equal([{ currency: 'usd', now: '330.00', at_most: '330.00' }]);
    await projectAuction(service.database, service.backends.redis, sale.id);
    expect(await totals(ann)).to.deep.equal(own);
  });
});
