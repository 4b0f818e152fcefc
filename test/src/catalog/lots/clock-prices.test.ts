/** Lists go by the price of now where the clock moves it, which no entry of a journal says. */
import { expect } from 'chai';
import { followClocks } from '../../../../src/bidding/projection/clock-prices.ts';
import { FallingSales } from '../../../support/falling-sales.ts';
import { HOUR_MS } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

const CLOCKS = [
  { title: 'Fast', start_price: '900', step: '100', floor_price: '100', land: { acres: 2 } },
  { title: 'Slow', start_price: '500', step: '10', floor_price: '100' },
];

describe('prices that the clock moves', () => {
  let service: Service;
  let sales: FallingSales;

  before(async () => {
    service = await startService();
    sales = await FallingSales.of(service);
  });

  after(() => service.close());

  for (const currency of ['usd', 'jpy', 'kwd'])
    it(`sort and filter lists in ${currency}`, async () => {
      const { id, lots } = await sales.auctionOf(CLOCKS, 6.5 * HOUR_MS, { currency });
      const project = () => projectAuction(service.database, service.backends.redis, id);
      await project();
      const titles = async (query: string) => {
        const { body } = await service.get(`/api/v1/lots?auction_id=${id}&${query}`);
        return body.data.data.map(({ title }: { title: string }) => title);
      };
      await followClocks(service.backends);
      expect(await followClocks(service.backends)).to.equal(0);
      expect(await titles('sort_by=price&sort_dir=desc')).to.deep.equal(['Slow', 'Fast']);
      expect(await titles('min_price=400')).to.deep.equal(['Slow']);
      expect(await titles('max_price=350&min_price=250')).to.deep.equal(['Fast']);
      const [fast] = (await service.get(`/api/v1/lots?auction_id=${id}&max_price=350`)).body.data.data;
      expect([Number(fast.minimum_next_bid), Number(fast.price_per_acre)]).to.deep.equal([300, 150]);
      // What it was sold for stands, whatever the clock would say.
      const { token } = await sales.bidder();
      expect((await sales.bid(token, lots[0], { amount: '300' })).status).to.equal(201);
      await project();
      await followClocks(service.backends);
      expect(await titles('status=sold&min_price=300&max_price=300')).to.deep.equal(['Fast']);
    });
});
